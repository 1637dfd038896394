import type { IncomingHttpHeaders } from "node:http";
import type { McpOutcome } from "../../mcp/mcp-server.js";
import { mcpError } from "../../mcp/outcome.js";
import { mcpErrorCodes, metaKeys, statelessVersion } from "../../mcp/wire.js";
import { asObject, type Json } from "../../rpc/json.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";

/** Whether the call names its revision itself, as all calls do since 2026-07-28. */
export function isStatelessCall(params: Json | undefined): boolean {
  return envelopeVersion(params) !== undefined;
}

/** Methods whose target must stand in `Mcp-Name`, and the parameter that is the target (MCP 2026-07-28, transports). */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** What the headers of a call get wrong against its body, or undefined. Calls of the handshake era may say what they like. */
export function headerProblem(
  headers: IncomingHttpHeaders,
  method: string,
  params: Json | undefined,
): McpOutcome | undefined {
  const version = envelopeVersion(params);
  const headerVersion = single(headers["mcp-protocol-version"]);
  if (version === undefined) {
    if (headerVersion === undefined || headerVersion < statelessVersion) return undefined;
    return mcpError(
      rpcErrorCodes.invalidParams,
      `MCP-Protocol-Version ${headerVersion} needs _meta["${metaKeys.protocolVersion}"]`,
    );
  }
  const expected: [header: string, value: string | undefined][] = [
    ["MCP-Protocol-Version", version],
    ["Mcp-Method", method],
  ];
  const key = namedBy[method];
  const name = key === undefined ? undefined : params?.object?.[key];
  if (typeof name === "string") expected.push(["Mcp-Name", name]);
  for (const [header, value] of expected) {
    const given = single(headers[header.toLowerCase()]);
    if (given === undefined || decode(given) !== value) {
      return mcpError(
        mcpErrorCodes.headerMismatch,
        `the header ${header} must equal the body's "${value ?? ""}", got "${given ?? ""}"`,
      );
    }
  }
  return undefined;
}

function envelopeVersion(params: Json | undefined): string | undefined {
  const version = asObject(params?.object?.["_meta"])?.[metaKeys.protocolVersion];
  return typeof version === "string" || version === undefined ? version : JSON.stringify(version);
}

function single(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value)?.trim();
}

/** Values that are not header-safe come as `=?base64?…?=`. */
function decode(value: string): string {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}
