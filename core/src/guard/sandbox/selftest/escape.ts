/** One attempt to leave a sandbox, made inside of it. */
export interface Escape {
  /** The number that documents and tests know it by. */
  readonly row: string;
  /** In a few words. */
  readonly what: string;
  /**
   * A script of `sh` that fails where it is refused. It may use `$USER_HOME`, `$PROJECT`, `$STATE` (the agent's folder), `$OUTSIDE` (a
   * folder of the user's that is no workspace), `$CONDUCTOR` (a process id), `$PORT` (on 127.0.0.1 of the machine), `$SOCKET`,
   * `$ABSTRACT` (names of Unix sockets of the machine), `$MARKER` (a file's name in shared folders), and `$NODE`. What prints
   * `selftest-secret` has left the sandbox.
   */
  readonly script: string;
  /** What must not be there, or must not have changed, on the machine afterwards. */
  readonly leaves?: EscapeTrace;
  /** `refused`: nothing may have come of it but inside of the sandbox. `works`: programs need it. `listed`: it is not held, and documents say so. */
  readonly expected: "refused" | "works" | "listed";
  /** A script of `sh` that succeeds where what it needs is there. */
  readonly needs?: string;
}

/** What an escape would leave behind. */
export type EscapeTrace =
  /** This path exists; `~/`, `project/` and `state/` stand for the folders. */
  | { readonly made: string }
  /** One of these files has other contents, or is gone. */
  | { readonly changed: string | readonly string[] }
  /** A process whose command line is this and the id of our process. */
  | { readonly process: string };

/** How an attempt ended; `open` means that it left the sandbox. */
export type EscapeResult = "refused" | "inside" | "open" | "works" | "broken" | "not tried";

/** Judges an attempt by how its script ended, and by what is found afterwards. */
export function judgeEscape(
  { expected }: Pick<Escape, "expected">,
  { succeeded, hasLeft }: { readonly succeeded: boolean; readonly hasLeft: boolean },
): EscapeResult {
  if (expected === "works") return succeeded ? "works" : "broken";
  if (hasLeft) return "open";
  return succeeded ? "inside" : "refused";
}
