export interface Escape {
  /** Number of the attempt, used in the documentation and in tests. */
  readonly row: string;
  readonly what: string;
  /**
   * `sh` script that fails if the sandbox refuses the attempt; printing `selftest-secret` means an escape. Variables:
   * - `$USER_HOME`, `$PROJECT` and `$NODE`
   * - `$STATE`: the agent's folder
   * - `$OUTSIDE`: a user folder outside the workspace
   * - `$CONDUCTOR`: a process id
   * - `$PORT`: a port on the machine's 127.0.0.1
   * - `$SOCKET` and `$ABSTRACT`: names of the machine's Unix sockets
   * - `$MARKER`: a file name in shared folders
   */
  readonly script: string;
  readonly leaves?: EscapeTrace;
  /** `refused`: no effect outside the sandbox. `works`: programs need it. `listed`: a documented gap. */
  readonly expected: "refused" | "works" | "listed";
  /** `sh` script that succeeds if the attempt can be made on this machine. */
  readonly needs?: string;
}

export type EscapeTrace =
  /** A path that exists after an escape; it may start with `~/`, `project/` or `state/`. */
  | { readonly made: string }
  | { readonly changed: string | readonly string[] }
  /** A process that runs after an escape. Its command line consists of this text and Symposium's process id. */
  | { readonly process: string };

/** Result of an escape attempt; `open` means that the attempt left the sandbox. */
export type EscapeResult = "refused" | "inside" | "open" | "works" | "broken" | "not tried";

export function judgeEscape(
  { expected }: Pick<Escape, "expected">,
  { succeeded, hasLeft }: { readonly succeeded: boolean; readonly hasLeft: boolean },
): EscapeResult {
  if (expected === "works") return succeeded ? "works" : "broken";
  if (hasLeft) return "open";
  return succeeded ? "inside" : "refused";
}
