import { SymposiumError } from "../base/symposium-error.js";
import { defaultSettings, type Settings } from "../settings/settings-table.js";

/** How long a start may take, where no configuration says so. */
export const startupTimeoutOption = {
  "startup-timeout": {
    value: "SECONDS",
    about: `how long a component may take to answer initialize (${defaultSettings.startupTimeoutMs / 1_000})`,
  },
} as const;

const longestSeconds = 24 * 60 * 60;

/** What the option says, as a setting; nothing where it is not given. Throws `invalid-arguments` for what is no time. */
export function startupTimeoutOf(values: {
  readonly "startup-timeout"?: string;
}): Partial<Pick<Settings, "startupTimeoutMs">> {
  const text = values["startup-timeout"];
  if (text === undefined) return {};
  const seconds = Number(text);
  if (seconds > 0 && seconds <= longestSeconds) return { startupTimeoutMs: Math.ceil(seconds * 1_000) };
  throw new SymposiumError(
    "invalid-arguments",
    `--startup-timeout ${text} is no time.`,
    `Give seconds, more than 0 and at most ${longestSeconds}.`,
  );
}
