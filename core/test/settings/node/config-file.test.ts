import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { configFile, configFolder, readConfig, writeConfig } from "../../../src/settings/node/config-file.js";
import { newConfigText } from "../../../src/settings/config-edit.js";

const builtIn = ["sparkle"];
const isWindows = process.platform === "win32";

describe("config-file", () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-config-"));
    file = configFile(folder);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  describe("configFolder", () => {
    it("is .symposium in the home folder unless SYMPOSIUM_CONFIG_DIR names another", () => {
      assert.equal(configFolder({}, "/home/a"), join("/home/a", ".symposium"));
      assert.equal(configFolder({ SYMPOSIUM_CONFIG_DIR: "" }, "/home/a"), join("/home/a", ".symposium"));
      assert.equal(configFolder({ SYMPOSIUM_CONFIG_DIR: "here" }, "/home/a"), resolve("here"));
    });
  });

  describe("readConfig", () => {
    it("tells an absent file, an absent folder and a link to nowhere from a broken file", async () => {
      const link = join(folder, "link");
      await symlink(join(folder, "nowhere"), link);
      for (const path of [file, join(folder, "none", "config.jsonc"), link]) {
        assert.deepEqual(await readConfig(path, builtIn), { state: "absent", file: path });
      }
    });

    it("reads what writeConfig has written", async () => {
      const text = newConfigText("gemini", builtIn);
      await writeConfig(file, text);
      const read = await readConfig(file, builtIn);
      assert.ok(read.state === "ok");
      assert.deepEqual([read.text, read.config.agent, read.problems], [text, { kind: "name", name: "gemini" }, []]);
    });

    it("keeps warnings apart from errors", async () => {
      const states = [];
      for (const text of [`{"agnet": "a"}`, `{"agent": 5, "agnet": "a"}`, "{"]) {
        await writeFile(file, text);
        const read = await readConfig(file, builtIn);
        states.push([read.state, read.state === "absent" ? 0 : read.problems.length]);
      }
      assert.deepEqual(states, [
        ["ok", 1],
        ["broken", 2],
        ["broken", 1],
      ]);
    });

    it("calls a file broken that is not UTF-8 or no file at all, and says what to do", async () => {
      await writeFile(file, Buffer.from(`\uFEFF{"agent": "a"}`, "utf16le"));
      const encoded = await readConfig(file, builtIn);
      const other = await readConfig(folder, builtIn);
      assert.ok(encoded.state === "broken" && other.state === "broken");
      assert.deepEqual(
        [encoded.problems[0]?.message, encoded.problems[0]?.hint],
        ["The file isn't UTF-8 text.", "Save it as UTF-8."],
      );
      assert.match(other.problems[0]?.message ?? "", /^Can't read the file: EISDIR/);
    });
  });

  describe("writeConfig", () => {
    it("creates missing folders and a file for the user only", async () => {
      const deep = join(folder, "a", "b", "config.jsonc");
      await writeConfig(deep, "{}");
      assert.equal(await readFile(deep, "utf8"), "{}");
      if (!isWindows) assert.equal((await stat(deep)).mode & 0o777, 0o600);
    });

    it("keeps the permissions of the file", async function () {
      if (isWindows) return this.skip();
      await writeFile(file, "{}");
      await chmod(file, 0o640);
      await writeConfig(file, "[]");
      assert.deepEqual([(await stat(file)).mode & 0o777, await readFile(file, "utf8")], [0o640, "[]"]);
    });

    it("keeps a chain of links and writes the file it leads to, also when that is yet to be made", async () => {
      const real = join(folder, "dotfiles");
      await mkdir(real);
      await symlink(real, join(folder, "folder-link"));
      await symlink("target.jsonc", join(real, "second"));
      await symlink(join("folder-link", "second"), file);
      for (const text of ["1", "2"]) {
        await writeConfig(file, text);
        assert.equal(await readFile(join(real, "target.jsonc"), "utf8"), text);
        assert.ok((await lstat(file)).isSymbolicLink());
      }
      assert.deepEqual((await readdir(real)).sort(), ["second", "target.jsonc"]);
    });

    it("names the file and leaves nothing behind when it fails", async () => {
      await mkdir(file);
      await assert.rejects(writeConfig(file, "{}"), (error) => {
        assert.ok(error instanceof SymposiumError);
        assert.equal(error.code, "config-not-written");
        assert.ok(error.message.includes(file));
        return true;
      });
      assert.deepEqual(await readdir(folder), ["config.jsonc"]);
    });

    it("fails on a circle of links", async () => {
      await symlink(file, join(folder, "other"));
      await symlink(join(folder, "other"), file);
      await assert.rejects(writeConfig(file, "{}"), /ELOOP/);
    });

    it("never lets a reader see a torn file while several processes write", async function () {
      this.timeout(120_000);
      const module = new URL("../../../src/settings/node/config-file.js", import.meta.url).href;
      const script = `
        const { writeConfig } = await import(${JSON.stringify(module)});
        const [file, mark] = process.argv.slice(1);
        for (let round = 0; round < 30; round++) await writeConfig(file, mark.repeat(200_000) + "\\n");
      `;
      const write = (mark: string) =>
        promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, file, mark], { timeout: 50_000 });
      await writeFile(file, `${"a".repeat(200_000)}\n`);
      let isWriting = true;
      const writers = Promise.all(["a", "b", "c"].map(write)).finally(() => (isWriting = false));
      const watch = async () => {
        while (isWriting) assert.match(await readFile(file, "utf8"), /^(?:a{200000}|b{200000}|c{200000})\n$/);
      };
      const ends = await Promise.allSettled([watch(), writers]);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
      assert.deepEqual(await readdir(folder), ["config.jsonc"]);
    });
  });
});
