import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { Conductor } from "../../../src/conductor/chain/conductor.js";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import { Connection } from "../../../src/base/rpc/connection.js";
import { Json } from "../../../src/base/rpc/json.js";
import { pingServer } from "../../../testing/ping-server.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { offering, passThrough, shouting, signing } from "../../../testing/scripted-proxies.js";
import { wireDialects } from "../../../testing/wire-dialect.js";
import { onStage, type Program, RecordingBridge, settled, type Stage, wireProxy } from "./chain-fixture.js";

/** A program that is a conductor with these proxies and no agent. */
function nested(proxies: readonly Proxy[], bridge = new RecordingBridge()): Program {
  return ({ far }) => {
    const connection: Connection = new Connection({
      send: (line) => far.send(line),
      inbound: {
        request: (request, reply) => conductor.fromClient.request(request, reply),
        notify: (notification) => conductor.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    const conductor = new Conductor({
      proxies: proxies.map((proxy) => ({ kind: "proxy", proxy })),
      client: connection,
      environment: {
        startProcess: () => assert.fail("no process is needed"),
        bridge,
        logger: Logger.silent,
        maxLineBytes: 1_000_000,
      },
      startupTimeoutMs: 60_000,
      onWrappedCancel: (params) => connection.cancelIncoming(params),
    });
    far.start({ line: (line) => connection.receive(line), oversize: () => undefined, end: () => undefined });
  };
}

describe("a Conductor without an agent", () => {
  it("refuses initialize and says what it is", () =>
    onStage({ agent: null }, async (stage) => {
      const { code, message } = await stage.error("initialize", { protocolVersion: 1 });
      assert.equal(code, -32600);
      assert.match(String(message), /must be initialized with proxy\/initialize; to run an agent, pass --agent/);
    }));

  it("refuses everything before proxy/initialize", () =>
    onStage({ agent: null }, async (stage) => {
      const codes = [
        (await stage.error("session/new"))["code"],
        (await stage.error("proxy/successor", { method: "x" }))["code"],
      ];
      assert.deepEqual(codes, [-32600, -32600]);
    }));

  for (const name of ["mid", "current"] as const) {
    const dialect = wireDialects[name];
    /** A stage whose client is another conductor that speaks this dialect. */
    const inChain = (body: (stage: Stage) => Promise<void>): Promise<void> => {
      const answers = {
        [dialect.successor]: (request: { params: Json | undefined }) =>
          request.params?.object?.["method"] === "slow" ? undefined : { echoed: request.params?.value },
      };
      return onStage({ agent: null, proxies: [signing("inner"), shouting()], client: { answers } }, async (stage) => {
        const greeting = await stage.result(dialect.initialize, { protocolVersion: 1, x: [1] });
        assert.deepEqual(greeting, {
          agentCapabilities: { mcpCapabilities: { acp: true } },
          echoed: { method: "initialize", params: { protocolVersion: 1, x: [1] } },
        });
        await body(stage);
      });
    };

    it(`speaks ${dialect.successor} with a conductor that greets with ${dialect.initialize}`, () =>
      inChain(async (stage) => {
        const update = {
          sessionId: "s",
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hello" } },
        };
        stage.notify(dialect.successor, { method: "session/update", params: update, _meta: { hop: 1 } });
        stage.notify("session/cancel", { sessionId: "s" });
        const read = await stage.error(dialect.successor, { method: "fs/read_text_file", params: { path: "/none" } });
        assert.deepEqual(
          [
            await stage.result("_test/echo", { route: [] }),
            read["code"],
            stage.client.text,
            stage.client.received.at(-2)?.method,
            stage.client.received.find(({ kind, method }) => kind === "notification" && method === dialect.successor)
              ?.params?.value,
          ],
          [
            { echoed: { method: "_test/echo", params: { route: ["inner"] } } },
            -32002,
            "HELLO",
            "fs/read_text_file",
            { method: "session/cancel", params: { sessionId: "s" } },
          ],
        );
      }));

    it(`cancels on each hop, plainly or wrapped (${dialect.successor})`, () =>
      inChain(async (stage) => {
        const controller = new AbortController();
        void stage.ask("slow", {}, controller.signal);
        controller.abort();
        void stage.ask("slow", {});
        stage.notify(dialect.successor, { method: "$/cancel_request", params: { requestId: 3 } });
        await settled();
        assert.equal(stage.client.received.filter(({ kind }) => kind === "cancel").length, 2);
      }));

    it(`refuses an envelope without a method or in another (${dialect.successor})`, () =>
      inChain(async (stage) => {
        const before = stage.client.received.length;
        stage.notify(dialect.successor, { method: "proxy/successor", params: { method: "session/update" } });
        stage.notify(dialect.successor, {});
        assert.deepEqual(
          [
            (await stage.error(dialect.successor, {}))["code"],
            (await stage.error(dialect.successor, { method: "_proxy/successor", params: { method: "x" } }))["code"],
            stage.client.received.length - before,
          ],
          [-32602, -32600, 0],
        );
      }));
  }

  it("leaves the servers of others to the conductor around it, and adds those of its proxies", async () => {
    const answers = { "proxy/successor": {} };
    await onStage({ agent: null, proxies: [offering(pingServer("mine"))], client: { answers } }, async (stage) => {
      await stage.result("proxy/initialize", { protocolVersion: 1 });
      const other = { type: "acp", name: "other", serverId: "o" };
      await stage.result("session/new", { cwd: "/w", mcpServers: [other] });
      const inner = stage.client.received.at(-1)?.params?.object?.["params"] as { mcpServers: { name: string }[] };
      assert.deepEqual(
        inner.mcpServers.map((server) => [server.name, "bridged" in server]),
        [
          ["other", false],
          ["mine", true],
        ],
      );
    });
  });
});

describe("a Conductor without an agent whose successor carries MCP over ACP", () => {
  const agentCapabilities = { mcpCapabilities: { acp: true } };
  const call = (serverId: unknown): unknown => ({
    method: "mcp/message",
    params: {
      serverId,
      requestId: "r",
      method: "tools/call",
      params: {
        name: "mcp_ping",
        arguments: { text: "x" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    },
  });

  it("declares the servers of its proxies natively and answers for them, and for no others", () => {
    const answers = { "proxy/successor": { agentCapabilities, sessionId: "s" } };
    return onStage({ agent: null, proxies: [offering(pingServer("mine"))], client: { answers } }, async (stage) => {
      await stage.result("proxy/initialize", { protocolVersion: 1 });
      await stage.result("session/new", { cwd: "/w", mcpServers: [] });
      const inner = stage.client.received.at(-1)?.params?.object?.["params"] as { mcpServers: [{ serverId: string }] };
      const [{ serverId }] = inner.mcpServers;
      const answer = await stage.result("proxy/successor", call(serverId));
      await stage.error("proxy/successor", call("other"));
      await stage.result("session/close", { sessionId: "s" });
      await settled();
      await stage.error("proxy/successor", call(serverId));
      assert.deepEqual(
        [answer, stage.client.received.filter(({ method }) => method === "mcp/message").length, stage.bridge.log],
        [{ result: { resultType: "complete", content: [{ type: "text", text: "pong: x" }] } }, 2, []],
      );
    });
  });

  it("does not rely on it where the conductor around it speaks an older dialect", () => {
    const answers = { "_proxy/successor": { agentCapabilities, sessionId: "s" } };
    return onStage({ agent: null, proxies: [offering(pingServer("mine"))], client: { answers } }, async (stage) => {
      await stage.result("_proxy/initialize", { protocolVersion: 1 });
      await stage.result("session/new", { cwd: "/w", mcpServers: [] });
      assert.deepEqual(stage.bridge.log, ["stdio mine"]);
    });
  });
});

describe("conductors in conductors", () => {
  it("are one chain", () =>
    onStage(
      {
        proxies: [
          signing("a"),
          nested([signing("b"), shouting(), signing("c")]),
          wireProxy("legacy", { name: "d" }),
          nested([]),
          nested([signing("e")]),
        ],
      },
      async (stage) => {
        const sessionId = await stage.session();
        const controller = new AbortController();
        const waiting = stage.ask(
          "session/prompt",
          { sessionId, prompt: [{ type: "text", text: "wait_for_cancel" }] },
          controller.signal,
        );
        await stage.client.waitFor("session/update");
        controller.abort();
        assert.deepEqual(
          [(await waiting).json.object?.["code"], await stage.result("_test/echo", { route: [] }), stage.client.text],
          [-32800, { route: ["a", "b", "c", "d", "e"] }, "WAITING\nCANCELLED BY $/CANCEL_REQUEST\n"],
        );
      },
    ));

  it("bring the servers of inner proxies to the agent over the bridge of the inner one", async () => {
    const seen: unknown[] = [];
    for (const mcpCapabilities of [{ http: true }, {}]) {
      const bridge = new RecordingBridge();
      const proxies = [nested([offering(pingServer("ping")), passThrough()], bridge)];
      await onStage({ proxies, agent: new ScriptedAgent({ capabilities: { mcpCapabilities } }) }, async (stage) => {
        const sessionId = await stage.session();
        const params = Json.of({ name: "mcp_ping", arguments: { text: "x" } });
        const context = { signal: new AbortController().signal, notify: () => undefined };
        const outcome = await bridge.exposed.get("ping")?.call("tools/call", params, context);
        await stage.result("session/close", { sessionId });
        await settled();
        seen.push([bridge.log, stage.bridge.log, outcome?.json.object?.["content"]]);
      });
    }
    const content = [{ type: "text", text: "pong: x" }];
    assert.deepEqual(seen, [
      [["http ping", "withdrawn ping"], [], content],
      [["stdio ping", "withdrawn ping"], [], content],
    ]);
  });
});
