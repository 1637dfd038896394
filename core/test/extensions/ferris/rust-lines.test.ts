import assert from "node:assert/strict";
import { CrateItems } from "../../../src/extensions/ferris/rust/crate-items.js";
import { moduleReport } from "../../../src/extensions/ferris/rust/item-report.js";
import { RustLines } from "../../../src/extensions/ferris/rust/rust-lines.js";

describe("lines of Rust files", () => {
  it("go on after characters that are quotation marks or brackets", () => {
    for (const character of [`'"'`, String.raw`'\"'`, String.raw`b'\"'`, String.raw`'\''`, String.raw`'\\'`, "'{'"]) {
      const text = `pub fn first(c: char) -> bool {\n    matches!(c, ${character})\n}\n\npub fn second() {}\n`;
      assert.deepEqual(new RustLines("lib.rs", text, []).names, ["first", "second"], character);
    }
  });

  it("are in the modules around them, past macro calls and lines that close brackets", () => {
    const text = `pub mod outer {
    cfg_if! {
        if #[cfg(unix)] {
            pub fn unix() {}
        }
    }
    pub mod inner
    where
    {
        pub const A: u8 = 1;

        pub fn b() {
            struct Local;
        }
    }
    pub fn c() {}
}
pub fn d() {}
`;
    const lines = new RustLines("lib.rs", text, []);
    const scopes = ["unix", "A", "b", "Local", "c", "d"].map((name) =>
      lines.scopeOf(lines.declaringLines(name)[0] ?? -1),
    );
    assert.deepEqual(scopes, [["outer"], ["outer", "inner"], ["outer", "inner"], undefined, ["outer"], []]);
    const blank = text.split("\n").indexOf("");
    assert.deepEqual(lines.enclosing(blank), [9, 6, 0]);
  });

  it("are reported for modules with very many items", async () => {
    const count = 100_000;
    const items = Array.from({ length: count }, (_, at) => `    pub const A${at}: u8 = 1;\n`);
    const text = `pub mod all {\n${items.join("")}}\n`;
    const crate = new CrateItems(
      {
        path: "/a",
        paths: () => Promise.resolve(["src/lib.rs"]),
        read: (path) => Promise.resolve(path === "src/lib.rs" ? text : undefined),
        relativeTo: (path) => Promise.resolve(path),
      },
      "src/lib.rs",
    );
    const report = await moduleReport(crate, { kind: "module", path: ["all"], isPublic: true });
    assert.match(report, /const A0: u8 = 1 {2}\/\/ src\/lib\.rs:2\n/);
    assert.ok(report.endsWith(`… ${count - 100} more`));
  });
});
