import assert from "node:assert/strict";
import type { Proxy } from "../../../src/conductor/chain/proxy.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import type { Peer } from "../../../src/base/rpc/peer.js";
import { numbersResult } from "../../../testing/commands/misbehaviour.js";
import { stableUpdates, unknownUpdates, unstableUpdates } from "../../../testing/sample-updates.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import {
  adding,
  answering,
  dropping,
  observer,
  passThrough,
  shouting,
  signing,
} from "../../../testing/scripted-proxies.js";
import { onStage } from "./chain-fixture.js";

const chains: readonly (readonly [string, () => readonly Proxy[]])[] = [
  ["no proxy", () => []],
  ["one proxy", () => [passThrough("one")]],
  [
    "three proxies, one of which looks at every update",
    () => [passThrough("one"), observer(() => undefined, "two"), passThrough("three")],
  ],
];

for (const [title, proxies] of chains) {
  describe(`a Conductor with ${title}`, () => {
    it("carries every kind of update unchanged and in order, before the answer to the turn", () =>
      onStage({ proxies: proxies() }, async (stage) => {
        const sessionId = await stage.session();
        const seenAtAnswer = stage.prompt(sessionId, "updates").then((result) => [result, stage.client.updates.length]);
        assert.deepEqual(await seenAtAnswer, [
          { stopReason: "end_turn" },
          stableUpdates.length + unstableUpdates.length + unknownUpdates.length,
        ]);
        assert.deepEqual(stage.client.updates, [...stableUpdates, ...unstableUpdates, ...unknownUpdates]);
      }));

    it("keeps the spelling of numbers in both directions", () =>
      onStage({ proxies: proxies() }, async (stage) => {
        const sessionId = await stage.session();
        const prompt = [{ type: "text", text: "numbers" }];
        const answer = await stage.ask("session/prompt", { sessionId, prompt });
        const params = Json.ofText('{"u64":18446744073709551615,"f":1.0 ,"e":1E3}');
        const echo = new Promise<Outcome>((resolve) =>
          stage.connection.request(new Request("_test/echo", params), resolve),
        );
        assert.deepEqual(
          [
            answer.json.text,
            stage.client.received.at(-1)?.params?.text.includes('"used":1.0,"size":18446744073709551615'),
            (await echo).json.text,
          ],
          [numbersResult, true, params.text],
        );
      }));

    it("carries null results, errors with data and unknown methods from either side", () =>
      onStage(
        { proxies: proxies(), client: { answers: { "_test.example/question": { a: [null] } } } },
        async (stage) => {
          const sessionId = await stage.session();
          const turn = (script: string): Promise<Outcome> =>
            stage.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: script }] });
          const answers = [
            await turn("null_result"),
            await turn("error -32099 with data"),
            await stage.ask("_vendor/unknown", [1]),
          ];
          await stage.prompt(sessionId, "callbacks");
          stage.notify("_vendor/note", { deep: [{}] });
          assert.deepEqual(
            {
              answers: answers.map(({ isError, json }) => [isError, json.value]),
              asked: stage.client.received
                .filter(({ method }) => method.startsWith("_test"))
                .map(({ kind, method }) => [kind, method]),
              said: stage.client.text,
              noted: (await stage.agentReceived()).at(-1),
            },
            {
              answers: [
                [false, null],
                [
                  true,
                  { code: -32099, message: "with data", data: { command: "error", details: ["first", { second: 2 }] } },
                ],
                [
                  true,
                  { code: -32601, message: "Method not found: _vendor/unknown", data: { method: "_vendor/unknown" } },
                ],
              ],
              asked: [
                ["notification", "_test.example/remark"],
                ["request", "_test.example/question"],
              ],
              said: '_test.example/question result {"a":[null]}\n',
              noted: { kind: "notification", method: "_vendor/note", params: { deep: [{}] } },
            },
          );
        },
      ));

    it("lets the agent ask the client: permission, files, terminals, elicitation", () =>
      onStage(
        { proxies: proxies(), client: { files: new Map([["/w/a", "text"]]), permits: "allow_always" } },
        async (stage) => {
          const sessionId = await stage.session();
          const result = await stage.prompt(
            sessionId,
            "permission allow",
            "fs /w/a /w/b",
            "terminal make all",
            "elicitation",
          );
          assert.deepEqual(
            [result, stage.client.received.filter(({ kind }) => kind === "request").map(({ method }) => method)],
            [
              { stopReason: "end_turn" },
              [
                "session/request_permission",
                "fs/read_text_file",
                "fs/write_text_file",
                "terminal/create",
                "terminal/output",
                "terminal/wait_for_exit",
                "terminal/output",
                "terminal/kill",
                "terminal/release",
                "elicitation/create",
                "elicitation/create",
              ],
            ],
          );
        },
      ));

    it("carries session/cancel and $/cancel_request to the agent, one of each", () =>
      onStage({ proxies: proxies() }, async (stage) => {
        const sessionId = await stage.session();
        const waiting = { sessionId, prompt: [{ type: "text", text: "wait_for_cancel" }] };
        const first = stage.ask("session/prompt", waiting);
        stage.notify("session/cancel", { sessionId });
        const controller = new AbortController();
        const firstAnswer = (await first).json.value;
        const second = stage.ask("session/prompt", waiting, controller.signal);
        controller.abort();
        assert.deepEqual(
          [firstAnswer, (await second).json.value, stage.sent.filter((line) => line.includes("$/cancel_request"))],
          [
            { stopReason: "cancelled" },
            { code: -32800, message: "Request cancelled" },
            ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":4}}'],
          ],
        );
      }));

    it("carries the agent's cancellation of a request to the client", () =>
      onStage(
        { proxies: proxies(), client: { answers: { "session/request_permission": () => undefined } } },
        async (stage) => {
          const sessionId = await stage.session();
          const turn = stage.ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "permission" }] });
          await stage.client.waitFor("session/request_permission");
          stage.notify("session/cancel", { sessionId });
          await stage.client.waitFor("session/request_permission", "cancel");
          stage.client.open[0]?.reply(Outcome.of({ outcome: { outcome: "cancelled" } }));
          const { value } = (await turn).json;
          const cancels = stage.client.received.filter(({ kind }) => kind === "cancel").length;
          assert.deepEqual([value, cancels], [{ stopReason: "cancelled" }, 1]);
        },
      ));
  });
}

