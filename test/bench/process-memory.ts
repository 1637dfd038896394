import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const isLinux = process.platform === "linux";

/** Resident memory of a process in MiB; undefined where it cannot be told. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  if (isLinux) return statusValue(pid, "VmRSS");
  if (process.platform === "win32") return undefined;
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout.trim()) / 1_024;
}

/** The most that a process ever had, in MiB; undefined where the system does not keep it. */
export async function peakMemory(pid: number): Promise<number | undefined> {
  return isLinux ? statusValue(pid, "VmHWM") : undefined;
}

/** Resident memory of a process and its descendants, without those whose command line has one of `excluded`; Linux only. */
export async function treeMemory(root: number, ...excluded: readonly string[]): Promise<number | undefined> {
  if (!isLinux) return undefined;
  const parents = await parentsOfAll();
  let sum = 0;
  for (const pid of parents.keys()) {
    if (!descendsFrom(pid, root, parents)) continue;
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (pid !== root && excluded.some((part) => commandLine.includes(part))) continue;
    sum += (await statusValue(pid, "VmRSS")) ?? 0;
  }
  return sum;
}

async function statusValue(pid: number, name: "VmRSS" | "VmHWM"): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kib = new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1_024;
}

async function parentsOfAll(): Promise<ReadonlyMap<number, number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // The name in parentheses may hold anything; state and parent follow it.
    const parent = /^ \w (\d+)/.exec(stat.slice(stat.lastIndexOf(")") + 1))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  return parents;
}

function descendsFrom(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at !== 0; at = parents.get(at)) {
    if (at === root) return true;
  }
  return false;
}
