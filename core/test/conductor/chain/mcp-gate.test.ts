import assert from "node:assert/strict";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { pingServer } from "../../../testing/ping-server.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { offering } from "../../../testing/scripted-proxies.js";
import type { WireDialectName } from "../../../testing/wire-dialect.js";
import { onStage, PlayedAgent, settled, type Stage, wireProxy } from "./chain-fixture.js";

const withAbilities = (mcpCapabilities: unknown): ScriptedAgent =>
  new ScriptedAgent({ capabilities: { mcpCapabilities } });
const httpAgent = (): ScriptedAgent => withAbilities({ http: true });
const context = { signal: new AbortController().signal, notify: () => undefined };

async function serversAtAgent(stage: Stage): Promise<unknown> {
  const request = (await stage.agentReceived()).findLast(({ method }) => method === "session/new");
  return (request?.params as { mcpServers: unknown }).mcpServers;
}

/** Calls a tool of a bridged server as the bridge does. */
async function callPing(
  stage: Stage,
  name: string,
  meta?: unknown,
  notify = context.notify as (method: string, params?: Json) => void,
): Promise<unknown> {
  const server = stage.bridge.exposed.get(name);
  assert.ok(server, `${name} was not exposed`);
  const params = Json.of({ name: "mcp_ping", arguments: { text: name }, ...(meta !== undefined && { _meta: meta }) });
  const { isError, json } = await server.call("tools/call", params, { ...context, notify });
  const { content } = json.object ?? {};
  return isError ? json.value : content;
}
const pong = (text: string): unknown => [{ type: "text", text: `pong: ${text}` }];

describe("MCP servers before the agent", () => {
  it("reach an agent with http as http, one with neither as a program, and both say MCP over ACP upstream", async () => {
    const seen: unknown[] = [];
    for (const abilities of [{ http: true, sse: false }, {}]) {
      await onStage({ proxies: [offering(pingServer("ping"))], agent: withAbilities(abilities) }, async (stage) => {
        const initialized = (await stage.initialize()) as { agentCapabilities: { mcpCapabilities: unknown } };
        await stage.result("session/new", { cwd: "/w", mcpServers: [] });
        seen.push([
          initialized.agentCapabilities.mcpCapabilities,
          await serversAtAgent(stage),
          await callPing(stage, "ping"),
        ]);
      });
    }
    assert.deepEqual(seen, [
      [{ http: true, sse: false, acp: true }, [{ name: "ping", bridged: "http" }], pong("ping")],
      [{ acp: true }, [{ name: "ping", bridged: "stdio" }], pong("ping")],
    ]);
  });

  it("of the editor stay as they are where the agent takes them, and are left out with a warning where not", () =>
    onStage({ agent: httpAgent() }, async (stage) => {
      const stdio = { name: "a", command: "x", args: [], env: [], _meta: { n: 1 } };
      const http = { type: "http", name: "b", url: "https://example.com", headers: [] };
      const sse = { type: "sse", name: "c", url: "https://example.com", headers: [] };
      await stage.session([stdio, http, sse]);
      assert.deepEqual(
        [await serversAtAgent(stage), stage.events.filter(({ level }) => level === "warn").map(({ fields }) => fields)],
        [[stdio, http], [{ server: "c" }]],
      );
    }));

  it("of the editor over ACP are bridged too", () => {
    const answers = {
      "mcp/message": { result: { resultType: "complete", content: [{ type: "text", text: "from the editor" }] } },
    };
    return onStage({ agent: httpAgent(), client: { answers } }, async (stage) => {
      await stage.session([{ type: "acp", name: "editor", serverId: "e1" }]);
      assert.deepEqual(
        [
          await serversAtAgent(stage),
          await callPing(stage, "editor"),
          stage.client.received.at(-1)?.params?.object?.["serverId"],
        ],
        [[{ name: "editor", bridged: "http" }], [{ type: "text", text: "from the editor" }], "e1"],
      );
    });
  });

  it("are withdrawn when the session ends, is refused, or is opened anew", () =>
    onStage({ proxies: [offering(pingServer("ping"))], agent: httpAgent() }, async (stage) => {
      const params = { cwd: "/w", mcpServers: [] };
      const sessionId = await stage.session();
      await stage.result("session/load", { ...params, sessionId });
      await stage.result("session/close", { sessionId });
      await stage.error("session/load", params);
      await settled();
      assert.deepEqual(stage.bridge.log, [
        "http ping",
        "http ping",
        "withdrawn ping",
        "withdrawn ping",
        "http ping",
        "withdrawn ping",
      ]);
    }));

  it("that cannot be served fail the session, and those before them are withdrawn", () => {
    const two: Proxy = {
      name: "two",
      connect: () => ({ mcpServers: () => [pingServer("ping"), pingServer("unservable")] }),
    };
    return onStage({ proxies: [two], agent: httpAgent() }, async (stage) => {
      await stage.initialize();
      const { message } = await stage.error("session/new", { cwd: "/w", mcpServers: [] });
      await settled();
      assert.deepEqual(
        [message, stage.bridge.log],
        [
          "The MCP servers of this session could not be offered: no port for unservable",
          ["http ping", "withdrawn ping"],
        ],
      );
    });
  });

  it("of one proxy stay when a session with them ends: they belong to the proxy", async () => {
    let disposals = 0;
    const shared: McpServer & AsyncDisposable = {
      ...pingServer("shared"),
      [Symbol.asyncDispose]: () => {
        disposals++;
        return Promise.resolve();
      },
    };
    for (const abilities of [{ http: true }, { acp: true }]) {
      await onStage({ proxies: [offering(shared)], agent: withAbilities(abilities) }, async (stage) => {
        const sessionId = await stage.session();
        await stage.result("session/close", { sessionId });
      });
    }
    assert.equal(disposals, 0);
  });

  it("are no reason to lose a cancellation that comes while they are prepared", () => {
    const agent = new PlayedAgent({
      initialize: { agentCapabilities: { mcpCapabilities: { http: true } } },
      "session/new": () => undefined,
    });
    return onStage({ proxies: [offering(pingServer("ping"))], agent }, async (stage) => {
      await stage.initialize();
      const controller = new AbortController();
      const opening = stage.ask("session/new", { cwd: "/w", mcpServers: [] }, controller.signal);
      controller.abort();
      await agent.peer.waitFor("session/new", "cancel");
      agent.peer.open[0]?.reply(Outcome.error(RpcError.cancelled()));
      const { code } = (await opening).json.object ?? {};
      await settled();
      const cancels = agent.peer.received.filter(({ kind }) => kind === "cancel").length;
      assert.deepEqual([code, cancels, stage.bridge.log], [-32800, 1, ["http ping", "withdrawn ping"]]);
    });
  });
});

