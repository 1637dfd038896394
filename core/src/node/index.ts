/** What other packages may use of the product where Node runs. */
export { atomicWrite } from "./atomic-write.js";
export { startProcess, type StartProcessOptions } from "./child-component.js";
export { configFile, configFolder, readConfig, writeConfig, type ConfigState } from "./config-file.js";
export { endOnSignals } from "./end-on-signals.js";
export { LoopbackMcpBridge, type SelfCommand } from "./mcp-bridge/loopback-bridge.js";
export { type ProcessEntry, readProcessTable } from "./process-table.js";
export { type ProcessTree, processTree } from "./process-tree.js";
export { toProgram } from "./program.js";
export { resolveCommand, systemLookup } from "./resolve-command.js";
export { serveOverStdio } from "./serve-conductor.js";
export { stdioChannel } from "./stdio-channel.js";
export { StderrTail } from "./stderr-tail.js";
export { openTraceFile } from "./trace-file.js";
export { Watchdog } from "./watchdog.js";
