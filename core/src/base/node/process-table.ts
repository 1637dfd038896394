import { attempt } from "../attempt.js";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { askProgram } from "./ask-program.js";
import { systemCode } from "./atomic-write.js";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Pid of the session leader; only available on Linux. */
  readonly session?: number;
  /** Start time that distinguishes a process from a later one with the same pid. Compare only for equality. */
  readonly startedAt: string;
}

const noPids: ReadonlySet<string> = new Set();

/**
 * Returns the running processes of a POSIX system, without zombies. Empty if they can't be listed. May leave out the pids in `known`, which
 * saves most of the time on Linux.
 */
export async function readProcessTable(known = noPids): Promise<readonly ProcessEntry[]> {
  return readProc(known) ?? parseProcessList(await listProcesses());
}

function readProc(known: ReadonlySet<string>): ProcessEntry[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && !known.has(name));
    return pids.map(readStat).filter((entry) => entry !== undefined);
  } catch {
    return undefined;
  }
}

function readStat(pid: string): ProcessEntry | undefined {
  try {
    // Node reads UTF-8 files in one native call. The name isn't used, so it may have other bytes.
    return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return undefined; // It ended meanwhile.
  }
}

/** Parses `/proc/PID/stat`, see proc(5). Undefined for a zombie. */
export function parseStat(text: string): ProcessEntry | undefined {
  // The second field is the program name in parentheses, which can itself contain spaces and parentheses.
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

/** Absolute path, because an agent could put another `ps` on PATH. */
const ps = "/bin/ps";

async function listProcesses(): Promise<string> {
  // One -o per column, because POSIX reads the rest of the argument after `=` as the column's title.
  const columns = ["pid", "ppid", "pgid", "stat", "lstart"].flatMap((name) => ["-o", `${name}=`]);
  const { code, stdout } = await askProgram([ps, "-A", ...columns]);
  return code === 0 ? stdout : "";
}

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

/** Identity of a process, valid even after its pid is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time, only for comparison. Empty if not cheaply available, as on Windows. */
  readonly start: string;
  /** Scope in which the pid is valid: the machine, and on Linux the container. */
  readonly place: string;
}

let own: Promise<ProcessIdentity> | undefined;

export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= startOf(process.pid).then((start) => ({ pid: process.pid, start, place: ownPlace() }));
  return own;
}

/**
 * Whether the process still runs. "unknown" for a process on another machine or in another container, and if the pid may have been reused.
 */
export async function livenessOf({ pid, start, place }: ProcessIdentity): Promise<"alive" | "gone" | "unknown"> {
  if (place !== ownPlace()) return "unknown";
  const found = signalled(pid);
  if (found === "none") return "gone";
  const now = await startOf(pid);
  if (start !== "" && now !== "") return start === now ? "alive" : "gone";
  // A user's process without a start time is a zombie that its parent hasn't reaped yet.
  return process.platform === "linux" && found === "ours" && start !== "" ? "gone" : "unknown";
}

function signalled(pid: number): "ours" | "somebody's" | "none" {
  try {
    process.kill(pid, 0);
    return "ours";
  } catch (error) {
    return systemCode(error) === "EPERM" ? "somebody's" : "none";
  }
}

/** Returns a process's start time; empty if the process is gone or its start time is unavailable. */
async function startOf(pid: number): Promise<string> {
  if (process.platform === "win32") return "";
  return process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
}

function startFromProc(pid: number): string {
  try {
    const entry = parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return entry ? `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${entry.startedAt}` : "";
  } catch {
    return "";
  }
}

async function startFromPs(pid: number): Promise<string> {
  // Fixed locale and time zone, so that all processes get the same text.
  const given = { LC_ALL: "C", TZ: "UTC" };
  const { code, stdout } = await askProgram([ps, "-o", "lstart=", "-p", String(pid)], { given });
  return code === 0 ? stdout.trim() : "";
}

function ownPlace(): string {
  return createHash("sha256").update(`${hostname()} ${pidNamespace()}`).digest("hex").slice(0, 16);
}

/** Returns this process's pid namespace. Containers may share a host name and folders but have separate pid namespaces. */
function pidNamespace(): string {
  return attempt(() => readlinkSync("/proc/self/ns/pid")) ?? "";
}
