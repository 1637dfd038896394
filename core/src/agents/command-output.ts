import type { ProcessComponent } from "../conductor/chain/component.js";
import type { CommandOutput } from "../settings/settings-table.js";

/**
 * What test runners, linters and installers read by themselves to write less of what helps nobody. None of it changes what a
 * command does, or leaves out what it finds; so there is no `PIP_QUIET`, with which `pip list` writes nothing, no `CI`,
 * with which snapshots are not written, and no `NODE_OPTIONS`, with which an agent on another Node does not start.
 */
const shortOutput: Readonly<Record<string, string>> = {
  // vitest, jest and oxlint write failures alone.
  AI_AGENT: "symposium",
  NO_COLOR: "1",
  RUFF_OUTPUT_FORMAT: "concise",
  npm_config_fund: "false",
  npm_config_progress: "false",
  npm_config_update_notifier: "false",
  PIP_PROGRESS_BAR: "off",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  UV_NO_PROGRESS: "1",
};

/** Variables with which a user asks for colour. */
const colourWishes = ["FORCE_COLOR", "CLICOLOR_FORCE"];

/**
 * An agent whose commands write in short. What its own entry or `inherited`, the environment that it gets anyway, says of
 * the same variables stays.
 */
export function withCommandOutput(
  agent: ProcessComponent,
  output: CommandOutput,
  inherited: Readonly<Record<string, string | undefined>>,
): ProcessComponent {
  if (output === "full") return agent;
  const { command } = agent;
  const isSet = (name: string): boolean => command.env[name] !== undefined || inherited[name] !== undefined;
  const added = Object.entries(shortOutput).filter(
    ([name]) => !isSet(name) && !(name === "NO_COLOR" && colourWishes.some(isSet)),
  );
  return { ...agent, command: { ...command, env: { ...Object.fromEntries(added), ...command.env } } };
}
