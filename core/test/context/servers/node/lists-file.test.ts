import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { ListFiles } from "../../../../src/context/servers/node/lists-file.js";
import type { ServerLists } from "../../../../src/context/servers/server-lists.js";

const dayMs = 24 * 60 * 60 * 1_000;
const lists: ServerLists = {
  description: { serverInfo: { name: "clock", version: "1" }, capabilities: { tools: {} } },
  isStateless: false,
  tools: [{ name: "now", inputSchema: { type: "object" } }],
  prompts: [],
};

describe("the lists of last time", () => {
  let home: string;
  let folder: string;
  let files: ListFiles;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "lists-"));
    folder = join(home, "mcp-lists");
    files = new ListFiles(folder, Logger.silent);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** As it would be had nothing been read for so many days. */
  function age(days: number): void {
    const then = new Date(Date.now() - days * dayMs);
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), then, then);
  }

  async function kept(...keys: readonly string[]): Promise<readonly string[]> {
    const read = await Promise.all(keys.map(async (key) => ({ key, lists: await files.read(key) })));
    return read.filter((one) => one.lists !== undefined).map(({ key }) => key);
  }

  it("are forgotten when no session has read them for 90 days", async () => {
    await files.write("used", lists);
    await files.write("unused", lists);
    age(91);
    await files.read("used");
    await files.clean([]);
    assert.deepEqual(await kept("used", "unused"), ["used"]);
  });

  it("are forgotten with their server, of the user's own or of a project that is gone", async () => {
    const there = join(home, "config.jsonc");
    writeFileSync(there, "{}");
    await files.write("mine", lists, { kind: "user", file: there });
    await files.write("removed", lists, { kind: "user", file: there });
    await files.write("project", lists, { kind: "project", file: there });
    await files.write("deleted", lists, { kind: "project", file: join(home, "deleted", "config.jsonc") });
    await files.write("editor", lists, { kind: "editor" });
    await files.clean(["mine"]);
    assert.deepEqual(await kept("mine", "removed", "project", "deleted", "editor"), ["mine", "project", "editor"]);
  });

  it("stay where the user's file cannot be read, and others look only once a day", async () => {
    await files.write("mine", lists, { kind: "user" });
    await files.clean(undefined);
    assert.deepEqual(await kept("mine"), ["mine"]);
    await files.clean([]);
    assert.deepEqual(await kept("mine"), ["mine"]);
    age(2);
    await files.clean([]);
    assert.deepEqual(await kept("mine"), []);
  });

  it("are cleaned by several at once, and nobody's new ones are lost", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `server ${index}`);
    await Promise.all([
      ...keys.map((key) => files.write(key, lists, { kind: "user" })),
      ...keys.map(() => new ListFiles(folder, Logger.silent).clean(keys)),
    ]);
    assert.deepEqual(await kept(...keys), keys);
    assert.equal(statSync(folder).mode & 0o077, process.platform === "win32" ? statSync(folder).mode & 0o077 : 0);
  });

  it("need no folder to be cleaned", () => files.clean([]));
});
