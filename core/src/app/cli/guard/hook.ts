import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { messageOf } from "../../../base/symposium-error.js";
import { concerns } from "../../../guard/command-pattern.js";
import { parseGuardFile } from "../../../guard/guard-rule.js";
import { denialsOf } from "../../../guard/native-denials.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { asObject } from "../../../base/rpc/json.js";
import { namedInCommand } from "../../../base/safety/named-programs.js";
import { subcommand } from "../subcommand.js";

/** Exit code by which a hook denies a call. The agent reads the reason from stderr. */
const refused = 2;

/**
 * `guard hook PATTERN…`: agents with hooks run this before each command. Denies commands that it can't judge. Reads only its arguments and
 * input, so it also works inside a sandbox.
 */
export const hook = subcommand({
  name: "guard hook",
  about: "Refuse the command on stdin, as agents' hooks write it, if one of the patterns matches.",
  arguments: { "[PATTERN...]": "patterns to deny, as in guard.jsonc" },
  options: {
    unread: {
      value: "FILE",
      about: "a guard.jsonc with unreadable rules: refuse every command until it is fixed",
    },
  },
  async run({ values, positionals }) {
    let reason: string | undefined;
    try {
      const command = commandOf(await text(process.stdin));
      const added = values.unread === undefined ? [] : await patternsIn(values.unread);
      const denied = [...positionals, ...added].find((pattern) => concerns(pattern, command));
      if (denied !== undefined) reason = `The user's rules deny this command: ${plainText(denied)}`;
    } catch (error) {
      reason = `Symposium can't tell whether the user's rules deny this command, so it is refused. ${plainText(messageOf(error), 4_000)}`;
    }
    if (reason === undefined) return 0;
    process.stderr.write(`${reason}\n`);
    return refused;
  },
});

/** Extracts the command from `{"tool_input": {"command": "git push"}}`. Throws if it is missing. */
function commandOf(input: string): string {
  const { command } = asObject(asObject(JSON.parse(input))?.["tool_input"]) ?? {};
  if (typeof command !== "string") throw new Error("The agent did not send the command.");
  const { unread } = namedInCommand(command);
  if (unread !== undefined) throw new Error(`The command can't be parsed, because ${unread}. Put it into a script.`);
  return command;
}

/** Returns the denied command patterns in the rules file. Rejects if some of the file's rules can't be read. */
async function patternsIn(file: string): Promise<readonly string[]> {
  const mend = "The user has to fix the file. If the agent runs in a sandbox, it must be restarted afterwards.";
  const found = await readFile(file, "utf8").then(
    (content) => parseGuardFile(content, { file, isOfProject: false }),
    (error: unknown) => {
      throw new Error(`Rules in ${file} could not be read: ${messageOf(error)}. ${mend}`);
    },
  );
  if (found.mayLackRules) throw new Error(`Rules cannot be read: ${found.problems.join(" ")} ${mend}`);
  return denialsOf(found.rules.filter((rule) => rule.in === undefined)).command;
}
