import { execFile } from "node:child_process";
import type { LspSandbox } from "@symposium-dev/core";
import { resolveCommand, systemLookup, toProgram, isInside } from "@symposium-dev/core/node";

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
  readonly ask?: LspSandbox["probe"] | undefined;
}

const timeoutMs = 15_000;

/** Runs a program that answers and ends, such as one with `--version`. Never rejects. */
export function probe(words: readonly string[], { cwd, env, signal, ask }: ProbeOptions): Promise<ProbeResult> {
  if (ask) return ask(words, { cwd, env, signal });
  const [command = "", ...args] = words;
  const program = toProgram({ command, args, env: {}, cwd }, env);
  if ("startError" in program) return Promise.resolve({ isOk: false, line: program.startError });
  return new Promise((resolve) => {
    execFile(
      program.file,
      program.args,
      {
        cwd,
        env: program.env,
        signal,
        timeout: timeoutMs,
        windowsHide: true,
        windowsVerbatimArguments: program.isVerbatim,
        maxBuffer: 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const text = error ? stderr || error.message : stdout || stderr;
        resolve({ isOk: error === null, line: text.trim().split("\n")[0]?.trim() ?? "" });
      },
    );
  });
}

/**
 * Where a program stands on the PATH of `env`; undefined for nowhere. What stands in `distrusted`, such as the
 * `node_modules` of a workspace, does not count.
 */
export function programOnPath(name: string, env: NodeJS.ProcessEnv, distrusted?: string): string | undefined {
  const found = resolveCommand(name, systemLookup(env, "/"));
  return found !== undefined && distrusted !== undefined && isInside(found, distrusted) ? undefined : found;
}
