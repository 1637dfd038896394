export { acpMethods } from "./base/acp/methods.js";
export { isToolCallUpdate, updatedToolCall } from "./base/acp/tool-call.js";
export {
  type AgentCall,
  AgentClient,
  type AgentClientOptions,
  type AgentRequestHandler,
} from "./conductor/client/agent-client.js";
export { AgentFailure, AgentRefusal, RequestFailure } from "./conductor/client/agent-errors.js";
export {
  type AgentLease,
  AgentPool,
  type AgentPoolOptions,
  type CrashPolicy,
  type LeaseListener,
  type PooledAgent,
} from "./conductor/client/agent-pool.js";
export { canForkAtMessage, quirksOf } from "./agents/agent-quirks.js";
export { symposiumIn } from "./base/acp/symposium-meta.js";
export { hostTurnIn, OthersTurn } from "./conductor/client/other-clients-turn.js";
export type { AgentSession, PromptTurn, SessionListener, SessionSetup } from "./conductor/client/agent-session.js";
export type { InitializedAgent } from "./conductor/client/initialized-agent.js";
export { isUpdate, objectsOf } from "./conductor/client/unchecked.js";
export { handOff } from "./sessions/conversations/hand-off.js";
export type { PastConversation } from "./sessions/conversations/past-turns.js";
export { isHandOff, type StoredRecord } from "./sessions/conversations/stored-record.js";
export type { ComponentProcess, ProcessExit, StartProcess } from "./base/component-process.js";
export type { Command } from "./base/command.js";
export { ideOperationsCapability } from "./base/ide-operations/capability.js";
export type { Diagnostic, FileDiagnostics, RelatedPlace, Severity } from "./base/ide-operations/diagnostic.js";
export { fileUri, normalFileUri, pathOfFileUri } from "./base/file-uri.js";
export {
  type IdeOperationHandlers,
  type IdeOperations,
  notSupported,
  operationsOf,
  pageOf,
} from "./base/ide-operations/ide-operations.js";
export type {
  LanguageServerCheck,
  LanguageServers,
  LspAdapterModule,
  LspAdapterOptions,
  LspSandbox,
  LspCheckOptions,
  LspServerOptions,
  ServerFinding,
} from "./base/ide-operations/lsp-adapter-module.js";
export { ideOperationReaders } from "./base/ide-operations/operation-types.js";
export { type OperationState, worstState } from "./base/ide-operations/operation-state.js";
export type * from "./base/ide-operations/operation-types.js";
export {
  compareLocations,
  comparePositions,
  type Location,
  type Position,
  type Range,
  type Target,
} from "./base/ide-operations/place.js";
export { Fault } from "./base/ide-operations/reader.js";
export { type CallItem, type OutlineItem, type SymbolItem, symbolKinds } from "./base/ide-operations/symbol-item.js";
export {
  type IdeOperationName,
  ideOperationMethod,
  ideOperationNames,
  ideOperationPrefix,
  ideOperationsKey,
  ideOperationsVersion,
  maxIdeItems,
} from "./base/ide-operations/wire.js";
export type { TextEdit, WorkspaceChange, WorkspaceEdit } from "./base/ide-operations/workspace-edit.js";
export { ChangingToolServer } from "./base/mcp/changing-tool-server.js";
export type { McpBridge, McpServer } from "./base/mcp/mcp-server.js";
export type { Tool, ToolContext, ToolResult } from "./base/mcp/tool-server.js";
export { ToolServer } from "./base/mcp/tool-server.js";
export { Logger, LogFilter, type LogEvent, type LogLevel } from "./base/logger.js";
export { redactText } from "./base/redact.js";
export { Scope } from "./base/scope.js";
export { isDoneWithin } from "./base/until-aborted.js";
export { messageOf, SymposiumError } from "./base/symposium-error.js";
export { toolList } from "./models/tool-list.js";
export { Connection } from "./base/rpc/connection.js";
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
} from "./base/rpc/json.js";
export { Notification, Outcome, Request } from "./base/rpc/message.js";
export { ask, type Peer, type Reply } from "./base/rpc/peer.js";
export { RpcError, rpcErrorCodes } from "./base/rpc/rpc-error.js";
export { parseComponentSpec } from "./settings/component-spec.js";
export { parseConfig } from "./settings/config.js";
export { parseMcpServers } from "./settings/mcp-servers.js";
export { canBypass, hasOwnAnswers, isForUserAlone } from "./base/acp/must-ask.js";
export { fileUses } from "./base/safety/file-uses.js";
export { type RequestedCommand, requestedCommand } from "./base/safety/requested-command.js";
export { type VisibleText, visibleText } from "./base/safety/visible-text.js";
export { visibleJson, whatRuns } from "./settings/component-command-text.js";
export { FolderTrust, trustRemedy, type TrustStore } from "./settings/trust/folder-trust.js";
export { rateLimitOf } from "./sessions/usage/agent-figures.js";
export { toolResultOf } from "./models/vscode/tool-result.js";
export * from "./models/vscode/wire.js";
