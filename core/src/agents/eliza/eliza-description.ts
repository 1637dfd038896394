import type { AvailableCommand, InitializeResponse } from "@agentclientprotocol/sdk/unstable";

/** Eliza's answer to `initialize`. */
export function describeEliza(version: string): InitializeResponse {
  return {
    protocolVersion: 1,
    agentInfo: { name: "eliza", title: "Eliza", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false, acp: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  };
}

/** The commands a session tells its client about. */
export const availableCommands: AvailableCommand[] = [
  { name: "help", description: "Says what Eliza understands" },
  {
    name: "tools",
    description: "Lists the tools of the session's MCP servers",
    input: { hint: "name of one server (all when empty)" },
  },
];
