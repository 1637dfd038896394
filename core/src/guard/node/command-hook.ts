import { createHash } from "node:crypto";
import type { Command } from "../../base/command.js";
import { asObject, type Members } from "../../base/rpc/json.js";
import { formatShellWords } from "../../base/shell-words.js";
import { selfCommand } from "../../base/node/self-command.js";

/** Time limit of the hook. Longer than Symposium takes to start on a busy machine, since a hook that times out denies nothing. */
const timeoutSeconds = 60;

/**
 * Shell code that runs the hook. Turns start failures and crashes into denials, since agents run the command after any other hook result.
 */
const refusing =
  '"$@"; code=$?; [ $code -eq 0 ] && exit 0; ' +
  '[ $code -eq 2 ] || echo "Symposium could not find out whether the rules of the user allow this command (code $code), so it is refused." >&2; ' +
  "exit 2";

interface HookedCommands {
  /** Patterns of the commands to deny. */
  readonly patterns: readonly string[];
  /** Path of the guard file if some of its rules are unreadable. */
  readonly unread: string | undefined;
}

/**
 * Configures an agent to call `guard hook` before each command; `withMembers` adds properties to the agent's configuration. Includes the
 * hook's hash, since the agent runs only hooks that its user has reviewed. Not supported on Windows, where no command line has the same
 * meaning in all shells.
 */
export function withHook(
  command: Command,
  { patterns, unread }: HookedCommands,
  withMembers: (members: (own: Members) => Members) => Command,
): Command {
  const own = selfCommand();
  const options = unread === undefined ? [] : [`--unread=${unread}`];
  const words = [own.command, ...own.args, "guard", "hook", ...options, "--", ...patterns];
  const line = formatShellWords({
    command: "/bin/sh",
    args: ["-c", refusing, "symposium-hook", ...words],
    env: own.env,
  });
  if (process.platform === "win32" || line === undefined) return command;
  return withMembers(({ hooks }) => {
    const given = asObject(hooks) ?? {};
    const before: readonly unknown[] = Array.isArray(given["PreToolUse"]) ? given["PreToolUse"] : [];
    const handler = { type: "command", command: line, timeout: timeoutSeconds };
    const key = `/<session-flags>/config.toml:pre_tool_use:${before.length}:0`;
    return {
      hooks: {
        ...given,
        PreToolUse: [...before, { matcher: "Bash", hooks: [handler] }],
        state: { ...asObject(given["state"]), [key]: { trusted_hash: hashOf(line) } },
      },
    };
  });
}

/** Returns the hook's hash, computed as the agent does: over all properties including defaults, sorted by name. */
function hashOf(line: string): string {
  const handler = { async: false, command: line, timeout: timeoutSeconds, type: "command" };
  const identity = { event_name: "pre_tool_use", hooks: [handler], matcher: "Bash" };
  return `sha256:${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`;
}
