/** What other packages may use of the product, wherever they run. */
export type { Adapter } from "./conductor/assembly.js";
export type { Agent, ConnectedAgent } from "./conductor/agent.js";
export type { ChainEnvironment } from "./conductor/chain.js";
export type { AgentComponent, ProcessComponent, ProxyComponent } from "./conductor/component.js";
export { Conductor, type ConductorOptions } from "./conductor/conductor.js";
export type { ChainFailure } from "./conductor/failure.js";
export type {
  NotificationHandler,
  Proxy,
  ProxyChain,
  ProxyHandlers,
  ProxySession,
  RequestHandler,
} from "./conductor/proxy.js";
export type { McpServer } from "./mcp/mcp-server.js";
export type { Tool, ToolResult } from "./mcp/tool.js";
export { ToolServer, type ToolServerOptions } from "./mcp/tool-server.js";
export { Logger, LogFilter, type LogEvent, type LogLevel } from "./base/logger.js";
export { Scope } from "./base/scope.js";
export { SymposiumError, type SymposiumErrorCode } from "./base/symposium-error.js";
export { Connection, type ConnectionOptions } from "./rpc/connection.js";
export { Json } from "./rpc/json.js";
export { Notification, Outcome, Request } from "./rpc/message.js";
export { ask, type Cancel, type Peer, type Reply } from "./rpc/peer.js";
export { RpcError, rpcErrorCodes } from "./rpc/rpc-error.js";
export { parseComponentSpec, type Component } from "./settings/component-spec.js";
export { parseConfig, type Config, type ParsedConfig } from "./settings/config.js";
export { renderTrace } from "./trace/trace-view.js";
