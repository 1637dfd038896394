import { redactText } from "../../../base/redact.js";
import { minimalEnvironment, packageClientVariables } from "../../../base/node/minimal-environment.js";
import type { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { runProgram } from "../../../base/runs/node/run-program.js";
import { packageFault } from "../package-reader.js";

export interface FetchOptions {
  readonly watchdog: Watchdog | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Folders that agents can write to; package clients in these folders are never run. */
  readonly notFrom?: readonly string[];
}

export interface FetchWish {
  readonly name: string;
  /** A version, range or tag; undefined for the newest version. */
  readonly version: string | undefined;
  /** Project whose package client configuration applies; undefined to use only the user's configuration. */
  readonly project: string | undefined;
}

export interface Fetched {
  readonly version: string;
  /** Absolute path of the downloaded package, with `/` as separator. */
  readonly folder: string;
  /** Executed command, for display. */
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
  /** Error output of the package client, with secrets removed; undefined on success. */
  readonly failure?: string;
  /** Whether the client isn't installed. */
  readonly isMissing: boolean;
}

const timeoutMs = 120_000;

/** Runs a package client outside the sandbox, therefore with a minimal environment. Rejects only if cancelled. */
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

/** Matches only registry versions, ranges and tags, since folders, archives and URLs could run scripts. */
const versionForm = /^(?![ .-])(?!.*\.(?:tgz|tar|tar\.gz)$)[\w.+!~^<>=*|, -]{1,100}$/i;

/** Throws if the text isn't a version, range or tag. */
export function checkVersion(version: string | undefined): void {
  if (version === undefined || versionForm.test(version)) return;
  throw packageFault(
    `version: ${JSON.stringify(version)} isn't a version, range or tag.`,
    'Give one such as "4.1.0" or "^4".',
  );
}
