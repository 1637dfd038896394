import { asObject } from "../../base/rpc/json.js";
import type { OpenAgent } from "../agent-connection.js";
import { WireValue } from "./wire-value.js";
import type { EditorServers } from "./wire.js";

export type AgentStart =
  | { readonly kind: "eliza"; readonly isDeterministic: boolean }
  /** Name of a built-in agent, id of a registry agent, or a shell command line. */
  | { readonly kind: "words"; readonly words: string }
  | {
      readonly kind: "command";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

/** Returns the opener of an agent's chain. `isRaw`: no proxies or servers, and the agent's own tools disabled if possible. */
export type ChainOpener = (start: AgentStart, isRaw: boolean, mcpServers?: EditorServers) => OpenAgent;

/** Returns a key that is equal for interchangeable chains. */
export function chainKey(start: AgentStart, isRaw: boolean): string {
  return JSON.stringify([start, isRaw]);
}

/** Reads an agent definition in all forms that clients have sent. Throws a `WireFault` that names the member. */
export function readAgentDefinition(value: unknown, path = "agent"): AgentStart {
  const agent = new WireValue(value, path);
  if (typeof agent.value === "string") return named(agent);
  const object = agent.object;
  if ("eliza" in object || "Eliza" in object) {
    const eliza = asObject(object["eliza"] ?? object["Eliza"]);
    return { kind: "eliza", isDeterministic: eliza?.["deterministic"] === true };
  }
  for (const wrapper of ["mcp_server", "McpServer", "mcpServer"]) {
    if (wrapper in object) return command(agent.member(wrapper));
  }
  if ("claude_code" in object || "ClaudeCode" in object) return { kind: "words", words: "claude-code" };
  if ("command" in object) return command(agent);
  return agent.refuse('an agent\'s id, {"eliza": {}}, or an object with "command", "args" and "env"');
}

function named(agent: WireValue): AgentStart {
  const words = agent.text.trim();
  if (words === "") return agent.refuse("an agent's id");
  if (words === "eliza") return { kind: "eliza", isDeterministic: false };
  return { kind: "words", words: /^claude_?code$/i.test(words) ? "claude-code" : words };
}

function command(agent: WireValue): AgentStart {
  const program = agent.member("command").text;
  const label = agent.member("name").optional(({ text }) => text) ?? agent.member("id").optional(({ text }) => text);
  return {
    kind: "command",
    name: label ?? program,
    command: program,
    args: agent.member("args").optional(({ list }) => list.map(({ text }) => text)) ?? [],
    env: agent.member("env").optional(environment) ?? {},
  };
}

/** Reads an object, or ACP's list of names and values. */
function environment(env: WireValue): Readonly<Record<string, string>> {
  if (!Array.isArray(env.value)) {
    return Object.fromEntries(Object.keys(env.object).map((name) => [name, env.member(name).text]));
  }
  return Object.fromEntries(env.list.map((entry) => [entry.member("name").text, entry.member("value").text]));
}
