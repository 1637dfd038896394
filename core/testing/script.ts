import { messageOf } from "../src/base/symposium-error.js";
import { Json } from "../src/base/rpc/json.js";
import { Outcome } from "../src/base/rpc/message.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";
import { clientCalls } from "./commands/client-calls.js";
import { endings, misbehaviour } from "./commands/misbehaviour.js";
import { reports } from "./commands/reports.js";
import type { ScriptCommand, ScriptCommands, ScriptTurn } from "./script-turn.js";

const commands: ScriptCommands = {
  help: {
    usage: "help: this list",
    run(turn) {
      for (const { usage } of Object.values(commands)) turn.say(usage);
      return undefined;
    },
  },
  ...reports,
  ...clientCalls,
  mcp: {
    usage:
      "mcp: says the MCP servers that the session got, one as JSON a line, without environment values, headers or queries",
    run(turn) {
      for (const server of redactedServers(turn.options.mcpServers)) turn.say(JSON.stringify(server));
      return undefined;
    },
  },
  full: {
    usage: "full: every update, and every question to the client that it has declared a capability for",
    async run(turn) {
      const outcome = await runScript(turn, fullScript(turn).join("\n"));
      return outcome.isError ? outcome : undefined;
    },
  },
  ...endings,
  ...misbehaviour,
};

/** The names of all commands. */
export const scriptCommandNames: readonly string[] = Object.keys(commands);

/**
 * Runs a prompt, one command a line, and resolves with the answer to it. Blank lines are skipped, an unknown
 * command ends the turn with -32602. Commands that need nobody's answer run before this function returns.
 */
export async function runScript(turn: ScriptTurn, script: string): Promise<Outcome> {
  for (const line of script.split("\n").map((text) => text.trim())) {
    if (line === "") continue;
    const [, name = "", argument = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
    const command = commandOf(name);
    if (command === undefined) return Outcome.error(unknownCommand(name));
    const given = step(command, turn, argument);
    const outcome = given instanceof Promise ? await given : given;
    if (turn.cancelledBy !== undefined) break;
    if (outcome !== undefined) return outcome;
  }
  return turn.ending;
}

/** Runs a command. Returns an error outcome if it throws or rejects. */
function step(command: ScriptCommand, turn: ScriptTurn, argument: string): ReturnType<ScriptCommand["run"]> {
  try {
    const given = command.run(turn, argument);
    return given instanceof Promise ? given.catch(failure) : given;
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): Outcome {
  return Outcome.error(RpcError.internal(messageOf(thrown)));
}

function commandOf(name: string): ScriptCommand | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

function unknownCommand(name: string): RpcError {
  return RpcError.invalidParams(`"${name}" is no command of the scripted agent. Send help for the list.`);
}

function fullScript(turn: ScriptTurn): string[] {
  const { clientCapabilities, cwd } = turn.options;
  return [
    ...["updates", "content", "tool_calls", "plan", "usage", "permission", "callbacks", "mcp"],
    ...("fs" in clientCapabilities ? [`fs ${cwd}/scripted-read.txt ${cwd}/scripted-write.txt`] : []),
    ...(clientCapabilities["terminal"] === true ? ["terminal node --version"] : []),
    ...("elicitation" in clientCapabilities ? ["elicitation"] : []),
  ];
}

/** The `mcpServers` of a session without what may be secret: values of variables and headers, and queries of URLs. */
function redactedServers(servers: Json): Readonly<Record<string, unknown>>[] {
  return elements(servers.value).map((server) => {
    const redacted = { ...server };
    if ("env" in server) redacted["env"] = names(server["env"]);
    if ("headers" in server) redacted["headers"] = names(server["headers"]);
    const url = server["url"];
    if (typeof url === "string") redacted["url"] = url.replace(/[?#].*$/, "");
    return redacted;
  });
}

function names(list: unknown): unknown[] {
  return elements(list).map((entry) => entry["name"]);
}

function elements(list: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.map((element: unknown) => Json.of(element).object ?? {}) : [];
}
