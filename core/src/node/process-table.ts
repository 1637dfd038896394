import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** One process of this machine. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The session's leader; only Linux tells. */
  readonly session?: number;
  /** Tells a process from a later one with the same pid; comparable, not readable. */
  readonly startedAt: string;
}

/** The living processes (zombies are not) of a POSIX system; empty when they cannot be listed. */
export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  return readProc() ?? parseProcessList(await listProcesses());
}

function readProc(): ProcessEntry[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map(readStat).filter((entry) => entry !== undefined);
  } catch {
    return undefined;
  }
}

function readStat(pid: string): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** Reads `/proc/PID/stat` as proc(5) describes it; undefined for a zombie. */
export function parseStat(text: string): ProcessEntry | undefined {
  // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startedAt = fields[19];
  if (state === undefined || /[ZXx]/.test(state) || startedAt === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt,
  };
}

async function listProcesses(): Promise<string> {
  // One -o for each column: after a `=` POSIX takes the rest of the argument as the column's title.
  const columns = ["pid", "ppid", "pgid", "stat", "lstart"].flatMap((name) => ["-o", `${name}=`]);
  try {
    const { stdout } = await promisify(execFile)("ps", ["-A", ...columns], { maxBuffer: 16 * 1024 * 1024 });
    return stdout;
  } catch {
    return "";
  }
}

/** Reads lines of `ps` with the columns pid, ppid, pgid, stat and lstart. */
export function parseProcessList(text: string): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of text.split("\n")) {
    const [, pid, parent, group, state = "", startedAt = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith("Z")) continue;
    entries.push({ pid: Number(pid), parent: Number(parent), group: Number(group), startedAt: startedAt.trim() });
  }
  return entries;
}
