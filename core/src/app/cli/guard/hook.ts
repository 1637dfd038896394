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

/** The exit code by which a hook refuses a call; the agent reads the reason on stderr. */
const refused = 2;

/**
 * `guard hook PATTERN…`: what agents with hooks ask before each command. What cannot be judged is refused. It reads nothing of ours but what
 * it is given, and so runs in a sandbox, too.
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
      reason = `It cannot be told whether the user's rules deny this command, so it is refused. ${plainText(messageOf(error), 4_000)}`;
    }
    if (reason === undefined) return 0;
    process.stderr.write(`${reason}\n`);
    return refused;
  },
});

/** The command of `{"tool_input": {"command": "git push"}}`. Throws where there is none. */
function commandOf(input: string): string {
  const { command } = asObject(asObject(JSON.parse(input))?.["tool_input"]) ?? {};
  if (typeof command !== "string") throw new Error("The agent has not said which command it is.");
  const { unread } = namedInCommand(command);
  if (unread !== undefined) throw new Error(`It cannot be read, since ${unread}: put it into a script.`);
  return command;
}

/** What the file denies by now. Rejects while some of its rules cannot be read. */
async function patternsIn(file: string): Promise<readonly string[]> {
  const mend = "Its user has to mend it; where the agent runs in a sandbox, it has to be restarted then.";
  const found = await readFile(file, "utf8").then(
    (content) => parseGuardFile(content, { file, isOfProject: false }),
    (error: unknown) => {
      throw new Error(`Rules in ${file} could not be read: ${messageOf(error)}. ${mend}`);
    },
  );
  if (found.mayLackRules) throw new Error(`Rules cannot be read: ${found.problems.join(" ")} ${mend}`);
  return denialsOf(found.rules.filter((rule) => rule.in === undefined)).command;
}