for (const dialect of ["legacy", "mid", "current"] as const satisfies readonly WireDialectName[]) {
  describe(`MCP servers of an external proxy (${dialect})`, () => {
    it("are called by an agent with http, with progress for each caller's own token", () =>
      onStage(
        { proxies: [wireProxy(dialect, { mcpServer: pingServer("ext"), serverId: "id-1" })], agent: httpAgent() },
        async (stage) => {
          const sessionId = await stage.session();
          const progress: unknown[] = [];
          const server = stage.bridge.exposed.get("ext");
          const controller = new AbortController();
          const slow = server?.call(
            "tools/call",
            Json.of({ name: "mcp_slow", arguments: {}, _meta: { progressToken: 7, kept: 1 } }),
            {
              signal: controller.signal,
              notify: (method, params) => {
                progress.push([method, params?.value]);
                controller.abort();
              },
            },
          );
          const code = (await slow)?.json.object?.["code"];
          const answers = [await serversAtAgent(stage), await callPing(stage, "ext"), code, progress];
          await stage.result("session/close", { sessionId });
          assert.deepEqual(answers, [
            [{ name: "ext", bridged: "http" }],
            pong("ext"),
            -32800,
            [["notifications/progress", { progressToken: 7, progress: 1, total: 2 }]],
          ]);
        },
      ));

    it("describe themselves", () =>
      onStage(
        { proxies: [wireProxy(dialect, { mcpServer: pingServer("ext") })], agent: httpAgent() },
        async (stage) => {
          await stage.session();
          assert.deepEqual(await stage.bridge.exposed.get("ext")?.describe(context.signal), {
            serverInfo: { name: "ext", version: "1.0.0" },
            capabilities: { tools: {} },
            instructions: "Ping.",
          });
        },
      ));

    it("are called by an agent that speaks MCP over ACP", () =>
      onStage(
        { proxies: [wireProxy(dialect, { mcpServer: pingServer("ext") })], agent: withAbilities({ acp: true }) },
        async (stage) => {
          const sessionId = await stage.session();
          await stage.prompt(sessionId, 'mcp_call ext tools/call {"name":"mcp_ping","arguments":{"text":"x"}}');
          const [, answer = ""] = /mcp\/message result (.*)/.exec(stage.client.text) ?? [];
          const { result } = JSON.parse(answer) as { result: { content: unknown } };
          assert.deepEqual([result.content, stage.bridge.log], [pong("x"), []]);
        },
      ));

    it("are reached past other proxies of any generation", () => {
      const proxies = [
        wireProxy("current"),
        wireProxy(dialect, { mcpServer: pingServer("ext") }),
        wireProxy("mid"),
        wireProxy("legacy"),
        wireProxy("current"),
      ];
      return onStage({ proxies, agent: httpAgent() }, async (stage) => {
        await stage.session();
        assert.deepEqual(await callPing(stage, "ext"), pong("ext"));
      });
    });
  });
}

