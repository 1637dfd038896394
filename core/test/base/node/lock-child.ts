import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Logger } from "../../../src/base/logger.js";
import { KnownSessionsFile } from "../../../src/conductor/choices/node/known-sessions-file.js";
import { FileLock } from "../../../src/base/node/file-lock.js";

/* One of several processes that want the same: each line on its input is a command, and is answered with a line. */
const commands: Readonly<Record<string, (path: string, count: number) => Promise<string>>> = {
  /** Takes the lock, and keeps it until this process ends. */
  async hold(path) {
    await FileLock.take(path);
    return "held";
  },
  /** Takes the lock if it is free, and keeps it. */
  async try(path) {
    return (await FileLock.tryTake(path)) === undefined ? "other" : "ours";
  },
  /** Increments a number in a file. An increment gets lost if another process holds the lock at the same time. */
  async count(path, count) {
    for (let n = 0; n < count; n++) {
      await using _lock = await FileLock.take(path, { waitMs: Infinity });
      const before = Number(await readFile(path, "utf8").catch(() => "0"));
      await writeFile(path, String(before + 1));
    }
    return "counted";
  },
  /** Takes the lock repeatedly until the process is killed. Logs when it gets and releases the lock. */
  async worry(path) {
    await mkdir(path, { recursive: true });
    for (let n = 0; n < 100_000; n++) {
      await using _lock = await FileLock.take(`${path}/it`, { waitMs: Infinity });
      await appendFile(`${path}/log`, `${process.pid} in\n`);
      await appendFile(`${path}/log`, `${process.pid} out\n`);
    }
    return "done";
  },
  /** Keeps sessions of its own among those of others. */
  async sessions(path, count) {
    const faults: string[] = [];
    const file = new KnownSessionsFile(new Logger(({ event }) => faults.push(event)), path);
    for (let n = 0; n < count; n++) file.keep([`${process.pid}-${n}`, `${n}`, "eliza"]);
    await file.flushed();
    return faults.join() || "kept";
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", path = "", count = "0"] = line.split(" ");
  const answer = await commands[name]?.(path, Number(count));
  process.stdout.write(`${answer ?? "unknown"}\n`);
}
