import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";
import { parseRecord } from "../../../../src/sessions/conversations/stored-record.js";
import { LockingProcess } from "../../../base/node/locking-process.js";

const script = fileURLToPath(new URL("conversation-child.js", import.meta.url));

describe("the file of a session whose process ends at any moment", function () {
  this.timeout(300_000);
  let folder = "";
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "killed-processes-"))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function fileOf(session: string): Promise<string> {
    const { id } = (await listSessions(folder)).find((one) => one.session === session) ?? { id: "none" };
    return readFile(join(folder, `${id}.jsonl`), "utf8");
  }

  for (const hundreds of [1, 2, 3, 7, 15, 30, 60, 90]) {
    it(`lacks what came last and nothing else when it is killed after ${hundreds} hundred updates, and is gone on with`, async () => {
      await using killed = new LockingProcess(script);
      await killed.does(`open ${folder} one`);
      const sure = Number(await killed.does("write 100"));
      // Each answer reports another hundred updates, even if they aren't on disk yet.
      await killed.does("flood");
      for (let hundred = 1; hundred < hundreds; hundred++) await killed.does("");
      await killed.kill();
      const left = await fileOf("one");
      const lines = left.split("\n");
      const torn = lines.pop() ?? "";
      assert.deepEqual(
        lines.filter((line) => !parseRecord(line)),
        [],
      );
      const kept = numbersIn(lines);
      assert.deepEqual(kept, countTo(kept.length));
      assert.ok(kept.length >= sure, `${kept.length} of ${sure} that were on disk`);

      await using next = new LockingProcess(script);
      await next.does(`open ${folder} one`);
      await next.does("write 3");
      assert.equal(await next.does("end"), "kept");
      const whole = await fileOf("one");
      const begun = parseRecord(torn) ? `${left}\n` : left.slice(0, left.length - torn.length);
      assert.ok(whole.startsWith(begun), "what was kept has changed");
      const added = whole.slice(begun.length).trimEnd().split("\n");
      assert.deepEqual(numbersIn(added), countTo(3));
      assert.deepEqual(
        added.map((line) => parseRecord(line)?.kind).filter((kind) => kind !== "said"),
        ["prompt", "update", "update", "update", "end"],
      );
    });
  }

  it("is of one session where two processes write two", async () => {
    await using one = new LockingProcess(script);
    await using two = new LockingProcess(script);
    await Promise.all([one.does(`open ${folder} one`), two.does(`open ${folder} two`)]);
    for (let round = 0; round < 5; round++) await Promise.all([one.does("write 40"), two.does("write 40")]);
    assert.deepEqual([await one.does("end"), await two.does("end")], ["kept", "kept"]);
    for (const session of ["one", "two"]) {
      const lines = (await fileOf(session)).trimEnd().split("\n");
      assert.deepEqual(numbersIn(lines), countTo(200));
      assert.ok(lines.every((line) => !line.includes("sessionId") || line.includes(`"sessionId":"${session}"`)));
    }
  });

  it("keeps what there was room for where the system refuses more, and its process goes on", async function () {
    if (process.platform === "win32") return this.skip(); // It has no limit for the size of files.
    // 200 blocks of 512 bytes; the signal is ignored, so that writes fail as on a full disk.
    const limited = ["/bin/sh", "-c", `trap "" XFSZ; ulimit -f 200; exec "${process.execPath}" "$0"`];
    await using full = new LockingProcess(script, limited);
    await full.does(`open ${folder} one`);
    assert.equal(await full.does("write 48"), "48");
    assert.equal(await full.does("write 400"), "448");
    assert.match((await full.does("end")) ?? "", /EFBIG|ENOSPC|too large/i);
    const lines = (await fileOf("one")).split("\n");
    const torn = lines.pop();
    assert.deepEqual(
      lines.filter((line) => !parseRecord(line)),
      [],
    );
    const kept = numbersIn(lines);
    assert.ok(kept.length >= 48 && kept.length < 448, `${kept.length} with ${String(torn?.length)} characters behind`);
    assert.deepEqual(kept, countTo(kept.length));
    await using next = new LockingProcess(script);
    await next.does(`open ${folder} one`);
    await next.does("write 3");
    assert.equal(await next.does("end"), "kept");
    assert.deepEqual(numbersIn((await fileOf("one")).split("\n")), [...kept, ...countTo(3)]);
  });
});

/** The numbers of the updates, in order. */
function numbersIn(lines: readonly string[]): readonly number[] {
  return lines.flatMap((line) => {
    const record = parseRecord(line);
    const number = record?.kind === "update" ? /"text":"(\d+):/.exec(line)?.[1] : undefined;
    return number === undefined ? [] : [Number(number)];
  });
}

function countTo(end: number): readonly number[] {
  return Array.from({ length: end }, (_value, index) => index);
}
