import { isatty } from "node:tty";
import type { Logger } from "../../base/logger.js";
import type { LoginEnvironmentUse } from "../settings-table.js";
import type { LoginEnvironmentOptions } from "../../base/node/ask-login-shell.js";

/** Overrides the setting; `off` for whatever is started with an environment that is complete. */
const useVariable = "SYMPOSIUM_LOGIN_ENVIRONMENT";

interface CompleteEnvironmentOptions extends Pick<LoginEnvironmentOptions, "platform" | "timeoutMs"> {
  /** Completed in place; this process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether one of the streams is a terminal. */
  readonly hasTerminal?: boolean;
  readonly logger?: Logger;
}

/**
 * Adds what the user's login shell sets to the environment of this process, so that programs are looked up, and
 * started, as in a terminal. With `auto` only after a start from the desktop, so that every other one waits for no
 * shell. The shell is asked once, for this process and all that it starts. Never rejects.
 */
export async function completeEnvironment(
  setting: LoginEnvironmentUse,
  options: CompleteEnvironmentOptions = {},
): Promise<void> {
  const { env = process.env, platform = process.platform, logger, timeoutMs } = options;
  const use = env[useVariable] ?? setting;
  // Streams are made when they are first asked for, which takes longer than to look.
  const hasTerminal = options.hasTerminal ?? (isatty(0) || isatty(2));
  if (use !== "always" && (use !== "auto" || !isStartedFromDesktop(env, platform, hasTerminal))) return;
  const { loginEnvironment } = await import("../../base/node/ask-login-shell.js");
  const complete = await loginEnvironment({
    env,
    platform,
    ...(logger && { logger }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  Object.assign(env, complete, { [useVariable]: "off" });
}

/**
 * Whether a desktop, not a shell, has made the environment: a sign of one is there, and neither a terminal nor the
 * level that shells count. Servers and build machines have no sign of a desktop, and editors that have asked the
 * shell themselves pass its level on. A shell that gave way to the session leaves the level 0.
 */
export function isStartedFromDesktop(env: NodeJS.ProcessEnv, platform: string, hasTerminal: boolean): boolean {
  if (hasTerminal || platform === "win32") return false;
  const { TERM: term = "", SHLVL: level = "0" } = env;
  if (level !== "0" || !["", "dumb", "linux"].includes(term)) return false;
  const signs =
    platform === "darwin"
      ? ["__CFBundleIdentifier", "XPC_SERVICE_NAME"]
      : ["WAYLAND_DISPLAY", "DISPLAY", "XDG_CURRENT_DESKTOP"];
  return signs.some((name) => (env[name] ?? "") !== "");
}
