import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import type { ProxyHandlers } from "../../../src/conductor/chain/proxy.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { cargoProxy } from "../../../src/extensions/cargo/cargo-proxy.js";
import type { CargoCommand } from "../../../src/base/cargo/unusable-cargo.js";
import type { RunExit } from "../../../src/base/runs/run.js";
import type { CargoServices } from "../../../src/extensions/cargo/services.js";
import { Json } from "../../../src/base/rpc/json.js";
import { nobody, type Peer } from "../../../src/base/rpc/peer.js";
import { trusting } from "../../../testing/scripted-client.js";

const metadata = `${JSON.stringify({
  packages: [{ name: "base", features: { default: [], loud: [] } }],
  workspace_root: "/w",
  target_directory: "/w/target",
})}\n`;

export const succeeded: RunExit = { code: 0, signal: null, durationMs: 100 };
export const finished = '{"reason":"build-finished","success":true}\n';

/** A machine whose cargo does what `build` says; `cargo metadata` says what `inspect` does. */
export class Machine implements CargoServices {
  readonly commands: CargoCommand[] = [];
  inspect: () => { output: string; exit: RunExit } = () => ({ output: metadata, exit: succeeded });
  build: (signal: AbortSignal) => Promise<{ output: string; exit: RunExit }> = () =>
    Promise.resolve({ output: finished, exit: succeeded });

  hasRust = true;

  hasWorkspace(): boolean {
    return this.hasRust;
  }

  folder(base: string, path: string): Promise<string | undefined> {
    return Promise.resolve(path === "." ? base : path.startsWith("/w") ? path : undefined);
  }

  async run(command: CargoCommand, limits: Parameters<CargoServices["run"]>[1]): Promise<RunExit> {
    this.commands.push(command);
    const { output, exit } = command.args.includes("metadata") ? this.inspect() : await this.build(limits.signal);
    limits.output(output);
    return exit;
  }

  createLog(): ReturnType<CargoServices["createLog"]> {
    let text = "";
    return Promise.resolve({
      append: (more) => void (text += more),
      read: (offset, limit) =>
        Promise.resolve({
          text: text.slice(offset, offset + limit),
          start: Math.min(offset, text.length),
          end: Math.min(offset + limit, text.length),
          size: text.length,
        }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  }
}

export interface Stage {
  readonly handlers: ProxyHandlers;
  readonly session: AbortController;
  readonly notes: string[];
  readonly call: (name: string, args?: unknown, abort?: AbortController) => Promise<{ text: string; isError: boolean }>;
  readonly list: () => Promise<unknown>;
  readonly describe: McpServer["describe"];
}

export function stage(machine: Machine, options: unknown = {}, trust = trusting(), client?: Peer): Stage {
  const chain = { client: client ?? nobody, successor: nobody, logger: Logger.silent };
  const handlers = cargoProxy(options, machine, trust, "1.2.3").connect(chain);
  const session = new AbortController();
  const [server] = handlers.mcpServers?.({ sessionId: "s", cwd: "/w", signal: session.signal }) ?? [];
  assert.ok(server);
  const notes: string[] = [];
  const ask = (method: string, params: unknown, abort = new AbortController()): ReturnType<McpServer["call"]> =>
    server.call(method, Json.of(params), {
      signal: abort.signal,
      notify: (_, note) => void notes.push(String(note?.object?.["message"])),
    });
  return {
    handlers,
    session,
    notes,
    call: async (name, args = {}, abort) => {
      const outcome = await ask("tools/call", { name, arguments: args, _meta: { progressToken: 1 } }, abort);
      const answer = JSON.parse(outcome.json.text) as {
        content?: { text: string }[];
        isError?: boolean;
        message?: string;
      };
      return {
        text: answer.content?.[0]?.text ?? answer.message ?? "",
        isError: outcome.isError || answer.isError === true,
      };
    },
    describe: (signal) => server.describe(signal),
    list: async () => {
      const outcome = await ask("tools/list", {});
      return (JSON.parse(outcome.json.text) as { tools: { name: string }[] }).tools.map(({ name }) => name);
    },
  };
}
