import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { splitBuild } from "../../scripts/bundle/split-build.mjs";
import { ensureCommand } from "../../scripts/set-up.mjs";

const limitMs = 180_000;

describe("a build in joined files", function () {
  this.timeout(limitMs);
  let folder;
  before(async () => (folder = await mkdtemp(join(tmpdir(), "symposium-bundle-"))));
  after(() => rm(folder, { recursive: true, force: true }));

  const sources = {
    "main.js": `
      const load = { a: () => import("./a.js"), b: () => import("./b.js"), c: () => import("./c.js"), old: () => import("./old.cjs") };
      const loaded = [];
      for (const name of process.argv.slice(2)) loaded.push(load[name]().then((module) => module.say()));
      Promise.all(loaded).then((said) => process.stdout.write(JSON.stringify({
        said,
        files: Object.keys(require.cache).map((path) => path.split(/[\\\\/]/).at(-1)),
        hasCrypto: process.moduleLoadList.includes("NativeModule crypto"),
      })));`,
    "failure.js": `export class Failure extends Error {}\nexport let count = 0;\nexport const counted = () => ++count;`,
    "shared.js": `import { Failure } from "./failure.js";\nexport const fail = () => { throw new Failure("no"); };`,
    "a.js": `import { fail } from "./shared.js";\nimport { Failure, counted } from "./failure.js";
      export function say() { counted(); try { fail(); } catch (e) { return e instanceof Failure; } }`,
    "b.js": `import { fail } from "./shared.js";\nimport { Failure, count } from "./failure.js";
      export function say() { try { fail(); } catch (e) { return [e instanceof Failure, count]; } }`,
    "c.js": `import { Failure } from "./failure.js";\nimport { createHash } from "node:crypto";
      export default "the default";\nimport * as self from "./c.js";
      export function say() {
        const before = process.moduleLoadList.includes("NativeModule crypto");
        return [self.default, new Failure("no").message, before, createHash("sha256").update("").digest("hex").slice(0, 8)];
      }`,
    "old.cjs": `module.exports = { say: () => typeof require("node:os").EOL };`,
  };

  async function built(name, rows) {
    const [from, outdir] = [join(folder, name, "sources"), join(folder, name, "out")];
    await mkdir(from, { recursive: true });
    for (const [file, text] of Object.entries(sources)) await writeFile(join(from, file), text);
    const entryPoints = [{ in: join(from, "main.js"), out: "program" }];
    const options = { absWorkingDir: from, entryPoints, bundle: true, platform: "node", target: "node20.19" };
    const inputs = await splitBuild(options, { ...rows, outdir });
    const files = (await readdir(outdir)).map(withoutHash).sort();
    return { inputs, files, outdir, start: (...words) => JSON.parse(started([join(outdir, "program.cjs"), ...words])) };
  }

  const rows = {
    first: [
      { name: "program", entries: /^main\.js$/ },
      { name: "often", entries: /^a\.js$/ },
    ],
    later: [{ name: "seldom", entries: /^[bc]\.js$/ }],
  };

  it("reads what is asked for, and a module once, whatever file it is in", async () => {
    const { start } = await built("once", rows);
    const { said, files } = start("a", "b");
    assert.deepEqual(said, [true, [true, 1]]);
    assert.deepEqual(files.map(withoutHash).sort(), ["often.cjs", "program.cjs", "seldom.cjs"]);
    assert.deepEqual(start("a").files.sort(), ["often.cjs", "program.cjs"]);
  });

  it("has a file for each row, with what no row before it has, and one for each other piece", async () => {
    const { files, inputs } = await built("rows", rows);
    assert.deepEqual(files, ["often.cjs", "old.cjs", "program.cjs", "seldom.cjs"]);
    assert.deepEqual(inputs.sort(), Object.keys(sources).sort());
  });

  it("has one file for what more than one of several rows needs, named by what is in it, and one for each of them", async () => {
    const groups = ["a", "b", "c"].map((name) => ({ name, entries: new RegExp(`^${name}\\.js$`) }));
    const together = [{ name: "shared", groups }];
    const { files, start } = await built("together", { first: rows.first.slice(0, 1), together, later: [] });
    assert.deepEqual(files, ["a.cjs", "b.cjs", "c.cjs", "old.cjs", "program.cjs", "shared.cjs"]);
    assert.deepEqual(start("b").files.map(withoutHash).sort(), ["b.cjs", "program.cjs", "shared.cjs"]);
    assert.deepEqual(start("a", "b").said, [true, [true, 1]]);
  });

  it("has a file for what a row's entries and its others need, read with either", async () => {
    const others = /^b\.js$/;
    const first = [...rows.first.slice(0, 1), { name: "both", entries: /^a\.js$/, others }];
    const { files, start } = await built("both", { first, later: [] });
    assert.deepEqual(files, ["a.cjs", "b.cjs", "both.cjs", "c.cjs", "old.cjs", "program.cjs"]);
    assert.deepEqual(start("b").files.map(withoutHash).sort(), ["b.cjs", "both.cjs", "program.cjs"]);
    const shared = [{ name: "both", entries: /^a\.js$/, others }];
    assert.deepEqual((await built("shared", { first: rows.first.slice(0, 1), shared, later: [] })).files, files);
  });

  it("adds to a later row what only its others need, too", async () => {
    const later = [{ name: "seldom", entries: /^b\.js$/, others: /^[ac]\.js$/ }];
    const { files, start } = await built("with-others", { first: rows.first.slice(0, 1), later });
    assert.deepEqual(files, ["a.cjs", "c.cjs", "old.cjs", "program.cjs", "seldom.cjs"]);
    assert.deepEqual(start("b", "a").said, [[true, 0], true]);
  });

  it("leaves out of a later row what others need, too", async () => {
    const later = [{ name: "seldom", entries: /^b\.js$/ }];
    const { files, start } = await built("others", { first: rows.first.slice(0, 1), later });
    assert.deepEqual(files, ["a.cjs", "c.cjs", "chunk.cjs", "chunk.cjs", "old.cjs", "program.cjs", "seldom.cjs"]);
    assert.deepEqual(start("b", "a").said, [[true, 0], true]);
  });

  it("keeps defaults, and the names of what is CommonJS already", async () => {
    const { start } = await built("forms", rows);
    const [[value, message], old] = start("c", "old").said;
    assert.deepEqual([value, message, old], ["the default", "no", "string"]);
  });

  it("takes what it needs from other files and from Node without copying their names", async () => {
    const { outdir, files } = await built("uncopied", rows);
    assert.ok(files.includes("seldom.cjs"));
    const copies = [];
    for (const file of await readdir(outdir)) {
      const text = await readFile(join(outdir, file), "utf8");
      // The bundler may copy the names of CommonJS packages, such as old.cjs.
      if (!file.startsWith("old")) copies.push(...(text.match(/[\w$]+=[\w$]+\([\w$]+\(\)\)/g) ?? []));
    }
    assert.deepEqual(copies, []);
  });

  it("loads modules of Node that are slow to load when they are first used", async () => {
    const { start } = await built("late", rows);
    assert.equal(start("b").hasCrypto, false);
    const { said, hasCrypto } = start("c");
    assert.deepEqual([said[0].slice(2), hasCrypto], [[false, "e3b0c442"], true]);
  });

  it("names a later file by what is in it", async () => {
    const names = async (name, all) => {
      await built(name, all);
      return (await readdir(join(folder, name, "out"))).filter((file) => file.startsWith("seldom"));
    };
    const [first] = await names("named", rows);
    assert.deepEqual(await names("again", rows), [first]);
    assert.notDeepEqual(await names("other", { ...rows, later: [{ name: "seldom", entries: /^c\.js$/ }] }), [first]);
  });
});

