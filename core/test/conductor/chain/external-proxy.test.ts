import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { ExternalProxy } from "../../../src/conductor/chain/external-proxy.js";
import { Outcome } from "../../../src/base/rpc/message.js";
import { nothingToCancel, type Peer } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { shouting, signing } from "../../../testing/scripted-proxies.js";
import type { WireDialectName } from "../../../testing/wire-dialect.js";
import {
  agentProgram,
  listener,
  mcpServer,
  type MemoryProcess,
  onStage,
  PlayedAgent,
  settled,
  type Stage,
  type StageOptions,
  wireProxy,
} from "./chain-fixture.js";

const dialects = ["legacy", "mid", "current"] as const satisfies readonly WireDialectName[];

/** A proxy that is played by the test. */
async function played(
  body: (stage: Stage, lines: string[], proxy: MemoryProcess, agent: PlayedAgent) => Promise<void>,
): Promise<void> {
  const lines: string[] = [];
  const agent = new PlayedAgent({ slow: () => undefined });
  await onStage({ proxies: [listener(lines)], agent }, async (stage) => {
    const answer = stage.ask("initialize", { protocolVersion: 1, x: 1.5 });
    await settled();
    await body(stage, lines, stage.process("proxy-1"), agent);
    await Promise.race([answer, settled()]);
  });
}

