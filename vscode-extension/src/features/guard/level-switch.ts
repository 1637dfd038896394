import type { CommandLine } from "../agents/command-line.js";

/** What it takes to have agents held otherwise. */
export interface LevelSwitch {
  readonly commandLine: Pick<CommandLine, "run">;
  /** An agent is held otherwise from its next start on. */
  readonly levelChanged: (spec: string) => void;
}

/** Writes how the agent that `spec` starts is held into the user's guard.jsonc. Rejects in the command's words. */
export async function setLevel({ commandLine, levelChanged }: LevelSwitch, spec: string, level: string): Promise<void> {
  await commandLine.run(["guard", "level", "--", spec, level]);
  levelChanged(spec);
}
