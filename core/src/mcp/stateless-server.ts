import { asObject, Json } from "../rpc/json.js";
import { memberOf, withMember } from "../rpc/json-edit.js";
import { type Outcome, Request } from "../rpc/message.js";
import { ask, type Peer } from "../rpc/peer.js";
import { mcpError } from "./outcome.js";
import type { McpCallContext, McpOutcome, McpServer, McpServerDescription } from "./mcp-server.js";
import { rawObject, type UpstreamCalls } from "./upstream-calls.js";
import { mcpMessageMethod, mcpMethods, mcpOverAcpErrorCodes, metaKeys, statelessVersion } from "./wire.js";

/** A server that a component offers in the current dialect: each call is one `mcp/message` request. */
export class StatelessServer implements McpServer {
  constructor(
    readonly name: string,
    private readonly serverId: string,
    private readonly upstream: Peer,
    private readonly calls: UpstreamCalls,
  ) {}

  async describe(signal: AbortSignal): Promise<McpServerDescription> {
    const outcome = await this.call(mcpMethods.discover, undefined, { signal, notify: () => undefined });
    const { capabilities, instructions, _meta } = outcome.json.object ?? {};
    if (outcome.isError)
      throw new Error(`The MCP server "${this.name}" refused ${mcpMethods.discover}: ${outcome.json.text}`);
    return {
      serverInfo: asObject(asObject(_meta)?.[metaKeys.serverInfo]) ?? { name: this.name, version: "0" },
      capabilities: asObject(capabilities) ?? {},
      ...(typeof instructions === "string" && { instructions }),
    };
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    const requestId = crypto.randomUUID();
    using _listening = this.calls.listen(requestId, (note, noteParams) => context.notify(note, noteParams));
    const envelope = rawObject({
      serverId: Json.of(this.serverId),
      requestId: Json.of(requestId),
      method: Json.of(method),
      params: withEnvelope(params),
    });
    return unwrapCarrier(await ask(this.upstream, new Request(mcpMessageMethod, envelope), context.signal));
  }
}

/** Adds the `_meta` keys that every stateless request must have, keeping those it has. */
function withEnvelope(params: Json | undefined): Json {
  let json = params ?? Json.ofText("{}");
  const meta = memberOf(json, "_meta")?.object ?? {};
  if (meta[metaKeys.protocolVersion] === undefined) {
    json = withMember(json, ["_meta", metaKeys.protocolVersion], Json.of(statelessVersion));
  }
  // What a 2025-era client can do cannot be asked for in a stateless call, so nothing is claimed for it.
  if (meta[metaKeys.clientCapabilities] === undefined) {
    json = withMember(json, ["_meta", metaKeys.clientCapabilities], Json.of({}));
  }
  return json;
}

/** `{result}` or `{error}` is the server's answer; an outer error is the transport's. */
function unwrapCarrier(outcome: Outcome): McpOutcome {
  if (outcome.isError) return { isError: true, json: outcome.json };
  const result = memberOf(outcome.json, "result");
  if (result) return { isError: false, json: result };
  const error = memberOf(outcome.json, "error");
  if (error) return { isError: true, json: error };
  return mcpError(mcpOverAcpErrorCodes.backendFailed, "the answer to mcp/message has neither a result nor an error");
}