describe("a Conductor", () => {
  it("passes what the client can do to the agent as it is, and tells of the agent's abilities all but MCP over ACP", () =>
    onStage(
      {
        proxies: [passThrough()],
        agent: new ScriptedAgent({ capabilities: { mcpCapabilities: { http: true, _meta: { a: 1 } } } }),
      },
      async (stage) => {
        const clientCapabilities = { fs: { readTextFile: true }, unknown: { x: null }, _meta: { y: 1 } };
        const result = (await stage.result("initialize", {
          protocolVersion: 1,
          clientCapabilities,
          more: [1],
        })) as Record<string, unknown>;
        const direct = await new Promise<Outcome>((resolve) =>
          new ScriptedAgent({ capabilities: { mcpCapabilities: { http: true, _meta: { a: 1 } } } })
            .connect(stage.client)
            .fromClient.request(Request.of("initialize", { protocolVersion: 1 }), resolve),
        );
        const expected = structuredClone(direct.json.value) as {
          agentCapabilities: { mcpCapabilities: Record<string, unknown> };
        };
        expected.agentCapabilities.mcpCapabilities["acp"] = true;
        assert.deepEqual(
          [result, (await stage.agentReceived())[0]],
          [
            expected,
            { kind: "request", method: "initialize", params: { protocolVersion: 1, clientCapabilities, more: [1] } },
          ],
        );
      },
    ));

  it("refuses what comes before initialize, and takes initialize afterwards", () =>
    onStage({}, async (stage) => {
      stage.notify("session/cancel", { sessionId: "s" });
      const refused = await stage.error("session/new", { cwd: "/w", mcpServers: [] });
      const initialized = (await stage.initialize()) as { protocolVersion: number };
      assert.deepEqual(
        [refused, initialized.protocolVersion, (await stage.agentReceived()).length],
        [{ code: -32600, message: "Invalid request: expected `initialize` request" }, 1, 1],
      );
    }));

  it("carries a second initialize through the same chain", () => {
    let connections = 0;
    const counting: Proxy = { name: "counting", connect: () => (connections++, {}) };
    return onStage({ proxies: [counting] }, async (stage) => {
      await stage.initialize();
      await stage.initialize();
      assert.deepEqual(
        [connections, (await stage.agentReceived()).map(({ method }) => method)],
        [1, ["initialize", "initialize"]],
      );
    });
  });

  it("builds nothing before initialize", () => {
    let connections = 0;
    return onStage({ proxies: [{ name: "counting", connect: () => (connections++, {}) }] }, async (stage) => {
      await stage.error("session/new");
      assert.equal(connections, 0);
    });
  });

  it("refuses the methods between conductors and proxies from a client", () =>
    onStage({}, async (stage) => {
      await stage.initialize();
      const errors: unknown[] = [];
      for (const method of ["proxy/initialize", "_proxy/initialize", "proxy/successor", "_proxy/successor"]) {
        errors.push((await stage.error(method, { method: "session/new", params: {} }))["code"]);
      }
      stage.notify("proxy/successor", { method: "session/cancel", params: {} });
      stage.notify("_proxy/successor", { method: "session/cancel", params: {} });
      assert.deepEqual(
        [errors, (await stage.agentReceived()).map(({ method }) => method)],
        [[-32600, -32600, -32600, -32600], ["initialize"]],
      );
    }));

  it("may change the answer to initialize on its way to the client", () => {
    const editInitialized = (): Outcome => Outcome.of("edited");
    return onStage({ conductor: { editInitialized } }, async (stage) => {
      assert.equal(await stage.result("initialize", { protocolVersion: 1 }), "edited");
    });
  });

  it("assembles adapters for what the editor lacks", () => {
    const adapters = [{ provides: "terminal", make: () => signing("terminal adapter") }];
    const needy: Proxy = { ...signing("needy"), needs: ["terminal"] };
    const route = (capabilities: unknown): Promise<unknown> =>
      new Promise((resolve) => {
        void onStage({ proxies: [needy], conductor: { adapters } }, async (stage) => {
          await stage.initialize(capabilities);
          resolve(await stage.result("_test/echo", { route: [] }));
        });
      });
    return Promise.all([route({}), route({ terminal: true })]).then((routes) =>
      assert.deepEqual(routes, [{ route: ["terminal adapter", "needy"] }, { route: ["needy"] }]),
    );
  });

  it("offers every hop to the tap, in the order of the chain", () => {
    const hops: string[] = [];
    const tap = (peer: Peer, from: string, to: string): Peer => {
      hops.push(`${from} > ${to}`);
      return peer;
    };
    return onStage(
      { proxies: [passThrough("a"), passThrough("b")], conductor: { environment: { tap } } },
      async (stage) => {
        await stage.initialize();
        assert.deepEqual(hops.sort(), ["Agent > b", "Client > a", "a > Client", "a > b", "b > Agent", "b > a"]);
      },
    );
  });
});

