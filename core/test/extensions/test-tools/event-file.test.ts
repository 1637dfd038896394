import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, symlink, writeFile } from "node:fs/promises";
import { createEventFile } from "../../../src/extensions/test-tools/node/event-file.js";
import { readTestEvents } from "../../../src/extensions/runs/test-report.js";

const isPosix = process.platform !== "win32";

describe("the file that reporters write", () => {
  const begin = `{"event":"begin","runner":"vitest","version":"5"}\n`;
  const end = `{"event":"end"}\n`;

  it("is read whole where it has a usual length", async () => {
    await using events = await createEventFile();
    await writeFile(events.path, begin + end);
    assert.equal(await events.read(), begin + end);
  });

  it("is read at its begin and end where it is too long, which the report says", async () => {
    await using events = await createEventFile(4_000);
    const tests = Array.from({ length: 500 }, (_, index) => `{"event":"pass","name":"adds ${index}"}\n`);
    await writeFile(events.path, begin + tests.join("") + end);
    const report = readTestEvents(await events.read());
    assert.ok(report);
    assert.equal(report.runner, "vitest 5");
    assert.equal(report.isComplete, true);
    assert.ok(report.counts.passed < 500);
    assert.match(report.notices.join(), /^\d+ of \d+ bytes of the reporter's output were not read/);
  });

  it("is nothing where the code that is tested put a link or a pipe in its place", async function () {
    if (!isPosix) this.skip();
    await using events = await createEventFile();
    await symlink("/etc/passwd", events.path);
    assert.equal(await events.read(), "");
    await rm(events.path);
    execFileSync("mkfifo", [events.path]);
    assert.equal(await events.read(), "");
  });
});
