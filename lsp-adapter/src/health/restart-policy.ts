import { readFile } from "node:fs/promises";
import { askProgram, type ProcessEntry, readProcessTable } from "@symposium-dev/core/node";

const maxRestarts = 4;
const windowMs = 3 * 60_000;

/** Lets a server that ends by itself be started again, at most four times in three minutes. */
export class RestartPolicy {
  #ends: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** The server has ended, or did not start. */
  noteEnd(): void {
    this.#ends.push(this.now());
  }

  /** Whether it may be started now. */
  get isAllowed(): boolean {
    const since = this.now() - windowMs;
    this.#ends = this.#ends.filter((at) => at > since);
    return this.#ends.length <= maxRestarts;
  }

  /** How long until it may be started, in milliseconds; 0 when it may be now. */
  get waitMs(): number {
    if (this.isAllowed) return 0;
    const decisive = this.#ends[this.#ends.length - maxRestarts - 1] ?? 0;
    return decisive + windowMs - this.now();
  }

  /** Forgets what was, for a server that the user has just installed or configured. */
  reset(): void {
    this.#ends = [];
  }
}

/** Linux counts a process's memory in pages; every system that Node supports there has pages of this size or says so in `ps`. */
const pageBytes = 4096;

/** Bytes of memory that a process, its group and all their descendants hold; undefined where the system does not say. */
export async function treeMemory(leader: number): Promise<number | undefined> {
  const pids = membersOf(await readProcessTable(), leader);
  if (pids.length === 0) return undefined;
  const sizes = process.platform === "linux" ? await Promise.all(pids.map(residentOnLinux)) : await residentByPs(pids);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The ids of the group of `leader` and of the descendants of its members. */
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
