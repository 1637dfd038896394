import assert from "node:assert/strict";
import { CrateItems } from "../../../src/extensions/ferris/rust/crate-items.js";
import { parseUse } from "../../../src/extensions/ferris/rust/use-declaration.js";
import type { SourceFolder } from "../../../src/extensions/ferris/services.js";

function folderOf(files: Readonly<Record<string, string>>): SourceFolder {
  return {
    path: "/crate",
    paths: () => Promise.resolve(Object.keys(files).sort()),
    read: (path) => Promise.resolve(files[path]),
    relativeTo: (path) => Promise.resolve(path.startsWith("/crate/") ? path.slice("/crate/".length) : undefined),
  };
}

/** `KIND NAME FILE` of all that a path leads to. */
async function found(files: Readonly<Record<string, string>>, path: string): Promise<string[]> {
  const targets = await new CrateItems(folderOf(files), "src/lib.rs").find(path.split("::"));
  return targets.map((target) => {
    if (target.kind === "external") return `external ${[target.crateName, ...target.path].join("::")}`;
    if (target.kind === "module") return `mod ${target.path.join("::")}`;
    return `${target.file.kindOf(target.at)} ${target.name} ${target.file.path}`;
  });
}

describe("ferris: Rust source", () => {
  it("takes no comment or literal for code", async () => {
    const files = {
      "src/lib.rs": `pub fn a<'a>(x: &'a str) {
    let open = '{';
    let quote = '"';
    let text = "} \\" {
pub struct Ghost;";
    let raw = r#"impl Ghost { " } "#; // {
    for"}";
}
/*
pub struct Ghost;
*/
pub struct S {
    pub field: u8,
}
`,
    };
    assert.deepEqual(await found(files, "S::field"), ["field field src/lib.rs"]);
    assert.deepEqual(await found(files, "Ghost"), []);
  });

  it("takes use declarations apart", () => {
    assert.deepEqual(parseUse("pub(crate) use a::{self, b as c, d::{e, *}, r#type};"), [
      { path: ["a"], name: "a" },
      { path: ["a", "b"], name: "c" },
      { path: ["a", "d", "e"], name: "e" },
      { path: ["a", "d"], name: "*" },
      { path: ["a", "type"], name: "type" },
    ]);
    assert.deepEqual(parseUse("use ::other::Thing as _;"), [{ path: ["", "other", "Thing"], name: "_" }]);
  });

  it("follows modules in files, folders and braces", async () => {
    const files = {
      "src/lib.rs": "mod a;\nmod b;\nmod d {\n    pub mod e;\n    pub struct D;\n}\n",
      "src/a.rs": "pub mod deep;\n",
      "src/a/deep.rs": "pub struct Deep;\n",
      "src/b/mod.rs": "pub fn b() {}\n",
      "src/d/e.rs": "pub type E = u8;\n",
    };
    assert.deepEqual(await found(files, "a::deep::Deep"), ["struct Deep src/a/deep.rs"]);
    assert.deepEqual(await found(files, "a::deep"), ["mod a::deep"]);
    assert.deepEqual(await found(files, "b::b"), ["fn b src/b/mod.rs"]);
    assert.deepEqual(await found(files, "d::D"), ["struct D src/lib.rs"]);
    assert.deepEqual(await found(files, "d::e::E"), ["type E src/d/e.rs"]);
    assert.deepEqual(await found(files, "d::e::Missing"), []);
  });

  it("follows re-exports: renamed, nested, of all names, in circles and of a namesake", async () => {
    const files = {
      "src/lib.rs": `mod a;
pub use a::{Inner as Outer, b};
pub use a::glob::*;
pub use self::a::spawn;
pub use crate::*;
`,
      "src/a.rs": `pub struct Inner;
pub mod glob {
    pub use super::super::*;
    pub const G: u8 = 1;
}
pub mod b {
    pub use super::Inner;
}
mod spawn;
pub use spawn::spawn;
`,
      "src/a/spawn.rs": "pub fn spawn() {}\n",
    };
    assert.deepEqual(await found(files, "Outer"), ["struct Inner src/a.rs"]);
    assert.deepEqual(await found(files, "b::Inner"), ["struct Inner src/a.rs"]);
    assert.deepEqual(await found(files, "G"), ["const G src/a.rs"]);
    assert.deepEqual(await found(files, "spawn"), ["fn spawn src/a/spawn.rs"]);
  });

  it("says where re-exports of other crates lead", async () => {
    const files = { "src/lib.rs": "pub use core_part::{de, ser::Thing};\npub use ::other as renamed;\n" };
    assert.deepEqual(await found(files, "de::Error"), ["external core_part::de::Error"]);
    assert.deepEqual(await found(files, "Thing"), ["external core_part::ser::Thing"]);
    assert.deepEqual(await found(files, "renamed::X"), ["external other::X"]);
  });

  it("leaves private use declarations to the module itself", async () => {
    const files = { "src/lib.rs": "use std::fmt;\nmod a {\n    use super::B;\n}\nstruct B;\n" };
    assert.deepEqual(await found(files, "a::B"), []);
  });

  it("looks into macro calls, cfg_if branches, extern blocks and macros without arguments", async () => {
    const files = {
      "src/lib.rs": `cfg_rt! {
    pub mod rt {
        pub struct Rt;
    }
}
cfg_if::cfg_if! {
    if #[cfg(unix)] {
        pub fn sys() {}
    } else if #[cfg(windows)] {
        pub fn sys() {}
    } else {
        pub fn other() {}
    }
}
extern "C" {
    pub fn foreign();
}
macro_rules! all {
    () => {
        pub struct Made;
        mod made_file;
        pub use made_file::F;
    };
}
all!();
`,
      "src/made_file.rs": "pub struct F;\n",
    };
    assert.deepEqual(await found(files, "rt::Rt"), ["struct Rt src/lib.rs"]);
    assert.deepEqual(await found(files, "sys"), ["fn sys src/lib.rs", "fn sys src/lib.rs"]);
    assert.deepEqual(await found(files, "other"), ["fn other src/lib.rs"]);
    assert.deepEqual(await found(files, "foreign"), ["fn foreign src/lib.rs"]);
    assert.deepEqual(await found(files, "Made"), ["struct Made src/lib.rs"]);
    assert.deepEqual(await found(files, "F"), ["struct F src/made_file.rs"]);
  });

  it("finds variants, fields, trait items, methods, exported macros and derive macros", async () => {
    const files = {
      "src/lib.rs": `pub enum E {
    A,
    B { x: u8 },
    C(u8),
}
pub struct S {
    pub field: [u8; 2],
    other: u8,
}
pub trait T {
    const N: usize;
    fn go(&self);
}
impl<T: Fn() -> u8> other::Trait<T> for S
where
    T: Copy,
{
    fn of_trait(&self) {}
}
impl S {
    pub const fn method(&self) -> u8 { 1 }
}
mod deep;
pub use deep::*;
#[proc_macro_derive(Nice, attributes(nice))]
pub fn derive_nice(i: T) -> T { i }
`,
      "src/deep.rs": `#[macro_export]
macro_rules! shout { ($x:expr) => { $x } }
pub struct Unrelated;
impl Unrelated {
    fn method() {}
}
`,
    };
    assert.deepEqual(await found(files, "E::B"), ["variant B src/lib.rs"]);
    assert.deepEqual(await found(files, "S::other"), ["field other src/lib.rs"]);
    assert.deepEqual(await found(files, "T::go"), ["fn go src/lib.rs"]);
    assert.deepEqual(await found(files, "S::method"), ["fn method src/lib.rs"]);
    assert.deepEqual(await found(files, "S::of_trait"), ["fn of_trait src/lib.rs"]);
    assert.deepEqual(await found(files, "shout"), ["macro shout src/deep.rs"]);
    assert.deepEqual(await found(files, "Nice"), ["fn derive_nice src/lib.rs"]);
  });
});
