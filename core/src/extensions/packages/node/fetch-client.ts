import { redactText } from "../../../base/redact.js";
import { minimalEnvironment, packageClientVariables } from "../../../base/node/minimal-environment.js";
import type { Watchdog } from "../../../base/node/watchdog.js";
import { runProgram } from "../../../base/runs/node/run-program.js";
import { packageFault } from "../package-reader.js";

export interface FetchOptions {
  readonly watchdog: Watchdog | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Folders where agents write: no client is taken from there. */
  readonly notFrom?: readonly string[];
}

export interface FetchWish {
  readonly name: string;
  /** A version, a range or a tag; the newest when absent. */
  readonly version: string | undefined;
  /** The project whose configuration of the client counts. Absent for the user's own alone. */
  readonly project: string | undefined;
}

export interface Fetched {
  readonly version: string;
  /** Absolute, with `/` between its parts. */
  readonly folder: string;
  /** What ran, for people. */
  readonly command: string;
}

interface ClientRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface ClientResult {
  readonly stdout: string;
  /** Why it did not do it, in its own words without secrets; absent when it did. */
  readonly failure?: string;
  /** There is no such program. */
  readonly isMissing: boolean;
}

const timeoutMs = 120_000;

/**
 * Runs the user's client of an ecosystem to its end, outside of the sandbox and so in a minimal environment. Rejects only when it was
 * cancelled.
 */
export async function runClient(
  { command, args, cwd, env: own = {} }: ClientRun,
  { watchdog, env: full, notFrom = [] }: FetchOptions,
  signal: AbortSignal,
): Promise<ClientResult> {
  const said = { stdout: "", stderr: "" };
  const limits = {
    signal,
    timeoutMs,
    output: (text: string) => (said.stdout += text),
    errors: (text: string) => (said.stderr += text),
  };
  const env = minimalEnvironment(full, { more: packageClientVariables, notFrom });
  const options = { watchdog, env, terminationMs: 2_000, maxOutputBytes: 8 * 1024 * 1024 };
  const exit = await runProgram({ command, args: [...args], cwd, env: own }, limits, options);
  signal.throwIfAborted();
  const isMissing = exit.startError !== undefined;
  if (exit.code === 0) return { stdout: said.stdout, isMissing };
  const last = redactText((said.stderr.trim() || said.stdout.trim()).slice(-1_500));
  return { stdout: said.stdout, isMissing, failure: last || (exit.startError ?? `exit code ${exit.code}`) };
}

/** What can be no version, range or tag of a registry is no wish of ours: folders, archives and addresses would run scripts. */
const versionForm = /^(?![ .-])(?!.*\.(?:tgz|tar|tar\.gz)$)[\w.+!~^<>=*|, -]{1,100}$/i;

/** Throws for what names no version, range or tag. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || versionForm.test(version)) return;
  throw packageFault(
    `version: ${JSON.stringify(version)} is no version, range or tag.`,
    'Give one such as "4.1.0" or "^4".',
  );
}
