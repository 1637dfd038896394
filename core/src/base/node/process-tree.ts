import { setTimeout as delay } from "node:timers/promises";
import { askProgram } from "./ask-program.js";
import { type ProcessEntry, readProcessTable } from "./process-table.js";
import { windowsProgram } from "./windows-program.js";

/** After that long a member that ignores SIGKILL (it waits in the kernel) is left alone. */
const giveUpMs = 3_000;

/** A process that we started, with its descendants. */
export interface ProcessTree {
  /** Takes down the descendants of now, so that they are still known once their parents are gone. */
  observe(): Promise<void>;
  /** Asks all of it to end. */
  terminate(): void;
  kill(): void;
  /**
   * Ends what outlived the process itself, which must be gone: asks, and kills after `graceMs`. Returns the pids that
   * could not be ended. A descendant whose parents had ended before it was observed is not found.
   */
  endLeftovers(graceMs: number): Promise<readonly number[]>;
}

interface ProcessTreeOptions {
  /** The process holds what it was started for in a sandbox, and all of it is killed when the process ends. */
  readonly isConfined?: boolean;
}

/** The tree of a process that was started detached: on POSIX `pid` is the id of its group and session too. */
export function processTree(pid: number, { isConfined = false }: ProcessTreeOptions = {}): ProcessTree {
  return process.platform === "win32" ? new WindowsTree(pid) : new PosixTree(pid, isConfined);
}

class PosixTree implements ProcessTree {
  /** As last seen, by pid. */
  #members: ReadonlyMap<number, ProcessEntry> = new Map();

  constructor(
    private readonly leader: number,
    private readonly isConfined: boolean,
  ) {}

  async observe(): Promise<void> {
    this.#members = findMembers(await readProcessTable(), this.leader, this.#members);
  }

  terminate(): void {
    // The leader of a sandbox would take the others with it at once.
    const asked = this.isConfined ? [...this.#members.keys()].filter((pid) => pid !== this.leader) : [];
    for (const pid of asked) send(pid, "SIGTERM");
    if (asked.length === 0) send(-this.leader, "SIGTERM");
  }

  kill(): void {
    send(-this.leader, "SIGKILL");
  }

  async endLeftovers(graceMs: number): Promise<readonly number[]> {
    const start = performance.now();
    const asked = new Set<number>();
    for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
      const table = await readProcessTable();
      const isReused = table.some(({ pid }) => pid === this.leader);
      this.#members = findMembers(table, isReused ? undefined : this.leader, this.#members);
      const elapsed = performance.now() - start;
      if (this.#members.size === 0 || elapsed > giveUpMs) return [...this.#members.keys()];
      for (const pid of this.#members.keys()) {
        if (elapsed >= graceMs) send(pid, "SIGKILL");
        else if (!asked.has(pid)) send(pid, "SIGTERM");
        asked.add(pid);
      }
      await delay(pauseMs);
    }
  }
}

/** Windows has no way to ask a process without a window; `taskkill` finds descendants only while the process lives. */
class WindowsTree implements ProcessTree {
  constructor(private readonly pid: number) {}

  observe(): Promise<void> {
    return Promise.resolve();
  }

  terminate(): void {
    void askProgram([windowsProgram("taskkill.exe"), "/pid", String(this.pid), "/T", "/F"]);
  }

  kill(): void {
    send(this.pid, "SIGKILL");
  }

  endLeftovers(): Promise<readonly number[]> {
    return Promise.resolve([]);
  }
}

/**
 * The processes of `table` in the group or session of `leader`, those of `known` that still live, and all descendants
 * of these. A process with the pid of a known one and another start is a stranger.
 */
export function findMembers(
  table: readonly ProcessEntry[],
  leader: number | undefined,
  known: ReadonlyMap<number, ProcessEntry>,
): ReadonlyMap<number, ProcessEntry> {
  const members = new Map<number, ProcessEntry>();
  const children = new Map<number, ProcessEntry[]>();
  const found: ProcessEntry[] = [];
  for (const entry of table) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
    const isOurs = leader !== undefined && (entry.group === leader || entry.session === leader);
    if (isOurs || known.get(entry.pid)?.startedAt === entry.startedAt) found.push(entry);
  }
  for (let entry = found.pop(); entry !== undefined; entry = found.pop()) {
    if (members.has(entry.pid)) continue;
    members.set(entry.pid, entry);
    found.push(...(children.get(entry.pid) ?? []));
  }
  return members;
}

function send(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or no longer ours to signal.
  }
}
