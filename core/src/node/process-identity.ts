import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { promisify } from "node:util";
import { parseStat } from "./process-table.js";
import { systemCode } from "./system-code.js";

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
  try {
    // The same text for everybody who asks, whatever their language and time zone.
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)], { env });
    return stdout.trim();
  } catch {
    return "";
  }
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
