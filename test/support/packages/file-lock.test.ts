import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../child.js";
import { pathWith } from "../repository.js";
import { createRunFolder } from "../run-folder.js";
import { useTestScope } from "../test-scope.js";
import { whileLocked } from "./file-lock.js";

describe("the lock of the package cache", () => {
  const scope = useTestScope();

  it("lets one action in at a time and leaves no file", async () => {
    const folder = scope().use(await createRunFolder("lock"));
    const lock = join(folder.workspace, "package.lock");
    const events: string[] = [];
    let waiting: Promise<unknown> | undefined;
    await whileLocked(lock, async () => {
      events.push("first in");
      waiting = whileLocked(lock, () => Promise.resolve(events.push("second in")));
      await readdir(folder.workspace);
      events.push("first out");
    });
    await waiting;
    assert.deepEqual(
      { events, files: await readdir(folder.workspace) },
      { events: ["first in", "first out", "second in"], files: [] },
    );
  });

  it("counts as free when its holder is gone", async () => {
    const folder = scope().use(await createRunFolder("lock"));
    const lock = join(folder.workspace, "package.lock");
    const words = ["node", "-p", "process.pid"];
    const { stdout } = await runToEnd(
      { words, env: { ...folder.env, PATH: pathWith() }, cwd: folder.workspace },
      60_000,
    );
    await writeFile(lock, stdout.trim());
    assert.equal(await whileLocked(lock, () => Promise.resolve("in")), "in");
  });
});
