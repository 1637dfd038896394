import { Json } from "./json.js";

export const rpcErrorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  requestCancelled: -32800,
  authRequired: -32000,
  notFound: -32002,
} as const;

/** JSON-RPC error object created by this side. Errors of peers stay raw JSON. */
export class RpcError {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly data?: unknown,
  ) {}

  static parseError(detail: string): RpcError {
    return new RpcError(rpcErrorCodes.parseError, `Parse error: ${detail}`);
  }
  static invalidRequest(detail: string): RpcError {
    return new RpcError(rpcErrorCodes.invalidRequest, `Invalid request: ${detail}`);
  }
  static methodNotFound(method: string): RpcError {
    return new RpcError(rpcErrorCodes.methodNotFound, `Method not found: ${method}`, { method });
  }
  static invalidParams(detail: string): RpcError {
    return new RpcError(rpcErrorCodes.invalidParams, `Invalid params: ${detail}`);
  }
  static internal(detail: string, data?: unknown): RpcError {
    return new RpcError(rpcErrorCodes.internalError, detail, data);
  }
  static cancelled(): RpcError {
    return new RpcError(rpcErrorCodes.requestCancelled, "Request cancelled");
  }

  get json(): Json {
    const { code, message, data } = this;
    return Json.of(data === undefined ? { code, message } : { code, message, data });
  }
}
