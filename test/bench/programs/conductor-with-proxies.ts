import process from "node:process";
import type { ProxyComponent } from "../../../core/src/conductor/chain/component.js";
import { Conductor } from "#core/conductor/chain/conductor.js";
import { Logger } from "#core/base/logger.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import { serveOverStdio } from "#core/conductor/node/serve-stdio.js";
import { startProcess } from "#core/base/node/child-component.js";
import { Watchdog } from "#core/base/node/orphan-watchdog.js";

/*
 * `conductor-with-proxies N PROGRAM ARGUMENT…`: the conductor as the command runs it, with N proxies in its process
 * that look at every update, before an agent.
 */

const [count = "0", program = "", ...args] = process.argv.slice(2);
const seen = { characters: 0 };

function observingProxy(index: number): ProxyComponent {
  const name = `observer-${index}`;
  return {
    kind: "proxy",
    proxy: {
      name,
      connect: () => ({
        agentNotifications: {
          "session/update": (notification) => {
            seen.characters += textLength(notification.params?.value);
            return notification;
          },
        },
      }),
    },
  };
}

/** Characters of the text that an update carries: what a proxy has to look at the parsed value for. */
function textLength(params: unknown): number {
  const { update } = params as { update?: { content?: { text?: string } } };
  return update?.content?.text?.length ?? 0;
}

const logger = Logger.silent;
using watchdog = new Watchdog();
await using bridge = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, logger);
const environment = { startProcess: startProcess({ logger, watchdog }), bridge, logger, maxLineBytes: 2 ** 28 };
process.exitCode = await serveOverStdio(
  (client, hooks) =>
    new Conductor({
      proxies: Array.from({ length: Number(count) }, (_, index) => observingProxy(index)),
      agent: { kind: "process", name: "agent", command: { command: program, args, env: {} } },
      client,
      environment,
      startupTimeoutMs: 30_000,
      ...hooks,
    }),
  new AbortController().signal,
  { logger },
);
