import { createHash } from "node:crypto";
import type { Command } from "../../base/command.js";
import { asObject, type Members } from "../../base/rpc/json.js";
import { formatShellWords } from "../../base/shell-words.js";
import { selfCommand } from "../../base/node/self-command.js";

/** Longer than a start of ours takes on a machine under load; a hook that takes longer refuses nothing. */
const timeoutSeconds = 60;

/** Agents run a command whose hook ends in any other way than a refusal, so what does not start or breaks becomes one. */
const refusing =
  '"$@"; code=$?; [ $code -eq 0 ] && exit 0; ' +
  '[ $code -eq 2 ] || echo "Symposium could not find out whether the rules of the user allow this command (code $code), so it is refused." >&2; ' +
  "exit 2";

interface Asked {
  /** What is denied. */
  readonly patterns: readonly string[];
  /** The file of rules, where some of them could not be read. */
  readonly unread: string | undefined;
}

/**
 * The start of an agent that asks `guard hook` before each command; `withMembers` puts members into its configuration. The agent runs
 * hooks that its user has looked at, which it knows by a hash, so that ours comes with its own. Windows has no words for it that every
 * shell there reads alike.
 */
export function withHook(
  command: Command,
  { patterns, unread }: Asked,
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

/** As the agent computes it: of all members with their defaults, in the order of their names. */
function hashOf(line: string): string {
  const handler = { async: false, command: line, timeout: timeoutSeconds, type: "command" };
  const identity = { event_name: "pre_tool_use", hooks: [handler], matcher: "Bash" };
  return `sha256:${createHash("sha256").update(JSON.stringify(identity)).digest("hex")}`;
}
