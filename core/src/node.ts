/** Exports of core to other packages that need Node. */
export { atomicWrite, keptAsideName, projectFileMode, systemCode, unlessCode } from "./base/node/atomic-write.js";
export { type CheckedPath, checkPath, needsLeave } from "./base/safety/node/checked-path.js";
export { startProcess } from "./base/node/child-component.js";
export { grantText as commandGrantText } from "./base/safety/command-grant.js";
export type { GuardedCall } from "./guard/decision.js";
export type { ProposedRule } from "./guard/proposed-rules.js";
export { LastingAnswers } from "./guard/node/lasting-answers.js";
export { pathsInInput } from "./base/safety/node/named-places.js";
export { archivedIn } from "./sessions/conversations/node/archived-sessions.js";
export { WorktreeSizes } from "./sessions/conversations/node/worktree-sizes.js";
export { byteCount } from "./agents/registry/download-size.js";
export { deletedAt } from "./sessions/conversations/node/deleted-sessions.js";
export { conversationRecords } from "./sessions/conversations/node/named-session.js";
export { hitsIn } from "./sessions/conversations/node/search-sessions.js";
export { hostedProcess } from "./sessions/host/node/hosted-process.js";
export { listSessions } from "./sessions/conversations/node/session-index.js";
export { type LiveSession, liveSessions, stopSession } from "./sessions/host/node/live-sessions.js";
export type { StoredSession } from "./sessions/conversations/node/stored-session.js";
export { worktreePart } from "./settings/project/node/same-folder-in-worktree.js";
export { claimSocket } from "./base/node/claim-socket.js";
export { configFolder } from "./base/node/own-program.js";
export { askProgram } from "./base/node/ask-program.js";
export { endOnSignals } from "./base/node/end-on-signals.js";
export { FileLock } from "./base/node/file-lock.js";
export { foldersUp, isInside, isThere } from "./base/node/folders.js";
export { logFileSink } from "./base/node/log-file.js";
export { Connections } from "./base/node/loopback-server.js";
export { LoopbackMcpBridge } from "./base/node/mcp-bridge/loopback-bridge.js";
export { type ProcessEntry, readProcessTable } from "./base/node/process-table.js";
export { type ProcessTree, processTree } from "./base/node/process-tree.js";
export { startProgram } from "./base/node/start-program.js";
export {
  loadUntrustedBytes,
  loadUntrustedText,
  openUntrusted,
  readUntrustedBytes,
  RefusedFile,
} from "./base/node/read-untrusted-file.js";
export { resolveCommand, systemLookup } from "./base/node/resolve-command.js";
export { askGit, safeDiffOptions } from "./base/node/safe-git.js";
export { minimalEnvironment } from "./base/node/minimal-environment.js";
export { fitsSockets, makePrivateFolder, socketFolder } from "./base/node/socket-folder.js";
export { inTime, startDetached } from "./base/node/start-detached.js";
export { StderrTail } from "./base/node/stderr-tail.js";
export { TrustFile } from "./settings/trust/node/trust-file.js";
export { userToken } from "./base/node/user-token.js";
export { Watchdog } from "./base/node/orphan-watchdog.js";
