import { homedir } from "node:os";
import { join } from "node:path";
import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { rowOfCommand } from "../client/agent-quirks.js";
import type { Command, StartProcess } from "../conductor/component.js";
import { GuardFiles } from "../guard/node/guard-files.js";
import { denialsOf } from "../guard/native-denials.js";
import { atomicWrite } from "../node/atomic-write.js";
import { configFolder } from "../node/own-program.js";
import type { Denials, NativeRules } from "../registry/native-rules.js";
import { asObject } from "../rpc/json.js";
import { JsonDocument } from "../settings/json-document.js";

/**
 * How agents start that take what the user's own rules deny by words, a file or a variable: `start` with that. A repository's
 * rules are none of them, and neither are those for one folder, since one process serves many folders. Never rejects.
 */
export async function startingWithDenials(
  logger: Logger,
  isSandboxed: boolean,
): Promise<(start: StartProcess) => StartProcess> {
  const config = configFolder(process.env, homedir());
  const rules = await new GuardFiles(config, homedir()).ownRules();
  const denied = denialsOf(rules.filter((rule) => rule.in === undefined));
  if (denied.command.length === 0) return (start) => start;
  const policy = join(config, "guard", "gemini-policy.toml");
  const isWritten = !isSandboxed && (await writePolicy(policy, denied, logger));
  return (start) => (name, command, handlers) =>
    start(name, withDenials(command, denied, isWritten ? policy : undefined), handlers);
}

/** The file of an agent that reads its rules from one. */
async function writePolicy(path: string, denied: Denials, logger: Logger): Promise<boolean> {
  const { geminiRules } = await import("../registry/native-rules.js");
  if (geminiRules.kind !== "file") return false;
  try {
    await atomicWrite(path, geminiRules.content(denied));
    return true;
  } catch (error) {
    logger.warn("the rules for Gemini were not written", { path, reason: messageOf(error) });
    return false;
  }
}

/** The start of an agent with denials; any other command as it was. */
function withDenials(command: Command, denied: Denials, policy: string | undefined): Command {
  const rules: NativeRules | undefined = rowOfCommand(command)?.nativeRules;
  switch (rules?.kind) {
    case "arguments":
      return { ...command, args: [...command.args, ...rules.words(denied)] };
    case "file":
      return policy === undefined ? command : { ...command, args: [...command.args, `${rules.option}=${policy}`] };
    case "config": {
      const { variable, members } = rules;
      const text = (command.env[variable] ?? process.env[variable] ?? "").trim();
      const own = text === "" ? {} : asObject(JsonDocument.parse(text).value);
      // The agent says itself what is wrong with it.
      if (!own) return command;
      return { ...command, env: { ...command.env, [variable]: JSON.stringify({ ...own, ...members(own, denied) }) } };
    }
    default:
      return command;
  }
}