describe("an external proxy", () => {
  for (const dialect of dialects) {
    it(`of the generation ${dialect} takes part without configuration: both sides, errors, cancellation`, () =>
      onStage({ proxies: [signing("first"), wireProxy(dialect, { name: "second", shouts: true })] }, async (stage) => {
        const sessionId = await stage.session();
        const controller = new AbortController();
        const waiting = stage.ask(
          "session/prompt",
          { sessionId, prompt: [{ type: "text", text: "wait_for_cancel" }] },
          controller.signal,
        );
        await settled();
        controller.abort();
        assert.deepEqual(
          [
            await stage.result("_test/echo", { route: [] }),
            (await stage.error("_vendor/unknown"))["code"],
            ((await waiting).json.object ?? {})["code"],
            await stage.prompt(sessionId, "echo hello", "permission allow"),
            stage.client.text.startsWith("WAITING\nCANCELLED BY $/CANCEL_REQUEST\nHELLO\n"),
          ],
          [{ route: ["first", "second"] }, -32601, -32800, { stopReason: "end_turn" }, true],
        );
      }));
  }

  for (const chain of [
    ["legacy", "current"],
    ["current", "mid", "legacy"],
    ["mid", "mid", "current", "current"],
  ] as const) {
    it(`works beside others: ${chain.join(", ")}`, () =>
      onStage(
        {
          proxies: [shouting(), ...chain.map((dialect, index) => wireProxy(dialect, { name: `${index}` }))],
          agent: agentProgram(new ScriptedAgent()),
        },
        async (stage) => {
          const sessionId = await stage.session();
          await stage.prompt(sessionId, "echo hello", "callbacks");
          assert.deepEqual(
            [
              await stage.result("_test/echo", { route: [] }),
              stage.client.text.startsWith("HELLO\n_TEST.EXAMPLE/QUESTION ERROR"),
            ],
            [{ route: chain.map((_dialect, index) => `${index}`) }, true],
          );
        },
      ));
  }

  it("gets initialize word for word, then everything from the agent in envelopes and from the client plainly", () =>
    played(async (stage, lines, proxy, agent) => {
      proxy.far.send(
        '{"jsonrpc":"2.0","id":"p","method":"_proxy/successor","params":{"method":"initialize","params":{"n":1.0},"_meta":{"hop":1},"meta":2}}',
      );
      await settled();
      proxy.far.send('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1.0}}');
      await settled();
      void agent.ask("fs/read_text_file", { path: "/a" });
      stage.notify("session/cancel", { sessionId: "s" });
      await settled();
      assert.deepEqual(
        [lines, agent.peer.received.map(({ method, params }) => [method, params?.text])],
        [
          [
            '{"jsonrpc":"2.0","id":1,"method":"_proxy/initialize","params":{"protocolVersion":1,"x":1.5}}',
            '{"jsonrpc":"2.0","id":"p","result":{"agentCapabilities":{"mcpCapabilities":{"acp":true}},"protocolVersion":1}}',
            '{"jsonrpc":"2.0","id":2,"method":"_proxy/successor","params":{"method":"fs/read_text_file","params":{"path":"/a"}}}',
            '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}',
          ],
          [["initialize", '{"n":1.0}']],
        ],
      );
    }));

  it("gets the options of its entry in its greeting, and nobody behind it does", async () => {
    const lines: string[] = [];
    const agent = new PlayedAgent();
    const proxyOptions = { "proxy-1": { words: ["a"], deep: { n: 1.5 } } };
    await onStage({ proxies: [listener(lines), wireProxy("current")], proxyOptions, agent }, async (stage) => {
      const answer = stage.ask("initialize", { protocolVersion: 1, _meta: { symposium: { other: 1 } } });
      await settled();
      const { params } = JSON.parse(lines[0] ?? "") as { params: unknown };
      const inner = { method: "initialize", params };
      stage
        .process("proxy-1")
        .far.send(JSON.stringify({ jsonrpc: "2.0", id: "p", method: "_proxy/successor", params: inner }));
      while (agent.peer.received.length === 0) await settled();
      assert.deepEqual(
        [params, agent.peer.received[0]?.params?.value],
        [
          { protocolVersion: 1, _meta: { symposium: { options: proxyOptions["proxy-1"], other: 1 } } },
          { protocolVersion: 1, _meta: { symposium: { other: 1 } } },
        ],
      );
      stage.process("proxy-1").far.send('{"jsonrpc":"2.0","id":1,"result":{}}');
      await answer;
    });
  });

  it("that refuses the older greeting gets the newer one, and only then what the client sent meanwhile, in order", () =>
    played(async (stage, lines, proxy) => {
      void stage.ask("session/new", { cwd: "/1" });
      stage.notify("_test/note", { n: 2 });
      const controller = new AbortController();
      const cancelled = stage.ask("session/new", { cwd: "/3" }, controller.signal);
      void stage.ask("session/new", { cwd: "/4" });
      controller.abort();
      await settled();
      const held = lines.length;
      proxy.far.send('{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}');
      await settled();
      proxy.far.send('{"jsonrpc":"2.0","id":"p","method":"proxy/successor","params":{"method":"initialize"}}');
      await settled();
      const methods = lines.map((line) => {
        const { method, params } = JSON.parse(line) as { method?: string; params?: { cwd?: string } };
        return params?.cwd ?? method ?? "answer";
      });
      assert.deepEqual(
        [held, methods, (await cancelled).json.object?.["code"]],
        [1, ["_proxy/initialize", "proxy/initialize", "/1", "_test/note", "/4", "answer"], -32800],
      );
    }));

  it("that forwards the greeting it does not know hears that nobody knows it, and then the one that it knows", () =>
    played(async (_stage, lines, proxy, agent) => {
      proxy.far.send(
        '{"jsonrpc":"2.0","id":"f","method":"proxy/successor","params":{"method":"_proxy/initialize","params":{}}}',
      );
      await settled();
      const [, refusal = "{}"] = lines;
      const { error } = JSON.parse(refusal) as { error?: { code: number } };
      proxy.far.send('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}');
      await settled();
      assert.deepEqual(
        [error?.code, lines[2], agent.peer.received],
        [-32601, '{"jsonrpc":"2.0","id":2,"method":"proxy/initialize","params":{"protocolVersion":1,"x":1.5}}', []],
      );
    }));

  it("keeps to its dialect at a second initialize", () =>
    onStage({ proxies: [wireProxy("current", { name: "p" })] }, async (stage) => {
      await stage.initialize();
      await stage.initialize();
      assert.deepEqual(await stage.result("_test/echo", { route: [] }), { route: ["p"] });
    }));

  it("that is none is named, with what to do", () =>
    onStage({ proxies: [agentProgram(new ScriptedAgent())] }, async (stage) => {
      const { code, message } = await stage.error("initialize", { protocolVersion: 1 });
      assert.equal(code, -32603);
      assert.match(String(message), /^"proxy-1" is not an ACP proxy: .* Pass an agent with --agent\./);
      assert.deepEqual(
        [stage.failures.map(({ component }) => component), (await stage.error("session/new", {}))["message"]],
        [["proxy-1"], message],
      );
    }));

  it("that is an MCP server is said to be one, and so is an agent", async () => {
    const said = async (options: StageOptions): Promise<readonly unknown[]> => {
      let message: unknown;
      await onStage(options, async (stage) => {
        message = (await stage.error("initialize", { protocolVersion: 1 }))["message"];
        assert.equal(stage.failures.length, 1);
      });
      return [message];
    };
    const hint = /Give it to the agent: in the editor's list of MCP servers/;
    for (const [refusal, greeting] of [
      [{ code: -32601, message: "Method not found" }, "initialize"],
      [{ code: -32602, message: "Invalid request parameters" }, "initialize"],
      [{ code: -32603, message: '[{"path":["params","clientInfo"]}]' }, "initialize"],
      [{ code: -32601, message: "Method not found" }, "server/discover"],
    ] as const) {
      const [asProxy] = await said({ proxies: [mcpServer(refusal, greeting)] });
      assert.match(String(asProxy), /^"proxy-1" is an MCP server, not an ACP proxy\. /);
      assert.match(String(asProxy), hint);
      const [asAgent] = await said({ agent: mcpServer(refusal, greeting) });
      assert.match(String(asAgent), /^"agent" is an MCP server, not an ACP agent\. /);
      assert.match(String(asAgent), hint);
    }
  });

  it("brings the agent's refusal of initialize to the client as it was", () => {
    const agent = new PlayedAgent({ initialize: undefined as never });
    return onStage({ proxies: [wireProxy("legacy"), wireProxy("current")], agent }, async (stage) => {
      assert.equal((await stage.error("initialize", {}))["message"], "Method not found: initialize");
    });
  });

  it("is refused envelopes without a method, envelopes in envelopes, and greetings of its own", () =>
    played(async (_stage, lines, proxy, agent) => {
      const send = (method: string, params: unknown): void =>
        proxy.far.send(JSON.stringify({ jsonrpc: "2.0", id: method, method, params }));
      send("proxy/successor", {});
      send("_proxy/successor", null);
      send("proxy/successor", { method: "_proxy/successor", params: { method: "initialize" } });
      send("_proxy/successor", { method: "proxy/initialize" });
      send("proxy/initialize", {});
      proxy.far.send('{"jsonrpc":"2.0","method":"proxy/successor","params":{"params":{}}}');
      proxy.far.send(
        '{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"proxy/successor","params":{"method":"x"}}}',
      );
      await settled();
      const codes = lines.slice(1).map((line) => (JSON.parse(line) as { error: { code: number } }).error.code);
      assert.deepEqual([codes, agent.peer.received], [[-32602, -32602, -32600, -32601, -32601], []]);
    }));

  it("has what it declares for a session known until that is closed, deleted or could not be opened", () => {
    const known = new Set<string>();
    let count = 0;
    const successor: Peer = {
      request: (request, reply) => {
        const isRefused = request.params?.object?.["cwd"] === "/refused";
        reply(isRefused ? Outcome.error(RpcError.internal("no")) : Outcome.of({ sessionId: `session-${count}` }));
        return nothingToCancel;
      },
      notify: () => undefined,
    };
    const proxy = new ExternalProxy({
      name: "p",
      neighbours: { client: successor, successor },
      logger: Logger.silent,
      send: () => undefined,
      onMistaken: () => undefined,
      onSessionSetup: () => {
        const name = `session-${++count}`;
        known.add(name);
        return { [Symbol.dispose]: () => void known.delete(name) };
      },
    });
    const send = (method: string, params: unknown): string => {
      const envelope = { jsonrpc: "2.0", id: 1, method: "_proxy/successor", params: { method, params } };
      proxy.connection.receive(JSON.stringify(envelope));
      return [...known].join();
    };
    const open = (cwd = "/w"): string => send("session/new", { cwd, mcpServers: [] });
    assert.deepEqual(
      [
        open(),
        open(),
        open("/refused"),
        send("session/close", { sessionId: "session-1" }),
        send("session/delete", { sessionId: "session-2" }),
      ],
      ["session-1", "session-1,session-2", "session-1,session-2", "session-2", ""],
    );
  });

  it("cancels with a plain cancellation or with a wrapped one, once for each request", () =>
    played(async (_stage, lines, proxy, agent) => {
      const slow = (id: string): void =>
        proxy.far.send(
          `{"jsonrpc":"2.0","id":"${id}","method":"proxy/successor","params":{"method":"slow","params":null}}`,
        );
      slow("a");
      slow("b");
      proxy.far.send('{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}');
      proxy.far.send(
        '{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"$/cancel_request","params":{"requestId":"b"}}}',
      );
      await settled();
      assert.deepEqual(
        [agent.peer.received.map(({ kind, params }) => [kind, params?.text]), lines.length],
        [
          [
            ["request", undefined],
            ["request", undefined],
            ["cancel", undefined],
            ["cancel", undefined],
          ],
          1,
        ],
      );
    }));

  it("may ask and tell the client itself", () =>
    played(async (stage, lines, proxy) => {
      proxy.far.send('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{}}}');
      proxy.far.send('{"jsonrpc":"2.0","id":1.0,"method":"terminal/create","params":{}}');
      await settled();
      assert.deepEqual(
        [stage.client.methods, lines.at(-1)],
        [["session/update", "terminal/create"], '{"jsonrpc":"2.0","id":1.0,"result":{"terminalId":"terminal-1"}}'],
      );
    }));

  it("may print what is no message", () =>
    played(async (stage, _lines, proxy) => {
      for (const line of ["warming up", "{", "[]", '{"level":"info"}']) proxy.far.send(line);
      await settled();
      assert.deepEqual(stage.events.filter(({ event }) => event === "skipped a line").length, 4);
    }));
});
