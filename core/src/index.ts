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
export { canForkAtMessage, quirksOf } from "./client/agent-quirks.js";
export type { AgentSession, PromptTurn, SessionListener, SessionSetup } from "./client/agent-session.js";
export type { InitializedAgent } from "./client/initialized-agent.js";
export { isUpdate, objectsOf } from "./client/unchecked.js";
export { handOff } from "./conversations/hand-off.js";
export type { PastConversation } from "./conversations/past-turns.js";
export { isHandOff, type StoredRecord } from "./conversations/stored-record.js";
export type { ComponentProcess, ProcessExit, StartProcess } from "./base/component-process.js";
export type { Command } from "./base/command.js";
export { ideOperationsCapability } from "./ide-operations/capability.js";
export type { Diagnostic, FileDiagnostics, RelatedPlace, Severity } from "./ide-operations/diagnostic.js";
export { fileUri, normalFileUri, pathOfFileUri } from "./base/file-uri.js";
export {
  type IdeOperationHandlers,
  type IdeOperations,
  notSupported,
  operationsOf,
  pageOf,
} from "./ide-operations/ide-operations.js";
export type {
  LanguageServerCheck,
  LanguageServers,
  LspAdapterModule,
  LspAdapterOptions,
  LspSandbox,
  LspCheckOptions,
  LspServerOptions,
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
export { type CallItem, type OutlineItem, type SymbolItem, symbolKinds } from "./ide-operations/symbol-item.js";
export {
  type IdeOperationName,
  ideOperationMethod,
  ideOperationNames,
  ideOperationPrefix,
  ideOperationsKey,
  ideOperationsVersion,
  maxIdeItems,
} from "./ide-operations/wire.js";
export type { TextEdit, WorkspaceChange, WorkspaceEdit } from "./ide-operations/workspace-edit.js";
export { ChangingToolServer } from "./mcp/changing-tool-server.js";
export type { McpBridge, McpServer } from "./mcp/mcp-server.js";
export type { Tool, ToolContext, ToolResult } from "./mcp/tool-server.js";
export { ToolServer } from "./mcp/tool-server.js";
export { Logger, LogFilter, type LogEvent, type LogLevel } from "./base/logger.js";
export { redactText } from "./base/redact.js";
export { Scope } from "./base/scope.js";
export { isDoneWithin } from "./base/until-aborted.js";
export { messageOf, SymposiumError } from "./base/symposium-error.js";
export { toolList } from "./model/tool-list.js";
export { Connection } from "./rpc/connection.js";
export {
  asObject,
  isStrings,
  Json,
  type Members,
  numberOf,
  parsedObject,
  parsedValue,
  stringMembersOf,
  stringOf,
  stringsOf,
  textOf,
} from "./rpc/json.js";
export { Notification, Outcome, Request } from "./rpc/message.js";
export { ask, type Peer, type Reply } from "./rpc/peer.js";
export { RpcError, rpcErrorCodes } from "./rpc/rpc-error.js";
export { parseComponentSpec } from "./settings/component-spec.js";
export { parseConfig } from "./settings/config.js";
export { parseMcpServers } from "./settings/mcp-servers.js";
export { hasOwnAnswers, isForUserAlone } from "./acp/must-ask.js";
export { type RequestedCommand, requestedCommand } from "./safety/requested-command.js";
export { type VisibleText, visibleText } from "./safety/visible-text.js";
export { visibleJson, whatRuns } from "./settings/what-runs.js";
export { FolderTrust, trustRemedy, type TrustStore } from "./trust/folder-trust.js";
export { rateLimitOf } from "./usage/agent-figures.js";
export { toolResultOf } from "./vscodelm/tool-result.js";
export * from "./vscodelm/wire.js";
