import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Logger } from "../../../src/base/logger.js";
import { ToolBridge } from "../../../src/models/tool-bridge.js";
import { LoopbackMcpBridge } from "../../../src/base/node/mcp-bridge/loopback-bridge.js";

interface Declaration {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

type Names = readonly string[];

function namesOf(tools: readonly { readonly name: string }[] | null | undefined): Names {
  return (tools ?? []).map(({ name }) => name);
}

describe("a list of tools that changes during a session", () => {
  let loopback: LoopbackMcpBridge;
  let server: ToolBridge;
  beforeEach(() => {
    loopback = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, Logger.silent);
    const call = (name: string): Promise<string> => Promise.resolve(`${name} ran`);
    server = new ToolBridge({ name: "editor", version: "1", instructions: "Tools.", call }, [{ name: "one" }]);
  });
  afterEach(() => loopback[Symbol.asyncDispose]());

  async function declared(transport: "http" | "stdio"): Promise<Declaration> {
    return (await loopback.expose(server, transport)).declaration.value as Declaration;
  }

  /** Offers other tools until the client has heard of it: its stream for announcements opens when it likes. */
  async function offerUntil(heard: () => Names | undefined): Promise<Names> {
    for (let round = 0; ; round++) {
      server.setTools([{ name: "one" }, { name: "two", description: `round ${round}` }]);
      const names = heard();
      if (names) return names;
      await pause(10);
    }
  }

  it("is announced to the official client of revision 2025-11-25", async () => {
    const { url, headers } = await declared("http");
    let changed: Names | undefined;
    const onChanged = (_fault: unknown, tools: unknown): void => void (changed = namesOf(tools as []));
    const listChanged = { tools: { debounceMs: 0, onChanged } };
    const client = new OlderClient({ name: "test", version: "1" }, { listChanged });
    const requestInit = { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
    await client.connect(new OlderTransport(new URL(url), { requestInit }));
    const before = namesOf((await client.listTools()).tools);
    const after = await offerUntil(() => changed);
    await client.close();
    assert.deepEqual([before, after], [["one"], ["one", "two"]]);
  });

  it("is announced to the official client of revision 2026-07-28", async () => {
    const { url, headers } = await declared("http");
    let changed: Names | undefined;
    const client = new ModernClient(
      { name: "test", version: "1" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        listChanged: { tools: { debounceMs: 0, onChanged: (_fault, tools) => void (changed = namesOf(tools)) } },
      },
    );
    const requestInit = { headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) };
    await client.connect(new ModernTransport(new URL(url), { requestInit }));
    const before = namesOf((await client.listTools()).tools);
    const after = await offerUntil(() => changed);
    await client.close();
    assert.deepEqual([before, after], [["one"], ["one", "two"]]);
  });

  it("is announced over the stdio shim once the client has greeted", async () => {
    const { env } = await declared("stdio");
    const module = new URL("../../../src/base/node/mcp-bridge/stdio-joint.js", import.meta.url).href;
    const code = `import(${JSON.stringify(module)}).then((m) => m.runStdioShim(process.env))`;
    const shim = spawn(process.execPath, ["-e", code], {
      env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let said = "";
    shim.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const say = (message: object): void => void shim.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    say({ id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } });
    say({ method: "notifications/initialized" });
    await offerUntil(() => (said.includes("list_changed") ? [] : undefined));
    const exit = new Promise((resolve) => shim.once("exit", resolve));
    shim.stdin.end();
    await exit;
    const last: unknown = JSON.parse(said.trim().split("\n").at(-1) ?? "");
    assert.deepEqual(last, { jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  });

  it("ends the stream of announcements with the session", async () => {
    const exposure = await loopback.expose(server, "http");
    const { url, headers } = exposure.declaration.value as Declaration;
    const stream = await fetch(url, {
      headers: {
        Accept: "text/event-stream",
        ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      },
    });
    assert.equal(stream.status, 200);
    await exposure[Symbol.asyncDispose]();
    assert.match(await stream.text(), /^: open/);
  });
});
