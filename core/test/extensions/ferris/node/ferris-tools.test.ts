import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ferrisServices } from "../../../../src/extensions/ferris/node.js";
import type { FerrisServices } from "../../../../src/extensions/ferris/services.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { needsCargo } from "../../../needs-cargo.js";
import { copiedWorkspace, emptyFolder, fixtureWorkspace, toolsIn } from "./ferris-stage.js";

const vendor = join(fixtureWorkspace, "vendor");

describe("ferris: tools over real cargo", function () {
  this.timeout(120_000);
  before(function () {
    needsCargo(this);
  });

  describe("crate_sources", () => {
    const call = toolsIn(fixtureWorkspace);

    it("takes of two locked versions the one that the workspace depends on directly", async () => {
      assert.deepEqual(await call("crate_sources", { crate_name: "greeter" }), {
        isError: false,
        text:
          "greeter 0.2.0: the Cargo.lock of this workspace has it, from a local folder; of the locked versions 0.2.0, " +
          "0.1.0, this is the only candidate (workspace members depend on it directly).\n" +
          `Sources: ${join(vendor, "greeter-0.2")}\nRoot file: src/lib.rs`,
      });
    });

    it("takes the newest when none is direct, and names them all", async () => {
      const { text } = await call("crate_sources", { crate_name: "noun" });
      assert.match(text, /^noun 0\.2\.0: .*of the locked versions 0\.2\.0, 0\.1\.0, this is the newest/);
    });

    it("takes the locked version that satisfies the one asked for", async () => {
      const { text } = await call("crate_sources", { crate_name: "noun", version: "0.1" });
      assert.match(text, /^noun 0\.1\.0: .*it satisfies "0\.1".*\nSources: .*noun-0\.1\n/s);
    });

    it("knows crates by the name that code uses, and the packages of the workspace", async () => {
      assert.match((await call("crate_sources", { crate_name: "crossing" })).text, /^bridge 3\.1\.0: /);
      assert.match((await call("crate_sources", { crate_name: "app" })).text, /^app 1\.0\.0: it is a package of this/);
    });

    it("asks cargo once, however many ask at a time, and again when Cargo.lock has changed", async () => {
      await using folder = await copiedWorkspace();
      const real = ferrisServices(trusting());
      let runs = 0;
      const counting: FerrisServices = { ...real, cargo: (...args) => (runs++, real.cargo(...args)) };
      const count = async (): Promise<number> => {
        await inCopy("crate_sources", { crate_name: "noun" });
        return runs;
      };
      const inCopy = toolsIn(folder.path, counting);
      await Promise.all([count(), count()]);
      assert.deepEqual([await count(), await count()], [1, 1]);
      await utimes(join(folder.path, "Cargo.lock"), 1, 1);
      assert.equal(await count(), 2);
    });

    it("looks anew when the sources have gone", async () => {
      await using folder = await copiedWorkspace();
      const inCopy = toolsIn(folder.path);
      await inCopy("crate_sources", { crate_name: "noun" });
      await rm(join(folder.path, "vendor/noun-0.2"), { recursive: true });
      const { text, isError } = await inCopy("crate_sources", { crate_name: "noun" });
      assert.match(text, /^cargo cannot read the workspace at .*noun-0\.2/s);
      assert.equal(isError, true);
    });

    it("leaves a workspace without Cargo.lock as it is, and says that nothing is locked", async () => {
      await using folder = await copiedWorkspace();
      await rm(join(folder.path, "Cargo.lock"));
      const { text } = await toolsIn(folder.path)("crate_sources", { crate_name: "app" });
      assert.match(text, /^app 1\.0\.0: it is a package of this workspace/);
      await assert.rejects(rm(join(folder.path, "Cargo.lock")));
    });

    it("reports a manifest that cargo cannot read", async () => {
      await using folder = await copiedWorkspace();
      await appendFile(join(folder.path, "app/Cargo.toml"), "broken = = 1\n");
      const { text, isError } = await toolsIn(folder.path)("crate_sources", { crate_name: "noun" });
      assert.deepEqual([isError, /^cargo cannot read the workspace at .*Repair it/s.test(text)], [true, true]);
    });

    it("finds git dependencies at their locked commit", async function () {
      await using folder = await emptyFolder();
      const services = await gitWorkspace(folder.path);
      if (!services) return this.skip();
      const { text } = await toolsIn(join(folder.path, "user"), services)("crate_sources", { crate_name: "origin" });
      assert.match(text, /^origin 0\.7\.0: the Cargo\.lock of this workspace has it, from file:.*#[\da-f]{40}\./);
      assert.match(text, /Sources: .*checkouts/);
    });

    const bad: [what: string, args: Readonly<Record<string, unknown>>, text: RegExp][] = [
      ["a name that is none", { crate_name: "../x" }, /^"\.\.\/x" isn't a valid crate name\./],
      [
        "a requirement that is none",
        { crate_name: "noun", version: "new" },
        /^"new" isn't a version requirement\. Write/,
      ],
      ["no name", {}, /^crate_name: missing/],
    ];
    for (const [what, args, expected] of bad) {
      it(`refuses ${what}`, async () => {
        const { text, isError } = await call("crate_sources", args);
        assert.match(text, expected);
        assert.equal(isError, true);
      });
    }

    it("says so when there is no cargo, or no such folder", async () => {
      const none = toolsIn(fixtureWorkspace, ferrisServices(trusting(), { ...process.env, PATH: vendor }));
      assert.deepEqual(await none("crate_sources", { crate_name: "noun" }), {
        isError: true,
        text:
          `The program "cargo" can't be started (it is not on the PATH). ` +
          "Install Rust from https://rustup.rs, or put cargo on the PATH of the editor.",
      });
      const nowhere = await toolsIn(join(fixtureWorkspace, "none"))("crate_sources", { crate_name: "noun" });
      assert.match(nowhere.text, /none isn't a folder/);
    });

    it("stops cargo when the call is given up", async () => {
      const abort = new AbortController();
      const answer = call("crate_sources", { crate_name: "greeter", version: "=9.9.9" }, abort.signal);
      abort.abort();
      assert.match((await answer).text, /cancelled/);
    });
  });

  describe("crate_search", () => {
    const call = toolsIn(fixtureWorkspace);
    const search = async (args: Readonly<Record<string, unknown>>): Promise<string[]> => {
      const { text } = await call("crate_search", { crate_name: "greeter", ...args });
      return text.split("\n").slice(1);
    };

    it("names file and line, sources first", async () => {
      assert.deepEqual(await search({ query: "extra\\(" }), [
        `3 lines match in ${join(vendor, "greeter-0.2")}`,
        "src/lib.rs:29: pub fn extra() -> u8 {",
        'examples/hello.rs:2: println!("{}", greeter::extra());',
        "tests/greets.rs:3: assert_eq!(greeter::extra(), 1);",
      ]);
    });

    it("searches one part", async () => {
      assert.deepEqual((await search({ query: "extra()", in: "tests" })).slice(1), [
        "tests/greets.rs:3: assert_eq!(greeter::extra(), 1);",
      ]);
    });

    it("pages, and says how to go on", async () => {
      assert.deepEqual(await search({ query: "extra\\(", limit: 1, offset: 1 }), [
        `3 lines match, 2 to 2 shown, in ${join(vendor, "greeter-0.2")}`,
        'examples/hello.rs:2: println!("{}", greeter::extra());',
        "… 1 more: pass offset 2.",
      ]);
    });

    it("takes what is no regular expression as text, and finds any other", async () => {
      assert.match((await search({ query: "extra(" }))[0] ?? "", /^3 lines match/);
      assert.match((await search({ query: "(e+)+x" }))[0] ?? "", /^6 lines match/);
    });

    it("minds upper case only when the query has some", async () => {
      assert.match((await search({ query: "says HELLO" }))[0] ?? "", /^No line/);
      assert.match((await search({ query: "says hello" }))[0] ?? "", /^1 line matches/);
    });
  });

  describe("crate_item", () => {
    const call = toolsIn(fixtureWorkspace);
    const show = async (path: string): Promise<string> => {
      const { text } = await call("crate_item", { crate_name: "greeter", path });
      return text.split("\n\n").slice(1).join("\n\n");
    };

    it("shows a type behind a re-export, with its methods and traits", async () => {
      assert.equal(
        await show("greeter::Greeter"),
        [
          "struct Greeter (src/greeter.rs:7)",
          "/// Greets one person.\n///\n/// Keeps the name.\n#[derive(Clone, Debug)]\npub struct Greeter<'a> {\n    /// Who is greeted.\n    pub name: &'a str,\n    times: [u8; { 1 + 1 }],\n}",
          "Methods and constants (and 1 that are not public):\n" +
            "pub const MOST: usize = 3  // src/greeter.rs:18\n" +
            "pub fn new(name: &'a str, times: [u8; 2]) -> Self  // src/greeter.rs:22",
          "Trait implementations:\nimpl fmt::Display for Greeter<'_>  // src/greeter.rs:34",
        ].join("\n\n"),
      );
    });

    it("keeps types of one name apart", async () => {
      assert.match(await show("loud::Greeter"), /pub fn shout\(&self\)/);
      assert.doesNotMatch(await show("loud::Greeter"), /Makes one|pub fn new/);
    });

    it("shows functions, variants, methods and what a macro makes", async () => {
      assert.match(
        await show("say_hello"),
        /^fn greet \(src\/greeter\.rs:41\)\n\n\/\/\/ Says hello\.\npub fn greet<F>\(of: F\) -> Result<\(\), Failure>\nwhere\n {4}F: Fn\(\) -> u8,\n/,
      );
      assert.match(
        await show("Failure::Loud"),
        /^variant Loud of enum Failure .*\n\n {4}\/\/\/ Too loud, by so much\.\n {4}Loud \{ by: u8 \},/,
      );
      assert.match(
        await show("Greeter::new"),
        /^fn new of struct Greeter .*\n\n {4}\/\/\/ Makes one\.\n {4}#\[must_use\]\n {4}pub fn new/,
      );
      assert.match(await show("Tone"), /pub trait Tone \{\n.*fn set\(&mut self, volume: u8\) -> bool/s);
      assert.match(await show("extra"), /^fn extra .*\n\n {8}\/\/\/ Made by a macro\.\n {8}pub fn extra\(\) -> u8 \{/);
      assert.match(await show("inner"), /^fn inner \(src\/tone\/inner\.rs/);
    });

    it("follows a re-export into the crate it is of, at the version it depends on", async () => {
      const text = await show("Noun");
      assert.match(text, /^This is a re-export of noun::Noun\.\n\nnoun 0\.1\.0: .*\n\nstruct Noun/);
    });

    it("lists the public items of the crate", async () => {
      const text = await show("greeter");
      assert.match(text, /^module root \(src\/lib\.rs:1\)\n\nGreets people in a chosen tone\./);
      for (const line of ["pub mod loud", "pub fn extra() -> u8", "macro_rules! with_loud", "pub use tone::*"]) {
        assert.ok(text.includes(line), line);
      }
      assert.doesNotMatch(text, /mod tone {2}/);
    });

    it("finds an item whose path is wrong by its name, and says so when there is none", async () => {
      assert.match(
        await show("greeter::wrong::Failure"),
        /^No path greeter::wrong::Failure is visible .*\n\nenum Failure/,
      );
      const { text, isError } = await call("crate_item", { crate_name: "greeter", path: "Nothing" });
      assert.equal(isError, true);
      assert.match(
        text,
        /^The crate greeter 0\.2\.0 has no item "greeter::Nothing", nor one named "Nothing"\. Search for it/,
      );
    });

    it("refuses a path that is none", async () => {
      assert.match(
        (await call("crate_item", { crate_name: "greeter", path: "a b" })).text,
        /^"a b" isn't an item path/,
      );
    });
  });
});

/** A workspace `user` that depends on the repository `origin` over git, with a cargo home of its own; undefined without git. */
async function gitWorkspace(folder: string): Promise<FerrisServices | undefined> {
  const origin = join(folder, "origin");
  const user = join(folder, "user");
  for (const path of [origin, user]) {
    await mkdir(join(path, "src"), { recursive: true });
    await writeFile(join(path, "src/lib.rs"), "");
  }
  const manifest = (name: string): string => `[package]\nname = "${name}"\nversion = "0.7.0"\nedition = "2021"\n`;
  await writeFile(join(origin, "Cargo.toml"), manifest("origin"));
  const dependency = `[dependencies]\norigin = { git = "file://${origin}" }\n`;
  await writeFile(join(user, "Cargo.toml"), `${manifest("user")}${dependency}`);
  const env = { ...process.env, CARGO_HOME: join(folder, "cargo-home") };
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  try {
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      [...identity, "commit", "-q", "-m", "start"],
    ]) {
      execFileSync("git", args, { cwd: origin, stdio: "ignore" });
    }
  } catch {
    return undefined;
  }
  execFileSync("cargo", ["generate-lockfile", "--quiet"], { cwd: user, env, stdio: "ignore" });
  return ferrisServices(trusting(), env);
}
