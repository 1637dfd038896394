import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { positionOf } from "../support/folders.js";
import { useServer } from "../support/installed-servers.js";
import { rust } from "../support/projects.js";
import { patient, Stage, type StageOptions } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

const { files } = rust;
const shapes = files["src/shapes.rs"] ?? "";

describe("rust-analyzer in particular", function () {
  this.timeout(300_000);
  const pathFor = useServer("rust-analyzer");
  const scope = useTestScope();

  async function open(context: Mocha.Context, options: Partial<StageOptions> = {}): Promise<Stage> {
    return scope().use(await Stage.open({ files, path: pathFor(context), settings: patient, ...options }));
  }

  it("is degraded without the sources of the standard library, says what installs them, and installs nothing", async function () {
    const tools = await withoutSources();
    const stage = await open(this, { path: [tools.bin, pathFor(this)].join(delimiter) });
    const at = { uri: stage.uri("src/shapes.rs"), position: positionOf(shapes, "total_area") };
    const { state } = await stage.run("rename", { ...at, newName: "x" });
    assert.equal(state.kind, "degraded");
    assert.match("reason" in state ? state.reason : "", /rustup component add rust-src/);
    assert.equal(await readFile(tools.calls, "utf8").catch(() => ""), "");
  });

  it("runs build scripts of a folder that is trusted, and of no other", async function () {
    const script = 'fn main() {\n    std::fs::write("ran", "").unwrap();\n}\n';
    const ran: boolean[] = [];
    for (const isTrusted of [false, true]) {
      const stage = await open(this, { files: { ...files, "build.rs": script }, isTrusted });
      // Answered when the workspace has been read.
      await stage.run("workspaceSymbols", { query: "Square" });
      ran.push(existsSync(join(stage.folder.path, "ran")));
    }
    assert.deepEqual(ran, [false, true]);
  });

  /** A `rustc` whose toolchain has no sources, and a `rustup` that notes every call that would change something. */
  async function withoutSources(): Promise<{ readonly bin: string; readonly calls: string }> {
    const bin = await mkdtemp(join(tmpdir(), "symposium-tools-"));
    scope().defer(() => rm(bin, { recursive: true, force: true }));
    const calls = join(bin, "calls");
    const sysroot = join(bin, "sysroot");
    await mkdir(sysroot);
    const rustc = `#!/bin/sh\ncase "$*" in *sysroot*) echo ${sysroot} ;; *) PATH="\${PATH#*:}"; exec rustc "$@" ;; esac\n`;
    const rustup = `#!/bin/sh\ncase "$1" in component|toolchain|install) [ -n "$RUSTUP_DIST_SERVER" ] || echo "$*" >> ${calls} ;; esac\nexit 1\n`;
    await writeFile(join(bin, "rustc"), rustc, { mode: 0o755 });
    await writeFile(join(bin, "rustup"), rustup, { mode: 0o755 });
    return { bin, calls };
  }
});

describe("rust-analyzer over a library", function () {
  this.timeout(300_000);
  const pathFor = useServer("rust-analyzer");
  const shape = `pub trait Shape {\n    fn area(&self) -> f64;\n}\n\npub struct Disc(pub f64);\n\nimpl Shape for Disc {\n    fn area(&self) -> f64 {\n        half(self.0)\n    }\n}\n\nfn half(x: f64) -> f64 {\n    x / 2.0\n}\n`;
  let opened: Stage | undefined;

  /** The one that these tests share. */
  async function library(context: Mocha.Context): Promise<Stage> {
    const own = { "Cargo.toml": files["Cargo.toml"] ?? "", "src/lib.rs": shape };
    opened ??= await Stage.open({ files: own, path: pathFor(context), settings: patient });
    return opened;
  }

  after(() => opened?.[Symbol.asyncDispose]());

  it("shows what a function calls, who calls it, what implements a trait, and what it knows of a name", async function () {
    const stage = await library(this);
    const uri = stage.uri("src/lib.rs");
    const at = (part: string, offset = 0): { uri: string; position: { line: number; character: number } } => ({
      uri,
      position: positionOf(shape, part, offset),
    });
    const incoming = await stage.run("incomingCalls", at("fn half", 3));
    const outgoing = await stage.run("outgoingCalls", at("area(&self) -> f64 {"));
    const implementations = await stage.run("implementations", at("Shape {"));
    const hover = await stage.run("hover", at("half(self"));
    const types = await stage.run("supertypes", at("Disc(")).then(() => "", String);
    assert.deepEqual(
      {
        incoming: incoming.items.map(({ symbol, ranges }) => [symbol.name, ranges[0]?.start]),
        outgoing: outgoing.items.map(({ symbol }) => symbol.name),
        implementations: implementations.items.map(({ range }) => range.start.line),
        hover: hover.text?.includes("fn half(x: f64) -> f64"),
        types: types.replace(/ \d+\.\d+\S*/, " VERSION"),
      },
      {
        incoming: [["area", positionOf(shape, "half(self")]],
        outgoing: ["half"],
        implementations: [6],
        hover: true,
        types:
          "SymposiumError: rust-analyzer VERSION doesn't support type hierarchies (textDocument/prepareTypeHierarchy).",
      },
    );
  });

  it("says no to a rename of what has no name", async function () {
    const position = positionOf(shape, "2.0");
    const stage = await library(this);
    const { edit, refusal } = await stage.run("rename", { uri: stage.uri("src/lib.rs"), position, newName: "x" });
    assert.deepEqual({ edit, isExplained: (refusal ?? "").length > 0 }, { edit: null, isExplained: true });
  });

  it("offers code actions whose edits are previews, and formats as a preview too", async function () {
    const text = "pub fn  one() -> u32 {\n    1\n}\n";
    const stage = await library(this);
    await stage.folder.write("src/lib.rs", text);
    const uri = stage.uri("src/lib.rs");
    const position = positionOf(text, "u32");
    const offered = await stage.run("codeActions", { uri, range: { start: position, end: position } });
    const first = offered.items.find(({ title }) => title.includes("Result"));
    const resolved = await stage.run("resolveCodeAction", { id: first?.id ?? "" });
    const formatted = await stage.run("format", { uri });
    await stage.folder.write("src/lib.rs", `${text}\n`);
    await stage.run("documentSymbols", { uri });
    const stale = await stage.run("resolveCodeAction", { id: first?.id ?? "" }).then(() => "", String);
    assert.deepEqual(
      {
        edits: resolved.edit?.changes.map(({ kind }) => kind),
        formatted: formatted.edits.length > 0,
        stale: stale.includes("no longer exists"),
        disk: await readFile(join(stage.folder.path, "src/lib.rs"), "utf8"),
      },
      { edits: ["edit"], formatted: true, stale: true, disk: `${text}\n` },
    );
  });

  it("reports a name that leads nowhere, which an edit elsewhere may have left behind", async function () {
    const stage = await library(this);
    await stage.folder.write("src/lib.rs", "pub fn one() -> u32 {\n    gone()\n}\n");
    const { files: checked, pending } = await stage.run("diagnostics", { uri: stage.uri("src/lib.rs") });
    const found = checked.flatMap(({ diagnostics }) => diagnostics.map(({ code, range }) => [code, range.start]));
    assert.deepEqual({ found, pending }, { found: [["E0425", { line: 1, character: 4 }]], pending: [] });
  });
});
