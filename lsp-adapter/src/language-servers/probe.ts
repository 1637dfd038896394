import type { LspSandbox } from "@symposium-dev/core";
import { askProgram, isInside, resolveCommand, systemLookup } from "@symposium-dev/core/node";

interface ProbeResult {
  /**
   * Whether the exit code was 0. Only the exit code proves that the program is installed, since some programs in PATH do nothing but report
   * that they are missing.
   */
  readonly isOk: boolean;
  /** First line of the output or the error output. */
  readonly line: string;
}

export interface ProbeOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Runs the program elsewhere, for example in a sandbox; by default, it runs on this machine without a sandbox. Never rejects. */
  readonly ask?: LspSandbox["ask"] | undefined;
}

const timeoutMs = 15_000;

/** Runs a program that prints an answer and exits, such as with `--version`. Never rejects. */
export async function probe(
  words: readonly string[],
  { cwd, env, signal, ask = askProgram }: ProbeOptions,
): Promise<ProbeResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { code, stdout, stderr, fault = "" } = await ask(words, { cwd, env, signal: limit });
  const text = code === 0 ? stdout || stderr : stderr || fault;
  return { isOk: code === 0, line: text.trim().split("\n")[0]?.trim() ?? "" };
}

/** Returns a program's path in the PATH of `env`, or undefined. Ignores programs in `distrusted`, such as a workspace's `node_modules`. */
export function programOnPath(name: string, env: NodeJS.ProcessEnv, distrusted?: string): string | undefined {
  const found = resolveCommand(name, systemLookup(env, "/"));
  return found !== undefined && distrusted !== undefined && isInside(found, distrusted) ? undefined : found;
}
