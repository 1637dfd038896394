import type { ProcessComponent } from "../conductor/chain/component.js";
import type { CommandOutput } from "../settings/settings-table.js";

/**
 * Variables that make test runners, linters and installers write less noise without changing their behavior or findings. Excluded:
 * `PIP_QUIET` silences `pip list`, `CI` prevents writing snapshots, and `NODE_OPTIONS` can break agents on another Node version.
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

const colourWishes = ["FORCE_COLOR", "CLICOLOR_FORCE"];

/**
 * Returns the agent with variables that shorten command output. Variables already set in its entry or in the `inherited` environment take
 * precedence.
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
