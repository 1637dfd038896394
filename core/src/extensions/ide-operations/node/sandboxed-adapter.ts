import type { ChildProcess } from "node:child_process";
import type { LspSandbox } from "../../../base/ide-operations/lsp-adapter-module.js";
import { askProgram } from "../../../base/node/ask-program.js";
import type { Confinement } from "../../../base/node/confinement.js";
import { startProgram } from "../../../base/node/start-program.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";

interface AdapterSandboxOptions {
  readonly confined: Confinement;
  readonly watchdog: Watchdog;
  /** Variables added to the adapter's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a folder's language-server adapter and its children in a sandbox. */
export function adapterSandbox({ confined, watchdog, env }: AdapterSandboxOptions): LspSandbox {
  return {
    start([command = "", ...args], input) {
      const options = { env: process.env, watchdog, confined, stdio: "pipe" } as const;
      const started = startProgram({ command, args, env }, options);
      if ("startError" in started) return Promise.resolve(started.startError);
      const { child } = started;
      child.once("exit", () => child.pid !== undefined && watchdog.remove(child.pid));
      return sign(child, input);
    },
    ask: (words, { cwd, env: inherited, signal }) =>
      askProgram(words, { cwd, env: inherited, signal, watchdog, confined, timeoutMs: Infinity }),
  };
}

/** Waits for `ready` or an error message. The adapter then runs on without keeping this process alive. */
async function sign(child: ChildProcess, input: string): Promise<string> {
  const streams = [child.stdin, child.stdout, child.stderr];
  for (const stream of streams) stream?.on("error", () => undefined);
  let said = "";
  const answered = new Promise<string>((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (chunk.includes("ready")) resolve("ready");
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (said = (said + chunk).slice(-2_000)));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(said.trim() || `it exited with code ${code ?? "unknown"}`));
  });
  child.stdin?.end(input);
  const answer = await answered;
  for (const stream of streams) stream?.destroy();
  child.unref();
  child.channel?.unref();
  return answer;
}
