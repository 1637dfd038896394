import { setTimeout as delay } from "node:timers/promises";
import { type ProcessEntry, readProcessTable } from "../../../src/base/node/process-table.js";

const limitMs = 60_000;

/** Those of `pids` that still live. */
export async function survivingProcesses(pids: readonly number[]): Promise<number[]> {
  const alive = new Set((await readProcessTable()).map(({ pid }) => pid));
  return pids.filter((pid) => alive.has(pid));
}

/** Resolves with the survivors once there is none, or when a minute has passed. */
export async function awaitEnd(pids: readonly number[]): Promise<number[]> {
  const end = performance.now() + limitMs;
  for (;;) {
    const surviving = await survivingProcesses(pids);
    if (surviving.length === 0 || performance.now() > end) return surviving;
    await delay(20);
  }
}

/** All descendants of `pid`, whatever their group. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const table = await readProcessTable();
  const childrenOf = (parent: number): ProcessEntry[] => table.filter((entry) => entry.parent === parent);
  const found: number[] = [];
  for (let next = childrenOf(pid); next.length > 0; next = next.flatMap((entry) => childrenOf(entry.pid))) {
    found.push(...next.map((entry) => entry.pid));
  }
  return found;
}

/** Resolves with a descendant of `pid` that is none of `known`; rejects when there is none in a minute. */
export async function awaitDescendant(pid: number, known: readonly number[]): Promise<number> {
  for (const end = performance.now() + limitMs; performance.now() < end;) {
    const found = (await descendantsOf(pid)).find((one) => !known.includes(one));
    if (found !== undefined) return found;
    await delay(20);
  }
  throw new Error(`Process ${pid} has started nothing more in a minute.`);
}

/** Kills what a failed test may have left. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone, as it should be.
    }
  }
}
