// Which processes a part of the tests has started, and how they are ended.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const pollMs = 100;

/** The processes below `pid`, itself left out, by id. Elsewhere than on Linux and macOS none are found. */
export function descendantsOf(pid) {
  const children = Map.groupBy?.(parents(), ([, parent]) => parent) ?? grouped(parents());
  const found = [];
  for (const queue = [pid]; queue.length > 0;) {
    for (const [child] of children.get(queue.shift()) ?? []) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(row[1], [...(groups.get(row[1]) ?? []), row]);
  return groups;
}

/** Every process with its parent. */
function parents() {
  if (process.platform === "win32") return [];
  if (process.platform === "linux") {
    return pids().flatMap((pid) => {
      const after = read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
      return after.length > 1 ? [[pid, Number(after[1])]] : [];
    });
  }
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
}

/**
 * The command lines, by id, of processes that live below the folder `folder`: their environment, their command line or their
 * working folder names it. Waits up to `graceMs` for there to be none. Linux only.
 */
export async function survivors(folder, graceMs) {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const found = process.platform === "linux" ? pids().flatMap((pid) => survivor(pid, folder)) : [];
    if (found.length === 0 || waitedMs >= graceMs) return new Map(found);
    await pause(pollMs);
  }
}

function survivor(pid, folder) {
  if (pid === process.pid || isOfAnother(pid)) return [];
  const words = read(pid, "cmdline");
  if (words === "" || ![read(pid, "environ"), words, workingFolder(pid)].some((text) => text.includes(folder)))
    return [];
  return [[pid, words.replaceAll("\0", " ").trim()]];
}

/**
 * Whether a process belongs to another user, such as a shell opened in the folder from outside. No part started such a process, and this
 * process couldn't end it.
 */
function isOfAnother(pid) {
  const user = process.getuid();
  const owner = /^Uid:\s+(\d+)/m.exec(read(pid, "status"))?.[1];
  return user !== 0 && owner !== undefined && Number(owner) !== user;
}

function pids() {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has ended meanwhile, or it is somebody else's.
    return "";
  }
}

function workingFolder(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Sends a signal to processes, of which some may have ended. */
export function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // The process has ended, and another user's process may have its number.
      if (error.code !== "ESRCH" && error.code !== "EPERM") throw error;
    }
  }
}