describe("proxies in a Conductor", () => {
  it("see messages in the order of the chain", () =>
    onStage({ proxies: [signing("first"), passThrough(), signing("second")] }, async (stage) => {
      await stage.initialize();
      assert.deepEqual(await stage.result("_test/echo", { route: [] }), { route: ["first", "second"] });
    }));

  it("change, add, hold back and answer messages", () =>
    onStage(
      {
        proxies: [adding(), shouting(), dropping("_test.example/remark"), answering("_test.example/question", "mine")],
      },
      async (stage) => {
        const sessionId = await stage.session();
        const result = await stage.prompt(sessionId, "echo hello", "callbacks");
        assert.deepEqual(
          [result, stage.client.text, stage.client.methods.filter((method) => method.startsWith("_test"))],
          [{ stopReason: "end_turn" }, 'added before\nHELLO\n_TEST.EXAMPLE/QUESTION RESULT "MINE"\nadded after\n', []],
        );
      },
    ));

  it("may start requests and notifications of their own toward either side", () => {
    const busy: Proxy = {
      name: "busy",
      connect: ({ client, successor }) => ({
        clientRequests: {
          "_test/start": (_request, reply) => {
            client.notify(Notification.of("_test/note", {}));
            client.request(Request.of("fs/read_text_file", { path: "/a" }), (read) => {
              successor.request(Request.of("_test/echo", read.json.value), reply);
            });
            return undefined;
          },
        },
      }),
    };
    return onStage({ proxies: [busy], client: { files: new Map([["/a", "text"]]) } }, async (stage) => {
      await stage.initialize();
      assert.deepEqual(
        [await stage.result("_test/start"), stage.client.methods],
        [{ content: "text" }, ["_test/note", "fs/read_text_file"]],
      );
    });
  });
});
