import { isatty } from "node:tty";
import type { Logger } from "../../base/logger.js";
import type { LoginEnvironmentUse } from "../settings-table.js";
import { remoteClientVariable } from "../../base/node/own-program.js";
import type { LoginEnvironmentOptions } from "../../base/node/ask-login-shell.js";

/** Environment variable that overrides the setting. Its value is `off` for programs that are started with a complete environment. */
const useVariable = "SYMPOSIUM_LOGIN_ENVIRONMENT";

interface CompleteEnvironmentOptions extends Pick<LoginEnvironmentOptions, "platform" | "timeoutMs"> {
  /** Environment to modify; by default, that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Whether standard input or standard error is a terminal. */
  readonly hasTerminal?: boolean;
  readonly logger?: Logger;
}

/**
 * Adds the login shell's variables to this process's environment, so that programs are found as in a terminal. `auto` does so only after a
 * start from the desktop or from another machine, so that other starts don't wait for a shell. Asks the shell once for this process and its children. Never
 * rejects.
 */
export async function completeEnvironment(
  setting: LoginEnvironmentUse,
  options: CompleteEnvironmentOptions = {},
): Promise<void> {
  const { env = process.env, platform = process.platform, logger, timeoutMs } = options;
  const use = env[useVariable] ?? setting;
  // Use `isatty`, since creating the stream objects is slower.
  const hasTerminal = options.hasTerminal ?? (isatty(0) || isatty(2));
  const isIncomplete = env[remoteClientVariable] !== undefined || isStartedFromDesktop(env, platform, hasTerminal);
  if (use !== "always" && (use !== "auto" || !isIncomplete)) return;
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
 * Returns whether a desktop created the environment instead of a shell: it has signs of a desktop, but no terminal and no shell level.
 * Servers have no such signs, and editors that asked the shell pass its level on. A shell replaced by the session leaves level 0.
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
