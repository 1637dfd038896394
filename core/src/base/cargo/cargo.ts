import type { RunCommand } from "../runs/run.js";

/** One invocation of cargo. */
export type CargoCommand = Omit<RunCommand, "command">;

/** Why no cargo can run, whatever it is asked, and what helps. */
export interface UnusableCargo {
  readonly reason: string;
  readonly hint: string;
}

/** How a run of cargo ended: by itself, or `missing` when there is none that can run here, for a reason with a remedy. */
export type CargoText =
  | { readonly kind: "exited"; readonly exitCode: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: "missing"; readonly reason: string; readonly hint: string };

/** There is no program of that name. */
export const absentCargo: UnusableCargo = {
  reason: "it is not on the PATH",
  hint: "Install Rust from https://rustup.rs, or put cargo on the PATH of the editor.",
};

/** What rustup writes where its cargo cannot run; the last part of a pattern is the toolchain. */
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
 * Why the cargo that failed and wrote `text` is none, since rustup has nothing to run as cargo; undefined where it was cargo
 * that failed. The toolchain may depend on the folder, and the user may mend it at any time: so nobody asks beforehand.
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
