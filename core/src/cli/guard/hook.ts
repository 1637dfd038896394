import { text } from "node:stream/consumers";
import { concerns } from "../../guard/command-pattern.js";
import { plainText } from "../../registry/registry-entry.js";
import { asObject } from "../../rpc/json.js";
import { subcommand } from "../subcommand.js";

/** The exit code by which a hook refuses a call; the agent reads the reason on stderr. */
const refused = 2;

/** `guard hook PATTERN…`: what agents with hooks ask before each command. It reads nothing of ours, and so runs in a sandbox, too. */
export const hook = subcommand({
  name: "guard hook",
  about: "Refuse the command on stdin, as agents with hooks write it, where one of the patterns denies it.",
  arguments: { "<PATTERN...>": "what is denied, as in guard.jsonc" },
  async run({ positionals: patterns }) {
    const command = commandOf(await text(process.stdin));
    const denied = patterns.find((pattern) => concerns(pattern, command));
    if (denied === undefined) return 0;
    process.stderr.write(`The user's rules deny this command: ${plainText(denied)}\n`);
    return refused;
  },
});

/** The command of `{"tool_input": {"command": "git push"}}`; empty where there is none. */
function commandOf(input: string): string {
  try {
    const { command } = asObject(asObject(JSON.parse(input))?.["tool_input"]) ?? {};
    return typeof command === "string" ? command : "";
  } catch {
    // What cannot be read is no command.
    return "";
  }
}
