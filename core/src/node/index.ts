/** What other packages may use of the product where Node runs. */
export { atomicWrite, keptAsideName, projectFileMode } from "./atomic-write.js";
export { type CheckedPath, checkPath, needsLeave } from "../safety/node/checked-path.js";
export { startProcess } from "./child-component.js";
export { grantOf as commandGrant, grantText as commandGrantText } from "../safety/command-grant.js";
export type { GuardedCall } from "../guard/decision.js";
export type { NewRule } from "../guard/node/guard-edit.js";
export { LastingAnswers } from "../guard/node/lasting-answers.js";
export { checkCommand, type CheckedCommand, type CommandPart } from "../safety/node/checked-command.js";
export { addressInInput, pathsInInput } from "../safety/node/named-places.js";
export { deletedAt } from "../conversations/node/deleted-sessions.js";
export { conversationRecords } from "../conversations/node/named-session.js";
export { hitsIn } from "../conversations/node/search-sessions.js";
export { listSessions } from "../conversations/node/session-index.js";
export type { StoredSession } from "../conversations/node/stored-session.js";
export { worktreePart } from "../project/node/worktree-part.js";
export { configFolder } from "./own-program.js";
export { askProgram } from "./ask-program.js";
export { endOnSignals } from "./end-on-signals.js";
export { FileLock } from "./file-lock.js";
export { foldersUp, isInside } from "./folders.js";
export { Connections } from "./loopback-server.js";
export { LoopbackMcpBridge } from "./mcp-bridge/loopback-bridge.js";
export { type ProcessEntry, readProcessTable } from "./process-table.js";
export { type ProcessTree, processTree } from "./process-tree.js";
export { startProgram } from "./start-program.js";
export {
  loadUntrustedBytes,
  loadUntrustedText,
  openUntrusted,
  readUntrustedBytes,
  RefusedFile,
} from "./read-untrusted-file.js";
export { resolveCommand, systemLookup } from "./resolve-command.js";
export { askGit, safeDiffOptions } from "./safe-git.js";
export { minimalEnvironment } from "./minimal-environment.js";
export { fitsSockets, makePrivateFolder, socketFolder } from "./socket-folder.js";
export { StderrTail } from "./stderr-tail.js";
export { TrustFile } from "../trust/node.js";
export { Watchdog } from "./watchdog.js";
