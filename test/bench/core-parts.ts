import type * as LoggerModule from "../../core/src/base/logger.js";
import type * as ConductorModule from "../../core/src/conductor/conductor.js";
import type * as BridgeModule from "../../core/src/node/mcp-bridge/loopback-bridge.js";
import type * as ProcessModule from "../../core/src/node/child-component.js";
import type * as ServeModule from "../../core/src/node/serve-stdio.js";
import type * as JsonModule from "../../core/src/rpc/json.js";
import type * as WatchdogModule from "../../core/src/node/watchdog.js";

/** A part of core by its path, as the package does not export it. */
async function part<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../../core/dist/src/${path}`, import.meta.url).href)) as Module;
}

export const { Json } = await part<typeof JsonModule>("rpc/json.js");
export const { Logger } = await part<typeof LoggerModule>("base/logger.js");
export const { Conductor } = await part<typeof ConductorModule>("conductor/conductor.js");
export const { startProcess } = await part<typeof ProcessModule>("node/child-component.js");
export const { LoopbackMcpBridge } = await part<typeof BridgeModule>("node/mcp-bridge/loopback-bridge.js");
export const { serveOverStdio } = await part<typeof ServeModule>("node/serve-stdio.js");
export const { Watchdog } = await part<typeof WatchdogModule>("node/watchdog.js");
