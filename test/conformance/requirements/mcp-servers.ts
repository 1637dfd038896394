import assert from "node:assert/strict";
import { RecordingPeer } from "@symposium-dev/core/testing";
import { arrayOf, type JsonObject, objectOf, stringOf } from "../../support/json.js";
import { projectFolder, type RawClient } from "../../support/raw-client.js";
import {
  connectMcp,
  handshakeVersions,
  headersOf,
  type McpForm,
  openAgentSession,
  statelessVersion,
} from "../mcp-entry.js";
import { serverName } from "../mcp-target.js";
import type { Tier } from "../requirement.js";

/** Client and MCP form for the check of an {@link McpRequirement}. */
interface McpSubject {
  readonly client: RawClient;
  readonly form: McpForm;
  /** Emptied after the check. */
  readonly stack: AsyncDisposableStack;
}

/** One thing that holds for a server that the chain offers to the agent's sessions. */
interface McpRequirement {
  readonly id: string;
  readonly tier: Tier;
  readonly title: string;
  /** Forms that it applies to; all when absent. */
  readonly forms?: readonly McpForm[];
  check(subject: McpSubject): Promise<void>;
}

const stdioServer = { name: "files", command: "/bin/true", args: ["x"], env: [{ name: "A", value: "1" }] };
const httpServer = { type: "http", name: "web", url: "https://example.com/mcp", headers: [] };

function entryNamed(entries: readonly JsonObject[], name = serverName): JsonObject {
  const found = entries.filter((entry) => entry["name"] === name);
  assert.equal(found.length, 1, `the agent got ${JSON.stringify(entries.map((entry) => entry["name"]))}`);
  return found[0] ?? {};
}

/** Which members an entry of each form has. */
const memberNames: Readonly<Record<McpForm, readonly string[]>> = {
  native: ["name", "serverId", "type"],
  http: ["headers", "name", "type", "url"],
  stdio: ["args", "command", "env", "name"],
};

/** Every revision that agents of a form speak. */
function versionsOf(form: McpForm): readonly (typeof statelessVersion | (typeof handshakeVersions)[number])[] {
  return form === "native" ? [statelessVersion] : [...handshakeVersions, statelessVersion];
}

