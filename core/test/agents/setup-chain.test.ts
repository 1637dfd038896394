import assert from "node:assert/strict";
import { SetupAgent } from "../../src/agents/setup/setup-agent.js";
import type { SetupAgentNeeds } from "../../src/agents/setup/setup-agent-needs.js";
import { defaultMaxLineBytes } from "../../src/base/line-splitter.js";
import { Logger } from "../../src/base/logger.js";
import type { ChainEnvironment } from "../../src/conductor/chain/chain.js";
import type { Agent } from "../../src/conductor/chain/component.js";
import { Conductor } from "../../src/conductor/chain/conductor.js";
import type { Proxy } from "../../src/conductor/chain/proxy.js";
import { Json } from "../../src/base/rpc/json.js";
import { Notification, Request } from "../../src/base/rpc/message.js";
import { ask, type Peer } from "../../src/base/rpc/peer.js";
import { RecordingPeer } from "../../testing/recording-peer.js";
import { ScriptedAgent } from "../../testing/scripted-agent.js";
import { chainsOf, offered } from "./setup-stage.js";

const environment: ChainEnvironment = {
  startProcess: () => {
    throw new Error("no process belongs to this test");
  },
  bridge: {
    expose: () => Promise.reject(new Error("no MCP server belongs to this test")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  },
  logger: Logger.silent,
  maxLineBytes: defaultMaxLineBytes,
};

function conductorOf(client: Peer, agent: Agent, proxies: readonly Proxy[] = []): Conductor {
  return new Conductor({
    proxies: proxies.map((proxy) => ({ kind: "proxy", proxy })),
    agent: { kind: "agent", agent },
    client,
    environment,
    startupTimeoutMs: 60_000,
  });
}

/** Says a greeting that passes it in capitals. */
const shouting: Proxy = {
  name: "shouting",
  connect: () => ({
    agentNotifications: {
      "session/update": ({ method, params }) =>
        new Notification(method, params && Json.ofText(params.text.replace('"text":"hello', '"text":"HELLO'))),
    },
  }),
};

describe("the setup agent in a chain", () => {
  it("goes on as an agent behind proxies in a chain of its own", async () => {
    let permissionSession: unknown;
    const client = new RecordingPeer({
      "session/request_permission": ({ params }) => {
        permissionSession = params?.object?.["sessionId"];
        return { outcome: { outcome: "selected", optionId: "option-3" } };
      },
    });
    const setup: Omit<SetupAgentNeeds, "agentSwitch"> = {
      version: "1.0.0",
      reason: { kind: "absent" },
      extensions: ["shouting"],
      agents: () => Promise.resolve(offered),
      save: () => Promise.resolve("config.jsonc"),
      reload: () => Promise.resolve({ kind: "absent" }),
      open: (_agent, toClient) =>
        Promise.resolve(conductorOf(toClient, new ScriptedAgent({ authRequired: true }), [shouting])),
      terminalCommand: () => "",
    };
    await using chains = chainsOf(client, ({ agentSwitch }) => ({
      name: "setup",
      connect: (toClient) => conductorOf(toClient, new SetupAgent({ ...setup, agentSwitch })),
    }));
    const send = (method: string, params: unknown) => ask(chains.fromClient, Request.of(method, params));
    const prompt = (sessionId: unknown, text: string) =>
      send("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

    await send("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = (await send("session/new", { cwd: "/w", mcpServers: [] })).json.object ?? {};
    await prompt(sessionId, "2");
    await prompt(sessionId, "1");
    assert.equal(client.text.includes("1. **Scripted login**"), true);
    assert.equal(client.text.endsWith("You are now talking to Beta.\n\n"), true);

    client.received.splice(0);
    const turn = await prompt(sessionId, "echo hello\npermission allow");
    assert.deepEqual([turn.json.object?.["stopReason"], permissionSession], ["end_turn", sessionId]);
    assert.equal(client.text.startsWith("HELLO"), true);
    assert.deepEqual(
      client.received.filter(({ params }) => params?.object?.["sessionId"] !== sessionId),
      [],
    );

    const later = (await send("session/new", { cwd: "/w", mcpServers: [] })).json.object;
    assert.equal(later?.["sessionId"], "session-2");
    assert.equal((await prompt("session-2", "echo hello")).json.object?.["stopReason"], "end_turn");
  });
});
