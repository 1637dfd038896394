import type { ChildProcess } from "node:child_process";
import { whenAborted } from "../base/until-aborted.js";
import type { LspSandbox } from "../ide-operations/lsp-adapter-module.js";
import type { Confinement } from "../node/confinement.js";
import { startProgram } from "../node/start-program.js";
import type { Watchdog } from "../node/watchdog.js";

const probeMs = 15_000;
/** Of what a program prints, that much is read. */
const maxOutput = 1024 * 1024;

interface AdapterSandboxOptions {
  readonly confined: Confinement;
  readonly watchdog: Watchdog;
  /** Added to what the adapter inherits. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the language-server adapter of one folder, with all that it starts, in a sandbox. */
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
    probe(words, { cwd, env: inherited, signal }) {
      const [command = "", ...args] = words;
      const options = { env: inherited, watchdog, confined, stdio: ["ignore", "pipe", "pipe"] } as const;
      const started = startProgram({ command, args, env: {}, cwd }, { ...options, stdio: [...options.stdio] });
      if ("startError" in started) return Promise.resolve({ isOk: false, line: started.startError });
      return answerOf(started.child, AbortSignal.any([signal, AbortSignal.timeout(probeMs)]), watchdog);
    },
  };
}

/** `ready`, or what the adapter said instead. It stays then, and keeps nobody from ending. */
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
    child.once("close", (code) => resolve(said.trim() || `it ended with exit code ${code ?? "unknown"}`));
  });
  child.stdin?.end(input);
  const answer = await answered;
  for (const stream of streams) stream?.destroy();
  child.unref();
  child.channel?.unref();
  return answer;
}

function answerOf(child: ChildProcess, signal: AbortSignal, watchdog: Watchdog): ReturnType<LspSandbox["probe"]> {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      if (output[name].length < maxOutput) output[name] += chunk;
    });
  }
  const kill = (): void => void child.kill("SIGKILL");
  whenAborted(signal, kill);
  return new Promise((resolve) => {
    const end = (isOk: boolean, text: string): void => {
      signal.removeEventListener("abort", kill);
      if (child.pid !== undefined) watchdog.remove(child.pid);
      resolve({ isOk, line: text.trim().split("\n")[0]?.trim() ?? "" });
    };
    child.once("error", (error) => end(false, error.message));
    child.once("close", (code) => {
      const { stdout, stderr } = output;
      end(code === 0, code === 0 ? stdout || stderr : stderr || `it ended with exit code ${code ?? "unknown"}`);
    });
  });
}
