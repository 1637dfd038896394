import { mcpMethods, metaKeys, statelessVersion } from "../../base/mcp/wire.js";
import type { Connection } from "../../base/rpc/connection.js";
import { asObject } from "../../base/rpc/json.js";
import { type Outcome, Request } from "../../base/rpc/message.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { PlaceNames } from "./failure.js";

const answerMs = 2_000;
const clientInfo = { name: "symposium-acp-agent", version: "1" };

const firstMessages: readonly Request[] = [
  Request.of(mcpMethods.initialize, { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
  Request.of(mcpMethods.discover, {
    _meta: {
      [metaKeys.protocolVersion]: statelessVersion,
      [metaKeys.clientCapabilities]: {},
      [metaKeys.clientInfo]: clientInfo,
    },
  }),
];

/**
 * Whether an error may be an MCP server's response to ACP's first message: an unknown method, or parameters missing for MCP's `initialize`,
 * as reported by the official SDKs.
 */
export function mayBeOfMcpServer(outcome: Outcome): boolean {
  const { code, message } = (outcome.isError && outcome.json.object) || {};
  const isRefusal = code === rpcErrorCodes.methodNotFound || code === rpcErrorCodes.invalidParams;
  return isRefusal || (typeof message === "string" && /clientInfo|protocolVersion/.test(message));
}

/** Asks a program that rejected ACP's `initialize` whether it is an MCP server. Calls `then` once, within a short time. */
export function askWhetherMcpServer(connection: Connection, then: (isMcpServer: boolean) => void): void {
  let isSettled = false;
  const settle = (isMcpServer: boolean): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    then(isMcpServer);
  };
  const timer = setTimeout(() => settle(false), answerMs);
  timer.unref?.();
  const ask = ([first, ...others]: readonly Request[]): void => {
    if (!first) settle(false);
    else connection.request(first, (outcome) => (isOfMcpServer(outcome) ? settle(true) : ask(others)));
  };
  ask(firstMessages);
}

export const mcpServerHint =
  "Give it to the agent: in the editor's list of MCP servers (Zed: context_servers; VS Code: mcp.json), or in the agent's own configuration.";

export function agentHint({ agent = "--agent" }: PlaceNames): string {
  return agent.startsWith("--") ? `Pass an agent with ${agent}.` : `An agent belongs under "agent" in ${agent}.`;
}

function isOfMcpServer(outcome: Outcome): boolean {
  if (outcome.isError) return false;
  const result = outcome.json.object;
  const isDiscovery = asObject(asObject(result?.["_meta"])?.[metaKeys.serverInfo]) !== undefined;
  return asObject(result?.["serverInfo"]) !== undefined || isDiscovery || Array.isArray(result?.["supportedVersions"]);
}
