import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { askProgram } from "./ask-program.js";
import { systemCode } from "./atomic-write.js";

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

/** Every system's own: one of PATH could be a program that an agent has put there. */
const ps = "/bin/ps";

async function listProcesses(): Promise<string> {
  // One -o for each column: after a `=` POSIX takes the rest of the argument as the column's title.
  const columns = ["pid", "ppid", "pgid", "stat", "lstart"].flatMap((name) => ["-o", `${name}=`]);
  const { code, stdout } = await askProgram([ps, "-A", ...columns]);
  return code === 0 ? stdout : "";
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

/** Tells a process from every other one, also from a later one with its pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, comparable only; empty where the system does not say so cheaply, as on Windows. */
  readonly start: string;
  /** Where its pid means anything: the machine, and on Linux the container. */
  readonly place: string;
}

let own: Promise<ProcessIdentity> | undefined;

/** The identity of this process. */
export function ownIdentity(): Promise<ProcessIdentity> {
  own ??= startOf(process.pid).then((start) => ({ pid: process.pid, start, place: ownPlace() }));
  return own;
}

/** Whether the process still runs; "unknown" for one elsewhere, and where its pid may mean another one by now. */
export async function livenessOf({ pid, start, place }: ProcessIdentity): Promise<"alive" | "gone" | "unknown"> {
  if (place !== ownPlace()) return "unknown";
  const found = signalled(pid);
  if (found === "none") return "gone";
  const now = await startOf(pid);
  if (start !== "" && now !== "") return start === now ? "alive" : "gone";
  // One of our own user's that says no start where others do has ended, and waits for its parent to take notice.
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

/** Empty where the process is gone, or nobody says. */
async function startOf(pid: number): Promise<string> {
  if (process.platform === "win32") return "";
  return process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
}

/** Ticks since the machine started, and which start of the machine that was. */
function startFromProc(pid: number): string {
  try {
    const entry = parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return entry ? `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${entry.startedAt}` : "";
  } catch {
    return "";
  }
}

async function startFromPs(pid: number): Promise<string> {
  // The same text for everybody who asks, whatever their language and time zone.
  const given = { LC_ALL: "C", TZ: "UTC" };
  const { code, stdout } = await askProgram([ps, "-o", "lstart=", "-p", String(pid)], { given });
  return code === 0 ? stdout.trim() : "";
}

function ownPlace(): string {
  return createHash("sha256").update(`${hostname()} ${pidNamespace()}`).digest("hex").slice(0, 16);
}

/** Containers may share a host's name and folders, and still count their processes from 1. */
function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
