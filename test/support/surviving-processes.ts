import { readdir, readFile } from "node:fs/promises";
import { poll } from "./until.js";

/**
 * The command lines of processes that were started with `text` in their environment, by process id; waits up
 * to `graceMs` (scaled) for there to be none. Linux only: elsewhere always empty.
 */
export async function survivingProcesses(text: string, graceMs = 10_000): Promise<ReadonlyMap<number, string>> {
  return poll(
    () => processesWith(text),
    (found) => found.size === 0,
    graceMs,
  );
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
