import { once } from "node:events";
import { text } from "node:stream/consumers";
import { messageOf } from "../../../base/symposium-error.js";
import type { Command } from "../../../base/command.js";
import type { Confinement } from "../../../node/confinement.js";
import { processTree } from "../../../node/process-tree.js";
import { startProgram } from "../../../node/start-program.js";

/** What a program in a sandbox has come to that was started to see whether that works. */
interface ProbeOutcome {
  readonly stdout: string;
  /** Why it is not known to have run, or to have succeeded: one line. */
  readonly fault?: string;
}

/** Runs a short program in a sandbox; whatever else this process does goes on meanwhile. Never rejects. */
export async function runProbe(command: Command, confined: Confinement, timeoutMs: number): Promise<ProbeOutcome> {
  const started = startProgram(command, { env: process.env, confined, stdio: ["ignore", "pipe", "pipe"] });
  if ("startError" in started) return { stdout: "", fault: started.startError };
  const { child } = started;
  const end = { isLate: false };
  const timer = setTimeout(() => {
    end.isLate = true;
    if (child.pid !== undefined) processTree(child.pid).kill();
    // Whoever left the group may still hold them.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, timeoutMs);
  const read = (stream: NodeJS.ReadableStream | null): Promise<string> =>
    stream ? text(stream).catch(() => "") : Promise.resolve("");
  try {
    const [[code], stdout, stderr] = await Promise.all([
      once(child, "exit") as Promise<[number | null]>,
      read(child.stdout),
      read(child.stderr),
    ]);
    if (end.isLate) return { stdout, fault: `it has not ended after ${timeoutMs / 1_000} s` };
    if (code === 0) return { stdout };
    return { stdout, fault: stderr.trim().split("\n", 1)[0] || `it ended with code ${code ?? "none"}` };
  } catch (error) {
    return { stdout: "", fault: messageOf(error) };
  } finally {
    clearTimeout(timer);
  }
}
