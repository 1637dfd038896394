import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ideOperationsServices, searchWord } from "../../../../src/extensions/ide-operations/node.js";

const never = new AbortController().signal;

describe("the word search", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium words "));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
  }

  async function found(word: string, extensions?: readonly string[], limit = 100): Promise<string[]> {
    const { hits } = await searchWord({ folder, word, extensions, limit }, never);
    return hits.map(({ path, line, character }) => `${path.slice(folder.length + 1)}:${line}:${character}`);
  }

  function git(...args: readonly string[]): void {
    execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
  }

  it("finds whole words, at their lines and UTF-16 columns, whatever the line breaks", async () => {
    await write({ "a.rs": "area\r\nareas area_2 _area areä area\r\r😀 area.area()\n$area" });
    assert.deepEqual(await found("area"), ["a.rs:0:0", "a.rs:1:24", "a.rs:3:3", "a.rs:3:8"]);
  });

  it("leaves out what git ignores and what it does not track in build folders, and nothing else", async () => {
    await write({
      ".gitignore": "/ignored/\n*.gen.rs\n",
      "ignored/a.rs": "area",
      "src/b.gen.rs": "area",
      "target/kept.rs": "area",
      "target/made.rs": "area",
      "src/c.rs": "area",
      "src/d.ts": "area",
    });
    git("init");
    git("add", "src/c.rs", "target/kept.rs");
    assert.deepEqual(await found("area", ["rs"]), ["src/c.rs:0:0", "target/kept.rs:0:0"]);
  });

  it("starts nothing that the repository names", async () => {
    await write({ "a.rs": "area" });
    git("init");
    git("config", "core.fsmonitor", `touch '${join(folder, "started")}'; false`);
    assert.deepEqual(await found("area"), ["a.rs:0:0"]);
    await assert.rejects(import("node:fs/promises").then(({ stat }) => stat(join(folder, "started"))));
  });

  it("leaves out what looks generated where there is no git, and what is no text", async () => {
    await write({
      "src/a.rs": "area",
      "target/b.rs": "area",
      "node_modules/c.rs": "area",
      ".hidden/d.rs": "area",
      "e.rs": Buffer.from("area\0"),
    });
    assert.deepEqual(await found("area"), ["src/a.rs:0:0"]);
  });

  it("stops at its limit, and says so", async () => {
    await write({ "a.rs": "area area area" });
    const search = await searchWord({ folder, word: "area", extensions: undefined, limit: 2 }, never);
    assert.deepEqual([search.hits.length, search.isWhole], [2, false]);
  });

  it("is given up with its caller", async () => {
    await write({ "a.rs": "area" });
    const query = { folder, word: "area", extensions: undefined, limit: 2 };
    await assert.rejects(searchWord(query, AbortSignal.abort()), { name: "AbortError" });
  });

  it("reads nothing through a link that was put in a file's place, or is put back, and waits for no pipe", async function () {
    // Elsewhere nothing says what it is that is open.
    if (process.platform !== "linux") this.skip();
    const own = join(folder, "own");
    await mkdir(own);
    const [inside, secret] = [join(own, "a.ts"), join(folder, "secret.ts")];
    await writeFile(secret, "const word = 1;\n");
    symlinkSync(secret, inside);
    execFileSync("mkfifo", [join(own, "pipe.ts")]);
    const asked: string[] = [];
    const services = ideOperationsServices((opened) => {
      const real = realpathSync(opened);
      asked.push(real);
      // Too late: what is open is the other one.
      rmSync(inside);
      writeFileSync(inside, "const word = 2;\n");
      return real.startsWith(`${realpathSync(own)}/`);
    });
    assert.equal(await services.readText(inside), undefined);
    assert.equal(await services.readText(join(own, "pipe.ts")), undefined);
    assert.deepEqual(asked, [realpathSync(secret)]);
  });
});
