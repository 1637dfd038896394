import type { ChildProcess, StdioOptions } from "node:child_process";

export interface PlainProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly given: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdio: StdioOptions;
}

export interface ConfinedProgram extends Omit<PlainProgram, "given"> {
  /** Called once with the child, or with undefined if the start failed. */
  started(child: ChildProcess | undefined): void;
  /** Returns the reason if the sandbox ended the program. Call after the child has exited. */
  fault?(): Promise<SandboxFault | undefined>;
}

/** Reason why a sandbox ended a program, with the remedy: before its start, or while it was running. */
export type SandboxFault = { readonly startError: string } | { readonly endReason: string };

/** Runs an agent's programs in a sandbox. Never throws; `startError` explains with a remedy why a program can't start. */
export interface Confinement {
  confine(program: PlainProgram): ConfinedProgram | { readonly startError: string };
}

/** Reasons to run a program unsandboxed although agents may be sandboxed. There are no other exceptions. */
type Outside =
  /** The `guard` setting isn't `sandbox`. */
  | "not asked for"
  /** The command belongs to the user, and judges agents from outside. */
  | "hook"
  /** Signing in requires a browser and a port for the redirect. */
  | "sign-in"
  | "browser"
  /** System program that gets no text from an agent. */
  | "key store"
  | "own program"
  /** The program answers a single question in a minimal environment. */
  | "asked"
  /** The user's profile determines the environment of all programs. */
  | "login shell"
  /** The parent process already applied the sandbox, if any. */
  | "started inside"
  /** The editor runs the program and applies its own rules. */
  | "editor";

export type Confined = Confinement | Outside;
