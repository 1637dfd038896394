import assert from "node:assert/strict";
import { arrayOf, objectOf, stringOf } from "../../support/json.js";
import type { RawClient } from "../../support/raw-client.js";
import { type Requirement, transcript } from "../requirement.js";

/** Servers of every kind that the scripted agent accepts, with members and spellings that nobody knows. */
const servers =
  '[ {"name":"files","command":"/bin/true","args":["-a",""],"env":[{"name":"A","value":"1"}],"unknown":1.0},' +
  '{"type":"http","name":"web","url":"https://example.com/mcp?x=1","headers":[{"name":"H","value":"v"}],"_meta":{"n":18446744073709551615}},' +
  '{"type":"sse","name":"events","url":"https://example.com/sse","headers":[]} ]';

/** Parameters of every request that opens a session. */
const setup = `"cwd":"/project","mcpServers":${servers},"additionalDirectories":["/other"],"_meta":{"k":1.50},"unknown":[null]`;

/** Opens a session by `method` and returns its answer, after a look at what reached the agent. */
async function setUp(client: RawClient, method: string, sessionId?: string): Promise<{ text: string; id: string }> {
  await client.initialize();
  const params = sessionId === undefined ? `{${setup}}` : `{"sessionId":${JSON.stringify(sessionId)},${setup}}`;
  const { isError, text, value } = await client.request(method, params);
  assert.equal(isError, false, text);
  const received = await client.receivedByAgent();
  assert.ok(
    received.includes(`"method":${JSON.stringify(method)},"params":${params}}`),
    "the agent got other parameters",
  );
  const id = stringOf(objectOf(value)["sessionId"]);
  return { text: id === "" ? text : text.replace(JSON.stringify(id), '"SESSION"'), id };
}

async function assertGone(client: RawClient, sessionId: string): Promise<void> {
  const { value } = await client.prompt(sessionId, "echo still here");
  const { code, data } = objectOf(value);
  assert.deepEqual({ code, data }, { code: -32002, data: { sessionId } });
}

/** How sessions begin, change and end. */
export const sessions: readonly Requirement[] = [
  {
    id: "ACP-SESSION-001",
    tier: "mandatory",
    title: "session/new reaches the agent byte for byte and answers an id, modes and options",
    async check(client) {
      const { text, id } = await setUp(client, "session/new");
      assert.notEqual(id, "");
      return [text];
    },
  },
  {
    id: "ACP-SESSION-002",
    tier: "capability",
    title: "session/load replays the history before its answer",
    async check(client) {
      await client.initialize();
      const { receivedBefore } = await client.request("session/load", `{"sessionId":"loaded",${setup}}`);
      assert.equal(receivedBefore, 2);
      const { text } = await setUp(client, "session/load", "loaded");
      return [text, ...transcript(client, "loaded")];
    },
  },
  {
    id: "ACP-SESSION-003",
    tier: "capability",
    title: "session/resume answers without a history",
    async check(client) {
      const { text } = await setUp(client, "session/resume", "resumed");
      assert.deepEqual(client.peer.received, []);
      return [text];
    },
  },
  {
    id: "ACP-SESSION-004",
    tier: "capability",
    title: "session/fork opens another session",
    async check(client) {
      const original = await client.newSession();
      const { text, id } = await setUp(client, "session/fork", original);
      assert.notEqual(id, original);
      assert.equal((await client.prompt(id, "echo in the fork")).isError, false);
      return [text];
    },
  },
  {
    id: "ACP-SESSION-005",
    tier: "capability",
    title: "session/list lists the open sessions",
    async check(client) {
      const id = await client.newSession();
      const { value } = await client.request("session/list", {});
      const listed = arrayOf(objectOf(value)["sessions"]).find((entry) => objectOf(entry)["sessionId"] === id);
      assert.deepEqual(listed, { sessionId: id, cwd: "/project", title: `Session ${id}` });
    },
  },
  ...["close", "delete"].map((verb, index): Requirement => ({
    id: `ACP-SESSION-00${6 + index}`,
    tier: "capability",
    title: `session/${verb} ends the session`,
    async check(client) {
      const sessionId = await client.newSession();
      assert.equal((await client.request(`session/${verb}`, { sessionId })).text, "{}");
      await assertGone(client, sessionId);
    },
  })),
  {
    id: "ACP-SESSION-008",
    tier: "capability",
    title: "session/close gives the open prompt turn up",
    async check(client) {
      const sessionId = await client.newSession();
      const turn = client.openPrompt(sessionId, "wait_for_cancel");
      await client.peer.waitFor("session/update");
      assert.equal((await client.request("session/close", { sessionId })).text, "{}");
      assert.equal((await turn.answer).text, '{"stopReason":"cancelled"}');
    },
  },
  {
    id: "ACP-SESSION-009",
    tier: "capability",
    title: "session/set_mode is reported before its answer",
    async check(client) {
      const sessionId = await client.newSession();
      const { text, receivedBefore } = await client.request("session/set_mode", { sessionId, modeId: "code" });
      assert.equal(receivedBefore, 1);
      return [text, ...transcript(client, sessionId)];
    },
  },
  {
    id: "ACP-SESSION-010",
    tier: "capability",
    title: "session/set_config_option answers all options",
    async check(client) {
      const sessionId = await client.newSession();
      const choice = { sessionId, configId: "model", value: "large" };
      const { isError, text } = await client.request("session/set_config_option", choice);
      assert.equal(isError, false);
      return [text];
    },
  },
  {
    id: "ACP-SESSION-011",
    tier: "mandatory",
    title: "a session that does not exist is an error with its id",
    check: async (client) => {
      await client.initialize();
      await assertGone(client, "no-such-session");
    },
  },
];
