import { acpMethods } from "../../base/acp/methods.js";
import { ideOperationPrefix, ideOperationsKey } from "../../base/ide-operations/wire.js";
import { Frame } from "../../base/rpc/frame.js";
import { arrayOf, elementsOf, memberOf, withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

/** Client capabilities that act on the client's machine, where the session's files aren't. */
const ofTheMachine = [
  ["fs"],
  ["terminal"],
  ["auth", "terminal"],
  ["_meta", "terminal-auth"],
  ["_meta", ideOperationsKey],
] as const;

/** Client's view of the machine that runs its sessions. */
export interface OtherMachine {
  /** Replaces the folder that the client names for its sessions. */
  readonly folder?: string;
}

const withFolder: ReadonlySet<string> = new Set([
  acpMethods.sessionNew,
  acpMethods.sessionLoad,
  acpMethods.sessionResume,
  acpMethods.sessionFork,
  acpMethods.sessionList,
]);

/**
 * Adapts a request of a client on another machine. Removes capabilities and MCP servers of the client's machine; `folder`, if given,
 * replaces the session's folder. MCP servers that the client serves over ACP stay.
 */
export function fromOtherMachine(request: Request, folder: string | undefined): Request {
  const { method, params } = request;
  if (!params) return request;
  if (method === acpMethods.initialize) {
    return new Request(
      method,
      ofTheMachine.reduce((json, path) => withoutMember(json, ["clientCapabilities", ...path]), params),
    );
  }
  return withFolder.has(method) ? new Request(method, inFolder(withOwnServers(params), folder)) : request;
}

/**
 * Returns the error response to a line from another machine that would use this machine's files, terminals or editor; undefined for all other
 * lines. An honest host never sends such requests, because {@link fromOtherMachine} removes the capabilities.
 */
export function refusalFromOtherMachine(line: string): string | undefined {
  const frame = Frame.scan(line);
  if (frame?.method.isPresent === false) return undefined;
  // A name with escapes could hide a method from this check.
  const method = /^"([^"\\]*)"$/.exec(frame?.method.of(line) ?? "")?.[1];
  if (method !== undefined && !ofThisMachine(method)) return undefined;
  const error =
    method === undefined ? RpcError.invalidRequest("no plain method name") : RpcError.methodNotFound(method);
  return errorLine(frame?.id.isPresent === true ? frame.id.of(line) : "null", error);
}

function ofThisMachine(method: string): boolean {
  return /^(?:fs|terminal)\//.test(method) || method.startsWith(ideOperationPrefix);
}

function errorLine(id: string, { code, message }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}

function withOwnServers(params: Json): Json {
  const servers = elementsOf(memberOf(params, "mcpServers") ?? Json.null);
  if (!servers) return params;
  return withMember(params, ["mcpServers"], arrayOf(servers.filter(({ object }) => object?.["type"] === "acp")));
}

function inFolder(params: Json, folder: string | undefined): Json {
  if (folder === undefined || !memberOf(params, "cwd")) return params;
  return withMember(withoutMember(params, ["additionalDirectories"]), ["cwd"], Json.of(folder));
}
