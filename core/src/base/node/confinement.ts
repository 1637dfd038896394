import type { ChildProcess, StdioOptions } from "node:child_process";

/** A program as the operating system would be asked to start it. */
export interface PlainProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Variables of {@link env} that were written for this program. */
  readonly given: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdio: StdioOptions;
}

/** What is started in its place. */
export interface ConfinedProgram extends Omit<PlainProgram, "given"> {
  /** Called once: with the child, or without where it could not start. */
  started(child: ChildProcess | undefined): void;
  /** Why the sandbox ended it; undefined where it ended otherwise. To be asked once the child is gone. */
  fault?(): Promise<SandboxFault | undefined>;
}

/** Why a sandbox ended a program, with the remedy: before it had begun, or in the middle of its work. */
export type SandboxFault = { readonly startError: string } | { readonly endReason: string };

/** Holds the programs of an agent to a sandbox. Never throws: `startError` says why one may not start, and the remedy. */
export interface Confinement {
  confine(program: PlainProgram): ConfinedProgram | { readonly startError: string };
}

/** Where programs run without a sandbox although an agent may have one, and why: there are no other exceptions. */
type Outside =
  /** The setting `guard` is not `sandbox`. */
  | "not asked for"
  /** Signing in needs a browser, and a port that it comes back to. */
  | "sign-in"
  /** The address is the user's to open. */
  | "browser"
  /** A program of the system, which gets no word of an agent's. */
  | "key store"
  /** Our own program, such as the one that watches sandboxes from outside. */
  | "own program"
  /** It answers one question, in a minimal environment. */
  | "asked"
  /** The user's profile decides which environment programs get. */
  | "login shell"
  /** Whoever started this process has put it into a sandbox, where there is one. */
  | "started inside"
  /** The editor runs it, and asks by its own rules. */
  | "editor";

/** A sandbox, or why there is none. */
export type Confined = Confinement | Outside;
