import type { LspSandbox } from "@symposium-dev/core";
import { askProgram, isInside, resolveCommand, systemLookup } from "@symposium-dev/core/node";

/** What a program said when it was asked for its version. */
interface ProbeResult {
  /** Whether it ended with exit code 0: the only proof, since some programs stand on PATH to say that they are missing. */
  readonly isOk: boolean;
  /** The first line of its output, or of its complaint. */
  readonly line: string;
}

export interface ProbeOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Runs it elsewhere, as in a sandbox; here when absent. Never rejects. */
  readonly ask?: LspSandbox["ask"] | undefined;
}

const timeoutMs = 15_000;

/** Runs a program that answers and ends, such as one with `--version`. Never rejects. */
export async function probe(
  words: readonly string[],
  { cwd, env, signal, ask = askProgram }: ProbeOptions,
): Promise<ProbeResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { code, stdout, stderr, fault = "" } = await ask(words, { cwd, env, signal: limit });
  const text = code === 0 ? stdout || stderr : stderr || fault;
  return { isOk: code === 0, line: text.trim().split("\n")[0]?.trim() ?? "" };
}

/**
 * Where a program stands on the PATH of `env`; undefined for nowhere. What stands in `distrusted`, such as the
 * `node_modules` of a workspace, does not count.
 */
export function programOnPath(name: string, env: NodeJS.ProcessEnv, distrusted?: string): string | undefined {
  const found = resolveCommand(name, systemLookup(env, "/"));
  return found !== undefined && distrusted !== undefined && isInside(found, distrusted) ? undefined : found;
}
