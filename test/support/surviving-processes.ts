import { readdir, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const pollMs = 50;

/**
 * The command lines of processes that were started with `text` in their environment, by process id; waits up
 * to `graceMs` for there to be none. Linux only: elsewhere always empty.
 */
export async function survivingProcesses(text: string, graceMs = 10_000): Promise<ReadonlyMap<number, string>> {
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const found = await processesWith(text);
    if (found.size === 0 || waitedMs >= graceMs) return found;
    await pause(pollMs);
  }
}

async function processesWith(text: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  if (process.platform !== "linux") return found;
  for (const name of await readdir("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (!(await contentOf(pid, "environ")).includes(text)) continue;
    const words = await contentOf(pid, "cmdline");
    if (words !== "") found.set(pid, words.replaceAll("\0", " ").trim());
  }
  return found;
}

function contentOf(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}