describe("an agent that speaks MCP over ACP", () => {
  const native = (): ScriptedAgent => withAbilities({ acp: true });
  const call = async (stage: Stage, sessionId: string, script: string): Promise<unknown> => {
    const before = stage.client.text.length;
    await stage.prompt(sessionId, script);
    const [, kind = "", answer = ""] = /mcp\/message (result|error) (.*)/.exec(stage.client.text.slice(before)) ?? [];
    return [kind, JSON.parse(answer) as unknown];
  };

  it("gets servers of this process as they are declared, and calls them", () =>
    onStage({ proxies: [offering(pingServer("ping"))], agent: native() }, async (stage) => {
      const sessionId = await stage.session();
      const [declared] = (await serversAtAgent(stage)) as [{ type: string; name: string; serverId: string }];
      assert.match(declared.serverId, /^ping:[0-9a-f-]{36}$/);
      assert.deepEqual(
        [
          { ...declared, serverId: "" },
          await call(stage, sessionId, 'mcp_call ping tools/call {"name":"mcp_ping","arguments":{"text":"x"}}'),
          await call(stage, sessionId, 'mcp_call ping tools/call {"name":"none"}'),
          await call(stage, sessionId, "mcp_call ping unknown/method"),
        ],
        [
          { type: "acp", name: "ping", serverId: "" },
          ["result", { result: { resultType: "complete", content: pong("x") } }],
          ["result", { error: { code: -32602, message: "Unknown tool: none" } }],
          ["result", { error: { code: -32601, message: "Method not found: unknown/method" } }],
        ],
      );
    }));

  it("no longer reaches the servers of a session that was closed, and still those of another that has the same", () => {
    const shared = wireProxy("legacy", { mcpServer: pingServer("ext"), serverId: "same" });
    return onStage({ proxies: [shared], agent: native() }, async (stage) => {
      const first = await stage.session();
      const { sessionId: second } = (await stage.result("session/new", { cwd: "/w", mcpServers: [] })) as {
        sessionId: string;
      };
      await stage.result("session/close", { sessionId: first });
      const ping = 'mcp_call ext tools/call {"name":"mcp_ping","arguments":{"text":"x"}}';
      const [kind] = (await call(stage, second, ping)) as [string];
      assert.equal(kind, "result");
    });
  });

  it("gets progress and cancels", () =>
    onStage({ proxies: [offering(pingServer("ping"))], agent: native() }, async (stage) => {
      const sessionId = await stage.session();
      const turn = stage.ask("session/prompt", {
        sessionId,
        prompt: [{ type: "text", text: 'mcp_call ping tools/call {"name":"mcp_slow"}' }],
      });
      await settled();
      stage.notify("session/cancel", { sessionId });
      await turn;
      const received = await stage.agentReceived();
      const notes = received.filter(({ kind, method }) => kind === "notification" && method === "mcp/message");
      const { serverId, ...note } = notes[0]?.params as Record<string, unknown>;
      assert.equal(typeof serverId, "string");
      assert.deepEqual(
        [notes.length, note, stage.client.text],
        [
          1,
          {
            requestId: "mcp-request-tools/call",
            method: "notifications/progress",
            params: { progressToken: "progress-1", progress: 1, total: 2 },
          },
          'mcp/message error {"code":-32800,"message":"Request cancelled"}\n',
        ],
      );
    }));

  it("is told what is wrong with its envelope, and of servers that nobody has", () => {
    const agent = new PlayedAgent({ initialize: { agentCapabilities: { mcpCapabilities: { acp: true } } } });
    return onStage({ proxies: [offering(pingServer("ping"))], agent }, async (stage) => {
      await stage.session();
      const setup = agent.peer.received.find(({ method }) => method === "session/new")?.params?.object;
      const [{ serverId }] = setup?.["mcpServers"] as [{ serverId: string }];
      const codeOf = async (params: Record<string, unknown>): Promise<unknown> => {
        const { isError, json } = await agent.ask("mcp/message", params);
        return isError ? json.object?.["code"] : (json.object?.["error"] as { code: number }).code;
      };
      const base = { serverId, requestId: "r", method: "tools/list" };
      const meta = (version: string): unknown => ({ _meta: { "io.modelcontextprotocol/protocolVersion": version } });
      assert.deepEqual(
        [
          await codeOf({ ...base, requestId: 1 }),
          await codeOf({ ...base, method: null }),
          await codeOf(base),
          await codeOf({ ...base, params: meta("2099-01-01") }),
          await codeOf({ ...base, params: meta("2026-07-28") }),
          await codeOf({ ...base, serverId: "unknown" }),
        ],
        [-32602, -32602, -32602, -32022, -32602, -32601],
      );
    });
  });
});

describe("MCP requests from the client's side", () => {
  it("are refused where nothing was promised", () =>
    onStage({}, async (stage) => {
      await stage.initialize();
      const codes = [(await stage.error("mcp/message"))["code"], (await stage.error("_mcp/connect"))["code"]];
      assert.deepEqual([codes, (await stage.agentReceived()).length], [[-32601, -32601], 1]);
    }));
});
