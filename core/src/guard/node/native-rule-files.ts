import { join } from "node:path";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { rowOfCommand } from "../../agents/agent-quirks.js";
import type { StartProcess } from "../../base/component-process.js";
import type { Command } from "../../base/command.js";
import { GuardFiles, guardFileName } from "./guard-rule-files.js";
import { denialsOf } from "../native-denials.js";
import { atomicWrite } from "../../base/node/atomic-write.js";
import { configFolder } from "../../base/node/own-program.js";
import { agentTable } from "../../agents/registry/agent-table.js";
import type { Denials, NativeRules } from "../../agents/registry/native-rules.js";
import { asObject, type Members } from "../../base/rpc/json.js";
import { JsonDocument } from "../../settings/json-document.js";
import { withHook } from "./command-hook.js";

/**
 * Returns a wrapper that passes the organisation's and the user's deny rules to agents at their start: as arguments, in a file or in a variable. Skips the rules
 * of a repository or of one folder, since one process serves many folders; never rejects.
 */
export async function startingWithDenials(logger: Logger): Promise<(start: StartProcess) => StartProcess> {
  const config = configFolder();
  const files = new GuardFiles(config);
  const [organisation, { rules: own, mayLackRules }] = await Promise.all([files.organisation(), files.own()]);
  const rules = [...organisation.rules, ...own];
  const denied = denialsOf(rules.filter((rule) => rule.in === undefined));
  if (denied.command.length === 0) return mayLackRules ? startingWithHook() : (start) => start;
  const written = new Set<string>();
  for (const { nativeRules } of agentTable) {
    if (nativeRules?.kind !== "file") continue;
    const path = policyFile(config, nativeRules);
    try {
      await atomicWrite(path, nativeRules.content(denied));
      written.add(path);
    } catch (error) {
      logger.warn("couldn't write the rules for an agent", { path, reason: messageOf(error) });
    }
  }
  return (start) => (name, command, handlers) => {
    const rules = rowOfCommand(command)?.nativeRules;
    const isMissing = rules?.kind === "file" && !written.has(policyFile(config, rules));
    if (rules?.kind === "hook") return start(name, hooked(command, rules, denied.command, mayLackRules), handlers);
    return start(name, rules && !isMissing ? withDenials(command, rules, denied) : command, handlers);
  };
}

/** Used if no readable rule denies a command, but some rules are unreadable. Only agents with hooks can be protected in this case. */
function startingWithHook(): (start: StartProcess) => StartProcess {
  return (start) => (name, command, handlers) => {
    const rules = rowOfCommand(command)?.nativeRules;
    return start(name, rules?.kind === "hook" ? hooked(command, rules, [], true) : command, handlers);
  };
}

/** Returns a command that starts the agent with a hook that runs before each command. See {@link GuardFile} for `mayLackRules`. */
function hooked(
  command: Command,
  { variable }: Extract<NativeRules, { kind: "hook" }>,
  patterns: readonly string[],
  mayLackRules: boolean,
): Command {
  const unread = mayLackRules ? join(configFolder(), guardFileName) : undefined;
  return withHook(command, { patterns, unread }, (members) => withMembers(command, variable, members));
}

export function policyFile(config: string, { name }: Extract<NativeRules, { kind: "file" }>): string {
  return join(config, "guard", name);
}

/** Adds the denials to an agent's start command. Returns the command unmodified if the agent gets the denials with each session instead. */
function withDenials(command: Command, rules: NativeRules, denied: Denials): Command {
  switch (rules.kind) {
    case "arguments":
      return { ...command, args: [...command.args, ...rules.words(denied)] };
    case "file":
      return {
        ...command,
        args: [...command.args, `${rules.option}=${policyFile(configFolder(), rules)}`],
      };
    case "config":
      return withMembers(command, rules.variable, (own) => rules.members(own, denied));
    case "hook":
    case "session":
      return command;
  }
}

/**
 * Merges properties into the JSON object that an environment variable of `command` contains. Returns `command` unmodified if the variable
 * doesn't contain a JSON object.
 */
function withMembers(command: Command, variable: string, members: (own: Members) => Members): Command {
  const text = (command.env[variable] ?? process.env[variable] ?? "").trim();
  const own = text === "" ? {} : asObject(JsonDocument.parse(text).value);
  // Leave an invalid value unmodified, so that the agent itself reports it.
  if (!own) return command;
  return { ...command, env: { ...command.env, [variable]: JSON.stringify({ ...own, ...members(own) }) } };
}
