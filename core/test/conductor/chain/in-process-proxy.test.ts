import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { InProcessProxy } from "../../../src/conductor/chain/in-process-proxy.js";
import type { Proxy, ProxyHandlers, ProxySession } from "../../../src/conductor/chain/proxy.js";
import type { McpServer } from "../../../src/base/mcp/mcp-server.js";
import { Notification, Request } from "../../../src/base/rpc/message.js";
import { McpServerTable } from "../../../src/base/mcp/server-table.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";
import { pingServer } from "../../../testing/ping-server.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { offering, passThrough } from "../../../testing/scripted-proxies.js";
import { onStage, PlayedAgent, settled, type Stage } from "./chain-fixture.js";

const failing = (handlers: ProxyHandlers): Proxy => ({ name: "faulty", connect: () => handlers });
const fail = (): never => {
  throw new Error("a defect");
};
const failed = { code: -32603, message: 'The extension "faulty" failed: a defect', data: { component: "faulty" } };

/** Offers a server to every session and keeps the sessions. */
function remembering(sessions: ProxySession[], server: McpServer = pingServer("ping")): Proxy {
  return {
    name: "remembering",
    connect: () => ({
      mcpServers: (session) => {
        sessions.push(session);
        return [server];
      },
    }),
  };
}

async function open(stage: Stage, method: string, params: unknown): Promise<readonly unknown[]> {
  await stage.result(method, params);
  const request = (await stage.agentReceived()).findLast((received) => received.method === method);
  return (request?.params as { mcpServers?: unknown[] } | undefined)?.mcpServers ?? ["none"];
}

describe("a handler of a proxy that throws", () => {
  it("fails its own request and nothing else", () =>
    onStage({ proxies: [failing({ clientRequests: { "_test/a": fail } })] }, async (stage) => {
      await stage.initialize();
      assert.deepEqual([await stage.error("_test/a"), await stage.result("_test/echo", [1])], [failed, [1]]);
    }));

  it("fails the agent's request", () =>
    onStage({ proxies: [failing({ agentRequests: { "_test.example/question": fail } })] }, async (stage) => {
      const sessionId = await stage.session();
      await stage.prompt(sessionId, "callbacks");
      assert.equal(stage.client.text, `_test.example/question error ${JSON.stringify(failed)}\n`);
    }));

  it("lets its notification pass as it was", () =>
    onStage(
      {
        proxies: [
          failing({ clientNotifications: { "_test/n": fail }, agentNotifications: { "session/update": fail } }),
        ],
      },
      async (stage) => {
        const sessionId = await stage.session();
        stage.notify("_test/n", { a: 1 });
        await stage.prompt(sessionId, "echo hello");
        assert.deepEqual(
          [stage.client.text, (await stage.agentReceived()).filter(({ method }) => method === "_test/n").length],
          ["hello\n", 1],
        );
      },
    ));

  it("fails its request when it throws only at the answer, which it changes", () => {
    const proxy: Proxy = {
      name: "faulty",
      connect: ({ successor }) => ({
        clientRequests: { "_test/echo": (request) => successor.request(request, fail) },
      }),
    };
    return onStage({ proxies: [passThrough(), proxy, passThrough("last")] }, async (stage) => {
      await stage.initialize();
      assert.deepEqual(
        [
          await stage.error("_test/echo"),
          (await stage.error("_test/other"))["code"],
          stage.events.filter(({ level }) => level === "error").length,
        ],
        [failed, -32601, 1],
      );
    });
  });

  it("fails no request that it was not handling", () => {
    let start: () => void = () => assert.fail();
    const proxy: Proxy = {
      name: "faulty",
      connect: ({ successor }) => {
        start = () => void successor.request(Request.of("_test/echo", {}), fail);
        return { clientRequests: { "_test/open": () => undefined } };
      },
    };
    return onStage({ proxies: [proxy] }, async (stage) => {
      await stage.initialize();
      let isAnswered = false;
      void stage.ask("_test/open").then(() => (isAnswered = true));
      start();
      await settled();
      assert.deepEqual([isAnswered, stage.events.map(({ event }) => event)], [false, ["a handler failed"]]);
    });
  });

  it("fails the requests of the client when the proxy could not even join", () =>
    onStage({ proxies: [{ name: "faulty", connect: fail }] }, async (stage) => {
      assert.deepEqual(
        [await stage.error("initialize", { protocolVersion: 1 }), await stage.error("session/new"), stage.failures],
        [failed, failed, []],
      );
    }));

  it("fails the session when it is the one that offers MCP servers", () =>
    onStage({ proxies: [failing({ mcpServers: fail })] }, async (stage) => {
      await stage.initialize();
      assert.deepEqual(
        [await stage.error("session/new", { cwd: "/w", mcpServers: [] }), await stage.result("_test/echo", [1])],
        [failed, [1]],
      );
    }));
});

