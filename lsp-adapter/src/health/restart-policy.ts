import { readFile } from "node:fs/promises";
import { askProgram, type ProcessEntry, readProcessTable } from "@symposium-dev/core/node";

const maxRestarts = 4;
const windowMs = 3 * 60_000;

/** Limits restarts of a failing server to four in three minutes. */
export class RestartPolicy {
  #ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  noteEnd(): void {
    this.#ends.push(this.now());
  }

  get isAllowed(): boolean {
    const since = this.now() - windowMs;
    this.#ends = this.#ends.filter((at) => at > since);
    return this.#ends.length <= maxRestarts;
  }

  /** Milliseconds until the server may be started again; 0 if it may be started now. */
  get waitMs(): number {
    if (this.isAllowed) return 0;
    const decisive = this.#ends[this.#ends.length - maxRestarts - 1] ?? 0;
    return decisive + windowMs - this.now();
  }

  /** Clears the history after the user installed or configured the server. */
  reset(): void {
    this.#ends = [];
  }
}

/** Number of bytes per page in Linux's memory statistics. On systems with other page sizes, `ps` is used, which reports bytes. */
const pageBytes = 4096;

/** Returns the memory in bytes of a process, its group and all descendants; undefined if unknown. */
export async function treeMemory(leader: number): Promise<number | undefined> {
  const pids = membersOf(await readProcessTable(), leader);
  if (pids.length === 0) return undefined;
  const sizes = process.platform === "linux" ? await Promise.all(pids.map(residentOnLinux)) : await residentByPs(pids);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Returns the process ids of the group of `leader` and its members' descendants. */
export function membersOf(
  table: readonly Pick<ProcessEntry, "pid" | "parent" | "group">[],
  leader: number,
): readonly number[] {
  const members = new Set(table.filter(({ pid, group }) => pid === leader || group === leader).map(({ pid }) => pid));
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

async function residentOnLinux(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, "latin1").catch(() => "");
  return Number(text.split(" ")[1] ?? 0) * pageBytes;
}

async function residentByPs(pids: readonly number[]): Promise<readonly number[]> {
  const { code, stdout } = await askProgram(["/bin/ps", "-o", "rss=", "-p", pids.join(",")]);
  const sizes = code === 0 ? stdout.trim().split(/\s+/) : [];
  return sizes.map((kibibytes) => Number(kibibytes) * 1024);
}
