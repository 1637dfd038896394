import type { InitializedAgent } from "../client/initialized-agent.js";
import { asObject } from "../rpc/json.js";

/** What matters of an agent to a language model. */
export interface AgentTraits {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Whether prompts may have images. */
  readonly takesImages: boolean;
  readonly canFork: boolean;
  readonly isClaude: boolean;
  /** Whether its sessions have one set of MCP servers, by their names: then two sessions get each other's calls. */
  readonly sharesServers: boolean;
  /** `session`: `session/new` takes a `systemPrompt`; `claude`: it takes one in `_meta`, as Claude's adapter does. */
  readonly systemPrompt: "session" | "claude" | undefined;
}

/** What is to be known of an agent that says this of itself. */
export function agentTraits({ name, version, accepts, canFork, result }: InitializedAgent): AgentTraits {
  const capabilities = result.agentCapabilities;
  const isClaude =
    asObject(capabilities?._meta?.["claudeCode"]) !== undefined || (name !== undefined && /\bclaude\b/i.test(name));
  const session = asObject(capabilities?.sessionCapabilities);
  const takesSystemPrompt = asObject(session?.["systemPrompt"]) !== undefined;
  return {
    name,
    version,
    takesImages: accepts.image,
    canFork,
    isClaude,
    sharesServers: name === "OpenCode",
    systemPrompt: takesSystemPrompt ? "session" : isClaude ? "claude" : undefined,
  };
}
