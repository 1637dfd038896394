import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseProcessList, parseStat, type ProcessEntry } from "../../../src/base/node/process-table.js";
import { findMembers, processTree } from "../../../src/base/node/process-tree.js";
import { survivingProcesses } from "./surviving-processes.js";

const entry = (pid: number, parent: number, group: number, startedAt = "1"): ProcessEntry => ({
  pid,
  parent,
  group,
  startedAt,
});
const pids = (
  table: readonly ProcessEntry[],
  leader: number | undefined,
  known: readonly ProcessEntry[] = [],
): number[] =>
  [...findMembers(table, leader, new Map(known.map((each) => [each.pid, each]))).keys()].sort((a, b) => a - b);

describe("findMembers", () => {
  it("finds the group and descendants in groups of their own, and no one else", () => {
    const table = [
      entry(1, 0, 1),
      entry(10, 1, 10),
      entry(11, 10, 10),
      entry(12, 11, 12),
      entry(13, 12, 12),
      entry(20, 1, 20),
    ];
    assert.deepEqual(pids(table, 10), [10, 11, 12, 13]);
  });

  it("finds who changed the group within the session", () => {
    assert.deepEqual(
      pids(
        [
          { ...entry(14, 1, 14), session: 10 },
          { ...entry(15, 1, 15), session: 9 },
        ],
        10,
      ),
      [14],
    );
  });

  it("still knows a member whose parents are gone, but not a stranger with its pid", () => {
    const known = [entry(12, 11, 12, "5"), entry(13, 12, 12, "6")];
    assert.deepEqual(
      pids([entry(12, 1, 12, "5"), entry(13, 1, 40, "77"), entry(30, 12, 30)], undefined, known),
      [12, 30],
    );
  });
});

describe("a process tree", () => {
  it("ends processes that started after the observation", async function () {
    if (process.platform === "win32") return this.skip(); // Windows ends no leftovers.
    const script = "read line; sleep 1000 & echo $!";
    const leader = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
    const tree = processTree(leader.pid ?? 0);
    await tree.observe();
    leader.stdin.end("\n");
    const [[line]] = (await Promise.all([once(leader.stdout, "data"), once(leader, "exit")])) as [[Buffer], unknown];
    const started = [Number(line.toString())];
    assert.deepEqual(await survivingProcesses(started), started);
    assert.deepEqual(await tree.endLeftovers(0), []);
    assert.deepEqual(await survivingProcesses(started), []);
  });
});

describe("parseStat", () => {
  const stat = (name: string, state: string): string =>
    `42 (${name}) ${state} 7 40 39 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 98765 1 1`;

  it("reads a process whose name holds spaces and parentheses", () => {
    const expected = { pid: 42, parent: 7, group: 40, session: 39, startedAt: "98765" };
    assert.deepEqual(parseStat(stat("a) R 1 (b", "S")), expected);
  });

  it("does not count a zombie", () => assert.equal(parseStat(stat("node", "Z")), undefined));
});

describe("parseProcessList", () => {
  it("reads the lines of ps and skips zombies", () => {
    const text = "    1     0     1 Ss   Sat Nov 21 09:13:12 2026\n   50    1    49 Z+   Sat Nov 21 09:13:13 2026\n\n";
    assert.deepEqual(parseProcessList(text), [{ pid: 1, parent: 0, group: 1, startedAt: "Sat Nov 21 09:13:12 2026" }]);
  });
});
