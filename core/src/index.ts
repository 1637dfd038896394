/** What other packages may use of the product, wherever they run. */
export { acpMethods } from "./acp/methods.js";
export {
  type AgentCall,
  AgentClient,
  type AgentClientOptions,
  type AgentRequestHandler,
} from "./client/agent-client.js";
export { AgentFailure, AgentRefusal, RequestFailure } from "./client/agent-failure.js";
export {
  type AgentLease,
  AgentPool,
  type AgentPoolOptions,
  type CrashPolicy,
  type LeaseListener,
  type PooledAgent,
} from "./client/agent-pool.js";
export type { AgentSession, PromptTurn, SessionListener, SessionSetup } from "./client/agent-session.js";
export type { InitializedAgent } from "./client/initialized-agent.js";
export { isUpdate, type Members, numberOf, objectsOf, stringOf } from "./client/unchecked.js";
export type { Agent, ConnectedAgent } from "./conductor/component.js";
export type { ChainEnvironment } from "./conductor/chain.js";
export type { AgentComponent, ProcessComponent, ProxyComponent } from "./conductor/component.js";
export type { Command, ComponentProcess, ProcessExit, ProcessHandlers, StartProcess } from "./conductor/component.js";
export { Conductor, type ConductorOptions } from "./conductor/conductor.js";
export type { ChainFailure } from "./conductor/failure.js";
export type {
  Adapter,
  NotificationHandler,
  Proxy,
  ProxyChain,
  ProxyHandlers,
  ProxySession,
  RequestHandler,
} from "./conductor/proxy.js";
export { announcedIdeOperations, ideOperationsCapability, withIdeOperations } from "./ide-operations/capability.js";
export type { Diagnostic, FileDiagnostics, RelatedPlace, Severity } from "./ide-operations/diagnostic.js";
export { fileUri, pathOfFileUri } from "./ide-operations/file-uri.js";
export {
  type IdeOperationHandlers,
  type IdeOperations,
  notSupported,
  operationsOf,
} from "./ide-operations/ide-operations.js";
export type {
  LanguageServerCheck,
  LanguageServers,
  LspAdapterModule,
  LspAdapterOptions,
  LspCheckOptions,
  ServerFinding,
} from "./ide-operations/lsp-adapter-module.js";
export { ideOperationReaders } from "./ide-operations/operation-readers.js";
export { type OperationState, worstState } from "./ide-operations/operation-state.js";
export type * from "./ide-operations/operation-types.js";
export {
  compareLocations,
  comparePositions,
  type Location,
  type Position,
  type Range,
  type Target,
} from "./ide-operations/place.js";
export { Fault } from "./ide-operations/reader.js";
export { answerIdeRequest, ideRequestHandlers, type OpenIdeOperations } from "./ide-operations/serving.js";
export { type CallItem, type OutlineItem, type SymbolItem, symbolKinds } from "./ide-operations/symbol-item.js";
export { upstreamIdeOperations, type UpstreamOptions } from "./ide-operations/upstream.js";
export {
  type IdeOperationName,
  ideOperationMethod,
  ideOperationNames,
  ideOperationPrefix,
  ideOperationsKey,
  ideOperationsVersion,
  isIdeOperationName,
  maxIdeItems,
} from "./ide-operations/wire.js";
export type { TextEdit, WorkspaceChange, WorkspaceEdit } from "./ide-operations/workspace-edit.js";
export type { McpServer } from "./mcp/mcp-server.js";
export type { Tool, ToolResult } from "./mcp/tool-server.js";
export { ToolServer, type ToolServerOptions } from "./mcp/tool-server.js";
export { Logger, LogFilter, type LogEvent, type LogLevel } from "./base/logger.js";
export { redactText } from "./base/redact.js";
export { Scope } from "./base/scope.js";
export { isDoneWithin } from "./base/until-aborted.js";
export { messageOf, SymposiumError, type SymposiumErrorCode } from "./base/symposium-error.js";
export { Connection, type ConnectionOptions } from "./rpc/connection.js";
export { asObject, Json } from "./rpc/json.js";
export { Notification, Outcome, Request } from "./rpc/message.js";
export { ask, type Cancel, type Peer, type Reply } from "./rpc/peer.js";
export { RpcError, rpcErrorCodes } from "./rpc/rpc-error.js";
export { parseComponentSpec, type Component } from "./settings/component-spec.js";
export { parseConfig, type Config, type OtherProxies, type ParsedConfig } from "./settings/config.js";
export { shellWord } from "./settings/shell-words.js";
export { visibleJson, whatRuns } from "./settings/what-runs.js";
export { FolderTrust, trustRemedy, type TrustStore } from "./trust/folder-trust.js";
export { renderTrace } from "./trace/trace-view.js";
export * from "./vscodelm/wire.js";