describe("MCP servers that a proxy offers", () => {
  it("are added to every way of opening a session, behind those that are there", async () => {
    const sessions: ProxySession[] = [];
    const own = { name: "own", command: "x", args: [], env: [] };
    const ways = ["session/new", "session/load", "session/resume", "session/fork"];
    await onStage({ proxies: [remembering(sessions)] }, async (stage) => {
      await stage.initialize();
      for (const method of ways) {
        const servers = await open(stage, method, { sessionId: "known", cwd: `/${method}`, mcpServers: [own] });
        assert.deepEqual(servers, [own, { name: "ping", bridged: "http" }]);
      }
      assert.deepEqual(
        sessions.map(({ cwd, sessionId }) => [cwd, sessionId]),
        [
          ["/session/new", "session-1"],
          ["/session/load", "known"],
          ["/session/resume", "known"],
          ["/session/fork", "session-2"],
        ],
      );
    });
  });

  it("are given where the client sent no list, or null", () =>
    onStage({ proxies: [offering(pingServer("ping"))] }, async (stage) => {
      await stage.initialize();
      const given = [
        await open(stage, "session/new", { cwd: "/w" }),
        await open(stage, "session/new", { cwd: "/w", mcpServers: null }),
      ];
      assert.deepEqual(given, [[{ name: "ping", bridged: "http" }], [{ name: "ping", bridged: "http" }]]);
    }));

  it("end with the session: closed, deleted, opened anew, or refused", () => {
    const sessions: ProxySession[] = [];
    return onStage({ proxies: [remembering(sessions)] }, async (stage) => {
      await stage.initialize();
      const params = { cwd: "/w", mcpServers: [] };
      await stage.result("session/new", params);
      await stage.result("session/new", params);
      await stage.result("session/load", { ...params, sessionId: "old" });
      await stage.result("session/load", { ...params, sessionId: "old" });
      await stage.result("session/close", { sessionId: "session-1" });
      await stage.result("session/delete", { sessionId: "session-2" });
      await stage.error("session/load", params);
      assert.deepEqual(
        sessions.map(({ signal }) => signal.aborted),
        [true, true, true, false, true],
      );
    });
  });

  it("live on when the agent refuses to close, and end with the chain", async () => {
    const sessions: ProxySession[] = [];
    await onStage({ proxies: [remembering(sessions)] }, async (stage) => {
      await stage.session();
      await stage.error("session/close", { sessionId: "unknown" });
      assert.equal(sessions[0]?.signal.aborted, false);
    });
    assert.equal(sessions[0]?.signal.aborted, true);
  });

  it("of equal names are refused with the name, and the next session opens", () => {
    let isTwin = true;
    const twin: Proxy = { name: "twin", connect: () => ({ mcpServers: () => (isTwin ? [pingServer("ping")] : []) }) };
    return onStage({ proxies: [offering(pingServer("ping")), twin] }, async (stage) => {
      await stage.initialize();
      const { code, message } = await stage.error("session/new", { cwd: "/w", mcpServers: [] });
      isTwin = false;
      await stage.result("session/new", { cwd: "/w", mcpServers: [] });
      assert.equal(code, -32602);
      assert.match(String(message), /two MCP servers of this session are named "ping"/);
    });
  });

  it("may not have the name of a server of the editor", () =>
    onStage({ proxies: [offering(pingServer("ping"))] }, async (stage) => {
      await stage.initialize();
      const mcpServers = [{ name: "ping", command: "x", args: [], env: [] }];
      assert.equal((await stage.error("session/new", { cwd: "/w", mcpServers }))["code"], -32602);
    }));
});

describe("the table of a chain's MCP servers", () => {
  it("has the servers of a proxy for as long as the session is open", async () => {
    const servers = new McpServerTable();
    const agent = new PlayedAgent({ "session/close": {} });
    const neighbours = { client: new RecordingPeer(), successor: agent.peer };
    const proxy = new InProcessProxy(offering(pingServer("ping")), neighbours, Logger.silent, servers);
    const found: unknown[] = [];
    await ask(proxy.fromClient, Request.of("session/new", { cwd: "/w", mcpServers: [] }));
    const [{ serverId }] = agent.peer.received[0]?.params?.object?.["mcpServers"] as [{ serverId: string }];
    found.push(servers.find(serverId)?.owner);
    await ask(proxy.fromClient, Request.of("session/close", { sessionId: "s" }));
    found.push(servers.find(serverId));
    assert.deepEqual(found, ["offering", undefined]);
    await proxy[Symbol.asyncDispose]();
  });
});

describe("the resources of a proxy", () => {
  it("are released with the chain, after those of its sessions", async () => {
    const released: string[] = [];
    const proxy: Proxy = {
      name: "owner",
      connect: () => ({
        mcpServers: (session) => {
          session.signal.addEventListener("abort", () => released.push("session"));
          return [];
        },
        [Symbol.asyncDispose]: () => {
          released.push("proxy");
          return Promise.resolve();
        },
      }),
    };
    await onStage({ proxies: [proxy], agent: new ScriptedAgent() }, async (stage) => {
      await stage.session();
      assert.deepEqual(released, []);
    });
    assert.deepEqual(released, ["session", "proxy"]);
  });
});

describe("a proxy that handles a notification", () => {
  it("may pass on another in its place", () => {
    const proxy: Proxy = {
      name: "renaming",
      connect: () => ({ clientNotifications: { "_test/a": ({ params }) => new Notification("_test/b", params) } }),
    };
    return onStage({ proxies: [proxy] }, async (stage) => {
      await stage.initialize();
      stage.notify("_test/a", { n: 1 });
      assert.deepEqual((await stage.agentReceived()).at(-1), {
        kind: "notification",
        method: "_test/b",
        params: { n: 1 },
      });
    });
  });
});
