import { setTimeout as delay } from "node:timers/promises";
import { askProgram } from "./ask-program.js";
import { type ProcessEntry, readProcessTable } from "./process-table.js";
import { windowsProgram } from "./windows-program.js";

/** Time after which a process that survives SIGKILL, because it waits in the kernel, is left alone. */
const giveUpMs = 3_000;

export interface ProcessTree {
  /** Records the current descendants, so that they remain known after their parents exit. */
  observe(): Promise<void>;
  terminate(): void;
  kill(): void;
  /**
   * Terminates descendants after the process itself has exited; kills them after `graceMs`. Returns the pids that survived. Misses
   * descendants whose parents exited before they were observed.
   */
  endLeftovers(graceMs: number): Promise<readonly number[]>;
}

interface ProcessTreeOptions {
  /** Whether the process is a sandbox that kills its content when it exits. */
  readonly isConfined?: boolean;
}

/** Tree of a detached process. On POSIX, `pid` is also the id of its group and session. */
export function processTree(pid: number, { isConfined = false }: ProcessTreeOptions = {}): ProcessTree {
  return process.platform === "win32" ? new WindowsTree(pid) : new PosixTree(pid, isConfined);
}

class PosixTree implements ProcessTree {
  #members: ReadonlyMap<number, ProcessEntry> = new Map();
  /** Pids outside the tree at the last observation. A process can't join another session's groups, so they stay outside. */
  #outside: ReadonlySet<string> = new Set();

  constructor(
    private readonly leader: number,
    private readonly isConfined: boolean,
  ) {}

  async observe(): Promise<void> {
    const table = await readProcessTable();
    const members = findMembers(table, this.leader, this.#members);
    this.#members = members;
    this.#outside = new Set(table.flatMap(({ pid }) => (members.has(pid) ? [] : [String(pid)])));
  }

  terminate(): void {
    // Terminating the sandbox's leader would kill the sandbox's other processes immediately.
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
      const table = await readProcessTable(this.#outside);
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

/** Windows can't ask windowless processes to exit; `taskkill` finds descendants only while the process runs. */
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
 * Finds the processes in the leader's group or session, living `known` processes, and all their descendants. A known pid with another start
 * time is a different process.
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
    // The process has ended, or Symposium may not send signals to it.
  }
}
