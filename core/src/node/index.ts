/** What other packages may use of the product where Node runs. */
export { atomicWrite, projectFileMode } from "./atomic-write.js";
export { type CheckedPath, checkPath, isInside, needsLeave } from "../safety/node/checked-path.js";
export { startProcess } from "./child-component.js";
export { grantText as commandGrantText } from "../safety/command-grant.js";
export {
  checkCommand,
  type CheckedCommand,
  type CommandPart,
  type NamedCommand,
} from "../safety/node/checked-command.js";
export { configFolder } from "./own-program.js";
export { endOnSignals } from "./end-on-signals.js";
export { FileLock } from "./file-lock.js";
export { Connections } from "./loopback-server.js";
export { LoopbackMcpBridge } from "./mcp-bridge/loopback-bridge.js";
export { type ProcessEntry, readProcessTable } from "./process-table.js";
export { type ProcessTree, processTree } from "./process-tree.js";
export { startProgram, toProgram } from "./start-program.js";
export { resolveCommand, systemLookup } from "./resolve-command.js";
export { safeDiffOptions, safeGitEnvironment, safeGitOptions } from "./safe-git.js";
export { StderrTail } from "./stderr-tail.js";
export { TrustFile } from "../trust/node.js";
export { Watchdog } from "./watchdog.js";