describe("the bundled command", function () {
  this.timeout(limitMs);
  const bin = fileURLToPath(new URL("../../core/dist/bin", import.meta.url));
  let home;
  before(async () => {
    ensureCommand();
    home = await mkdtemp(join(tmpdir(), "symposium-bundled-"));
    await writeFile(join(home, "note.cjs"), noteAtExit);
  });
  after(() => rm(home, { recursive: true, force: true }));

  /** Script that records the loaded files and builtins when the command exits. */
  const noteAtExit = `process.on("exit", () => require("node:fs").writeFileSync(process.env.NOTE, JSON.stringify({
    files: Object.keys(require.cache),
    builtins: process.moduleLoadList,
  })));`;

  async function startedWith(...words) {
    const note = join(home, "note.json");
    const options = {
      input: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}\n`,
      env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, NOTE: note },
    };
    const stdout = started(
      ["--require", join(home, "note.cjs"), join(bin, "symposium-acp-agent.cjs"), ...words],
      options,
    );
    const { files, builtins } = JSON.parse(await readFile(note, "utf8"));
    return { stdout, files: files.filter((file) => file.startsWith(bin)).map((file) => basename(file)), builtins };
  }

  for (const words of [[], ["run-with", "--agent", "eliza"], ["zed", "run"]]) {
    it(`reads few files for ${words.join(" ") || "a start without arguments"}, and loads no part of Node without need`, async () => {
      const { stdout, files, builtins } = await startedWith(...words);
      assert.match(stdout, /"agentCapabilities"/);
      assert.ok(files.length <= 10, files.join());
      const slow = ["child_process", "crypto", "http", "https", "zlib"].map((name) => `NativeModule ${name}`);
      assert.deepEqual(
        slow.filter((name) => builtins.includes(name)),
        [],
      );
    });
  }

  it("reads for a server of one proxy nothing of the others", async () => {
    const { files } = await startedWith("mcp", "sparkle");
    const proxies = files
      .map(withoutHash)
      .filter((file) => /^(?:sparkle|ferris|cargo|ide-operations|test-tools|sources)\b/.test(file));
    assert.deepEqual(proxies, ["sparkle.cjs"]);
  });

  it("keeps compiled code once the folder of the product is there, and not before", async function () {
    if (nodeModule.enableCompileCache === undefined) return this.skip(); // Node 20 keeps none.
    const empty = await readdir(home);
    await startedWith("--version");
    await startedWith("run");
    assert.deepEqual(
      (await readdir(home)).filter((name) => !empty.includes(name) && name !== "note.json"),
      [],
    );
    await mkdir(join(home, ".symposium"));
    await startedWith("--version");
    assert.deepEqual(await readdir(join(home, ".symposium")), []);
    const { stdout } = await startedWith("run");
    const [kept] = await readdir(join(home, ".symposium", "compile-cache", "run"));
    assert.ok((await readdir(join(home, ".symposium", "compile-cache", "run", kept))).length > 0);
    assert.equal((await startedWith("run")).stdout, stdout);
  });

  it("says its version with two files", async () => {
    const { files } = await startedWith("--version");
    assert.deepEqual(files, ["symposium-acp-agent.cjs", "command.cjs"]);
  });

  it("starts by its older name, too", () => {
    const words = [join(bin, "symposium-acp-agent.mjs"), "--version"];
    assert.equal(started(words), started([join(bin, "symposium-acp-agent.cjs"), "--version"]));
  });
});

function started(words, options = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", ...options });
  assert.equal(status, 0, `${words.join(" ")}:\n${stdout}\n${stderr}`);
  return stdout;
}

function withoutHash(name) {
  return name.replace(/-[A-Z0-9]{8}(?=\.cjs$)/, "");
}