/** MCP servers of proxies, from the declaration to the call. */
export const mcpServers: readonly McpRequirement[] = [
  {
    id: "ACP-MCP-001",
    tier: "mandatory",
    title: "says at initialize that MCP over ACP is carried",
    async check({ client }) {
      const capabilities = objectOf(objectOf((await client.initialize()).value)["agentCapabilities"]);
      assert.equal(objectOf(capabilities["mcpCapabilities"])["acp"], true);
    },
  },
  ...["new", "load", "resume", "fork"].map((verb, index): McpRequirement => ({
    id: `ACP-MCP-00${2 + index}`,
    tier: "mandatory",
    title: `declares the server at session/${verb} in the form that the agent takes`,
    async check({ client, form }) {
      const { entries } = await openAgentSession(client, `session/${verb}`);
      assert.deepEqual(Object.keys(entryNamed(entries)).sort(), memberNames[form]);
    },
  })),
  {
    id: "ACP-MCP-006",
    tier: "mandatory",
    title: "lists and calls the server's tools in every revision of MCP",
    async check(subject) {
      const session = await openAgentSession(subject.client);
      for (const version of versionsOf(subject.form)) {
        const ask = await connectMcp(subject, session, entryNamed(session.entries), version);
        const { tools } = objectOf((await ask("tools/list"))["result"]);
        const names = arrayOf(tools).map((tool) => objectOf(tool)["name"]);
        assert.deepEqual(names, ["mcp_ping", "mcp_slow"], version);
        const called = await ask("tools/call", { name: "mcp_ping", arguments: { text: version } });
        assert.deepEqual(objectOf(called["result"])["content"], [{ type: "text", text: `pong: ${version}` }]);
      }
    },
  },
  {
    id: "ACP-MCP-007",
    tier: "mandatory",
    title: "gives the agent the server's own error",
    async check(subject) {
      const session = await openAgentSession(subject.client);
      for (const version of versionsOf(subject.form)) {
        const ask = await connectMcp(subject, session, entryNamed(session.entries), version);
        const { code, message } = objectOf((await ask("tools/call", { name: "none", arguments: {} }))["error"]);
        assert.deepEqual({ code, message }, { code: -32602, message: "Unknown tool: none" }, version);
      }
    },
  },
  {
    id: "ACP-MCP-008",
    tier: "mandatory",
    title: "keeps the client's servers in their order, but those that the agent cannot take",
    async check({ client, form }) {
      const { entries } = await openAgentSession(client, "session/new", [stdioServer, httpServer]);
      const kept = entries.filter(({ name }) => name !== serverName);
      assert.deepEqual(kept, form === "stdio" ? [stdioServer] : [stdioServer, httpServer]);
      entryNamed(entries);
    },
  },
  {
    id: "ACP-MCP-009",
    tier: "mandatory",
    title: "refuses a session in which the client's server has the same name, and names it",
    async check({ client }) {
      await client.initialize();
      const mcpServers = [{ ...stdioServer, name: serverName }];
      const { value } = await client.request("session/new", { cwd: projectFolder, mcpServers });
      assert.equal(objectOf(value)["code"], -32602);
      assert.match(stringOf(objectOf(value)["message"]), new RegExp(`"${serverName}"`));
    },
  },
  {
    id: "ACP-MCP-010",
    tier: "mandatory",
    title: "serves each session apart",
    forms: ["http", "stdio"],
    async check({ client }) {
      const declared = [await openAgentSession(client), await openAgentSession(client)];
      const [one, other] = declared.map(({ entries }) => JSON.stringify(entryNamed(entries)));
      assert.notEqual(one, other);
    },
  },
  {
    id: "ACP-MCP-011",
    tier: "mandatory",
    title: "turns away who lacks the token, comes from a web page or asks for another host",
    forms: ["http"],
    async check({ client }) {
      const { entries } = await openAgentSession(client);
      const entry = entryNamed(entries);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
      const status = async (headers: Record<string, string>): Promise<number> => {
        const request = { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body };
        return (await fetch(stringOf(entry["url"]), request)).status;
      };
      assert.equal(await status(headersOf(entry)), 200);
      assert.equal(await status({}), 401);
      assert.equal(await status({ Authorization: "Bearer wrong" }), 401);
      assert.equal(await status({ ...headersOf(entry), Origin: "https://example.com" }), 403);
      assert.equal(new URL(stringOf(entry["url"])).hostname, "127.0.0.1");
    },
  },
  {
    id: "ACP-MCP-012",
    tier: "mandatory",
    title: "is over with its session",
    forms: ["http"],
    async check({ client }) {
      const { sessionId, entries } = await openAgentSession(client);
      const entry = entryNamed(entries);
      await client.request("session/close", { sessionId });
      const response = await fetch(stringOf(entry["url"]), { method: "POST", headers: headersOf(entry), body: "{}" });
      assert.equal(response.status, 404);
    },
  },
  {
    id: "ACP-MCP-013",
    tier: "capability",
    title: "brings a server that the client offers over ACP to the agent, beside the chain's",
    async check(subject) {
      const { client } = subject;
      const offered = { type: "acp", name: "editor", serverId: "server-of-the-editor" };
      const session = await openAgentSession(client, "session/new", [offered]);
      entryNamed(session.entries);
      const peer = new RecordingPeer({ "mcp/message": { result: { resultType: "complete", tools: [], ttlMs: 0 } } });
      client.peer = peer;
      const ask = await connectMcp(subject, session, entryNamed(session.entries, "editor"), statelessVersion);
      assert.deepEqual(objectOf((await ask("tools/list"))["result"])["tools"], []);
      const asked = peer.received
        .map(({ params }) => params?.object)
        .filter((params) => params?.["method"] === "tools/list");
      assert.deepEqual(
        asked.map((params) => params?.["serverId"]),
        ["server-of-the-editor"],
      );
    },
  },
  {
    id: "ACP-MCP-014",
    tier: "advisory",
    title: "answers a call to no server of the session with an error",
    async check({ client }) {
      const { sessionId } = await openAgentSession(client);
      const refused = await client.prompt(sessionId, "mcp_call none tools/list");
      assert.equal(objectOf(refused.value)["code"], -32602);
      assert.equal(
        (await client.request("mcp/message", { serverId: "x", requestId: "1", method: "ping" })).isError,
        true,
      );
    },
  },
];
