import { isDoneWithin } from "../until-aborted.js";
import type { Command } from "../command.js";
import { startProgram } from "./start-program.js";

interface DetachedOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly readyMs: number;
}

/** Starts a Symposium program that survives this process. Resolves with `ready`, or with the program's error output. */
export async function startDetached(command: Command, { env, input = "", readyMs }: DetachedOptions): Promise<string> {
  const started = startProgram(command, { env, stdio: "pipe", confined: "own program" });
  if ("startError" in started) return started.startError;
  const { child } = started;
  const streams = [child.stdin, child.stdout, child.stderr];
  let said = "";
  const answered = new Promise<string>((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (chunk.includes("ready")) resolve("ready");
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (said = (said + chunk).slice(-2_000)));
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(said.trim() || `it exited with code ${code ?? "unknown"}`));
  });
  for (const stream of streams) stream?.on("error", () => undefined);
  child.stdin?.end(input);
  const answer = await inTime(answered, readyMs);
  for (const stream of streams) stream?.destroy();
  child.unref();
  return answer;
}

/** Resolves like `answered`, or after `limitMs` with a timeout text. */
export async function inTime(answered: Promise<string>, limitMs: number): Promise<string> {
  return (await isDoneWithin(answered, limitMs)) ? answered : `no response within ${limitMs / 1_000} s`;
}
