import type { SubcommandRunner } from "../agents/subcommand-runner.js";

export interface LevelSwitch {
  readonly commandLine: Pick<SubcommandRunner, "run">;
  /** Called after a change. The level applies from the agent's next start. */
  readonly levelChanged: (spec: string) => void;
}

/** Writes the protection level of the agent `spec` to the user's guard.jsonc. Rejects with the command's message. */
export async function setLevel({ commandLine, levelChanged }: LevelSwitch, spec: string, level: string): Promise<void> {
  await commandLine.run(["guard", "level", "--", spec, level]);
  levelChanged(spec);
}
