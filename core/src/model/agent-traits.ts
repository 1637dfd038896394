import { asObject } from "../rpc/json.js";

/** What an agent's answer to `initialize` says, as far as it matters to a language model. */
export interface AgentTraits {
  readonly name: string | undefined;
  readonly version: string | undefined;
  /** Whether prompts may have images. */
  readonly takesImages: boolean;
  /** Whether prompts may have embedded resources. */
  readonly takesResources: boolean;
  readonly canClose: boolean;
  readonly canFork: boolean;
  readonly isClaude: boolean;
  /** Whether its sessions have one set of MCP servers, by their names: then two sessions get each other's calls. */
  readonly sharesServers: boolean;
  /** `session`: `session/new` takes a `systemPrompt`; `claude`: it takes one in `_meta`, as Claude's adapter does. */
  readonly systemPrompt: "session" | "claude" | undefined;
}

/** Reads the result of `initialize`; what is missing counts as not there. */
export function readAgentTraits(result: Readonly<Record<string, unknown>>): AgentTraits {
  const capabilities = asObject(result["agentCapabilities"]);
  const prompt = asObject(capabilities?.["promptCapabilities"]);
  const session = asObject(capabilities?.["sessionCapabilities"]);
  const { name, version } = asObject(result["agentInfo"]) ?? {};
  const has = (capability: string): boolean => asObject(session?.[capability]) !== undefined;
  const isClaude =
    asObject(asObject(capabilities?.["_meta"])?.["claudeCode"]) !== undefined ||
    (typeof name === "string" && /\bclaude\b/i.test(name));
  return {
    name: typeof name === "string" ? name : undefined,
    version: typeof version === "string" ? version : undefined,
    takesImages: prompt?.["image"] === true,
    takesResources: prompt?.["embeddedContext"] === true,
    canClose: has("close"),
    canFork: has("fork"),
    isClaude,
    sharesServers: name === "OpenCode",
    systemPrompt: has("systemPrompt") ? "session" : isClaude ? "claude" : undefined,
  };
}
