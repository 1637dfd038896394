import type { RunCommand } from "../runs/run.js";

export type CargoCommand = Omit<RunCommand, "command">;

export interface UnusableCargo {
  readonly reason: string;
  readonly hint: string;
}

/** Result of a cargo run: `exited`, or `missing` with reason and remedy if cargo can't run in the folder. */
export type CargoText =
  | { readonly kind: "exited"; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing"; readonly reason: string; readonly hint: string };

export const absentCargo: UnusableCargo = {
  reason: "it is not on the PATH",
  hint: "Install Rust from https://rustup.rs, or put cargo on the PATH of the editor.",
};

/** Errors that rustup prints if it can't run cargo. The last capture group is the toolchain. */
const reasons: readonly (readonly [pattern: RegExp, describe: (toolchain: string) => UnusableCargo])[] = [
  [
    /rustup could not choose a version of \S+ to run|no override and no default toolchain set/,
    () => ({ reason: "rustup has no default toolchain", hint: "Run `rustup default stable`." }),
  ],
  [
    /toolchain '([^']+)' is not installed/,
    (toolchain) => ({
      reason: `the toolchain ${toolchain} is not installed`,
      hint: `Run \`rustup toolchain install ${toolchain}\`.`,
    }),
  ],
  [
    /'cargo(?:\.exe)?' is not installed for the (?:custom )?toolchain '([^']+)'/,
    (toolchain) => ({
      reason: `the toolchain ${toolchain} has no cargo`,
      hint: `Run \`rustup component add cargo --toolchain ${toolchain}\`.`,
    }),
  ],
];

/**
 * Explains why rustup couldn't run cargo, based on the failed run's output `text`. Undefined if cargo itself failed. Not checked in
 * advance, because the toolchain depends on the folder and the user may install it at any time.
 */
export function unusableCargo(text: string): UnusableCargo | undefined {
  for (const line of text.split("\n")) {
    if (!line.startsWith("error: ")) continue;
    for (const [pattern, describe] of reasons) {
      const found = pattern.exec(line);
      if (found) return describe(found[1] ?? "");
    }
    return undefined;
  }
  return undefined;
}
