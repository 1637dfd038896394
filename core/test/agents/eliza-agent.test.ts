import assert from "node:assert/strict";
import { ElizaAgent } from "../../src/agents/eliza/eliza-agent.js";
import { Notification, Request } from "../../src/base/rpc/message.js";
import { ask } from "../../src/base/rpc/peer.js";
import { scriptedClient } from "../../testing/scripted-client.js";
import { type ConnectionEvent, ElizaFixture, kitConnections, kitEntry } from "./eliza-fixture.js";

const talkModes = {
  currentModeId: "talk",
  availableModes: [
    { id: "talk", name: "Talk", description: "Answers at once." },
    { id: "ask-first", name: "Ask first", description: "Asks for permission before every answer." },
  ],
};

function modeOption(currentValue: string): unknown {
  const options = talkModes.availableModes.map(({ id, name, description }) => ({ value: id, name, description }));
  return { id: "mode", name: "Mode", category: "mode", type: "select", currentValue, options };
}

function cancel(sessionId: string): Notification {
  return Notification.of("session/cancel", { sessionId });
}

describe("ElizaAgent", () => {
  it("says at initialize who it is and what it can do, whatever version the client asks for", async () => {
    await using eliza = new ElizaFixture();
    const { value } = await eliza.ask("initialize", { protocolVersion: 99, clientCapabilities: {} });
    assert.deepEqual(value, {
      protocolVersion: 1,
      agentInfo: { name: "eliza", title: "Eliza", version: "1.2.3" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false, acp: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      authMethods: [],
    });
  });

  it("opens a session and then tells its commands", async () => {
    await using eliza = new ElizaFixture();
    const { value } = await eliza.ask("session/new", { cwd: "/w", mcpServers: [] });
    const { sessionId, ...state } = value as { sessionId: string };
    assert.match(sessionId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(state, { modes: talkModes, configOptions: [modeOption("talk")] });
    assert.deepEqual(
      eliza.client.updates.map((update) => update["sessionUpdate"]),
      ["available_commands_update"],
    );
  });

  const badSetups: [what: string, params: unknown, message: string][] = [
    ["a relative folder", { cwd: "w", mcpServers: [] }, '"cwd" must be an absolute path, got "w".'],
    ["no list of servers", { cwd: "/w" }, '"mcpServers" must be a list, got null.'],
    [
      "a server without a command",
      { cwd: "C:\\w", mcpServers: [{ name: "kit", args: [], env: [] }] },
      'The MCP server "kit" has no valid "command".',
    ],
    [
      "a server of an unknown type",
      { cwd: "/w", mcpServers: [{ type: "pigeon", name: "kit" }] },
      'The MCP server "kit" has the type "pigeon", but the type must be stdio, http, sse or acp.',
    ],
  ];
  for (const [what, params, message] of badSetups) {
    it(`refuses a session with ${what}`, async () => {
      await using eliza = new ElizaFixture();
      const { value } = await eliza.ask("session/new", params);
      assert.deepEqual(value, { code: -32602, message: `Invalid params: ${message}` });
    });
  }

  it("streams its answer word by word and ends the turn", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const answer = await eliza.prompt(sessionId, "Hello there");
    assert.deepEqual(answer, { isError: false, value: { stopReason: "end_turn" } });
    assert.deepEqual(
      eliza.client.updates,
      ["Hello. ", "What ", "would ", "you ", "like ", "to ", "talk ", "about?"].map((text) => ({
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text },
      })),
    );
  });

  it("gives the same conversation the same answers when deterministic", async () => {
    await using eliza = new ElizaFixture();
    const conversation = async (): Promise<string[]> => {
      const sessionId = await eliza.newSession();
      const replies: string[] = [];
      for (const text of ["Hi", "I am sad about my job", "It rains.", "It rains.", "What now?"]) {
        replies.push(await eliza.reply(sessionId, text));
      }
      return replies;
    };
    assert.deepEqual(await conversation(), await conversation());
  });

  it("stops at a cancellation and says so", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const turn = eliza.prompt(sessionId, "Hello there");
    await eliza.client.waitFor("session/update");
    eliza.notify(cancel(sessionId));
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    assert.equal(eliza.client.updates.length, 1);
    assert.equal(await eliza.reply(sessionId, "Hello"), "Hello. What would you like to talk about?");
  });

  it("stops when the request itself is cancelled", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const agent = new AbortController();
    const params = { sessionId, prompt: [{ type: "text", text: "Hello there" }] };
    const turn = eliza.ask("session/prompt", params, agent.signal);
    await eliza.client.waitFor("session/update");
    agent.abort();
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    assert.deepEqual((await eliza.prompt(sessionId, "Hello")).value, { stopReason: "end_turn" });
  });

  it("refuses a prompt while another is being answered", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const first = eliza.prompt(sessionId, "Hello");
    assert.deepEqual((await eliza.prompt(sessionId, "Hello")).value, {
      code: -32600,
      message: "Invalid request: the session is still in a prompt turn; cancel the turn or wait until it ends",
    });
    assert.deepEqual((await first).value, { stopReason: "end_turn" });
  });

  it("names what came along with a prompt", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const link = { type: "resource_link", name: "notes.md", uri: "file:///w/notes.md" };
    const resource = { type: "resource", resource: { uri: "file:///w/src/main.rs?x#L1", text: "fn main() {}" } };
    assert.equal(
      await eliza.reply(sessionId, "I need", link, "help", resource, {
        type: "image",
        data: "",
        mimeType: "image/png",
      }),
      "You brought notes.md, main.rs and an image with you. What would it mean to you to get help?",
    );
    assert.equal(await eliza.reply(sessionId, link), "You brought notes.md with you. What does it mean to you?");
    assert.equal(
      await eliza.reply(sessionId, { type: "hologram" }),
      'You brought content of type "hologram" with you. What does it mean to you?',
    );
    assert.equal(await eliza.reply(sessionId), "You say nothing. Is it hard to begin?");
  });

  it("finds a command among other blocks", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    assert.match(await eliza.reply(sessionId, "Be kind.", "LIST tools from kit"), /^Tools of kit:/);
  });

  it("refuses a prompt that is no list of blocks", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    const { value } = await eliza.ask("session/prompt", { sessionId, prompt: "hello" });
    assert.deepEqual(value, { code: -32602, message: 'Invalid params: "prompt" must be a list of content blocks' });
  });

  it("repeats the conversation when a session is loaded, and not when it is resumed", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    await eliza.prompt(sessionId, "Hello", { type: "hologram", depth: 3 });
    await eliza.ask("session/close", { sessionId });
    eliza.client.received.length = 0;
    await eliza.ask("session/load", { sessionId, cwd: "/w", mcpServers: [] });
    const loaded = eliza.client.updates.map((update) => [update["sessionUpdate"], update["content"]]);
    assert.deepEqual(loaded, [
      ["user_message_chunk", { type: "text", text: "Hello" }],
      ["user_message_chunk", { type: "hologram", depth: 3 }],
      [
        "agent_message_chunk",
        {
          type: "text",
          text: 'You brought content of type "hologram" with you. Hello. What would you like to talk about?',
        },
      ],
      ["available_commands_update", undefined],
    ]);
    eliza.client.received.length = 0;
    await eliza.ask("session/resume", { sessionId, cwd: "/w", mcpServers: [] });
    assert.deepEqual(
      eliza.client.updates.map((update) => update["sessionUpdate"]),
      ["available_commands_update"],
    );
  });

  it("lists sessions, newest first, by folder when asked, until they are deleted", async () => {
    await using eliza = new ElizaFixture();
    const first = await eliza.newSession();
    await eliza.prompt(first, "My  cat\nis ill");
    const { value } = await eliza.ask("session/new", { cwd: "/elsewhere", mcpServers: [] });
    const second = (value as { sessionId: string }).sessionId;
    const list = async (params: unknown): Promise<unknown> => {
      const { sessions } = (await eliza.ask("session/list", params)).value as { sessions: Record<string, unknown>[] };
      return sessions.map(({ updatedAt, ...info }) => [info, Number.isNaN(Date.parse(String(updatedAt)))]);
    };
    const firstInfo = [{ sessionId: first, cwd: "/w", title: "My cat is ill" }, false];
    assert.deepEqual(await list({}), [[{ sessionId: second, cwd: "/elsewhere" }, false], firstInfo]);
    assert.deepEqual(await list({ cwd: "/w" }), [firstInfo]);
    await eliza.ask("session/delete", { sessionId: first });
    assert.deepEqual(await list({ cwd: "/w" }), []);
  });

  it("answers -32002 with the session's id where there is no such session or it is closed", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    await eliza.ask("session/close", { sessionId });
    const notFound = (id: string): unknown => ({
      isError: true,
      value: { code: -32002, message: `There is no open session "${id}".`, data: { sessionId: id } },
    });
    assert.deepEqual(await eliza.prompt(sessionId, "Hello"), notFound(sessionId));
    const methods = ["prompt", "load", "resume", "close", "delete", "set_mode", "set_config_option"];
    for (const method of methods) {
      const answer = await eliza.ask(`session/${method}`, { sessionId: "s", cwd: "/w", mcpServers: [], prompt: [] });
      assert.deepEqual(answer, notFound("s"), method);
    }
  });

  for (const method of ["session/fork", "authenticate", "_vendor/x", "toString"]) {
    it(`answers ${method} with -32601`, async () => {
      await using eliza = new ElizaFixture();
      const { value } = await eliza.ask(method, {});
      assert.deepEqual(value, { code: -32601, message: `Method not found: ${method}`, data: { method } });
    });
  }

  it("keeps mode and config option the same, whichever is set", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession();
    assert.deepEqual((await eliza.ask("session/set_mode", { sessionId, modeId: "ask-first" })).value, {});
    const params = { sessionId, configId: "mode", value: "talk" };
    const { value } = await eliza.ask("session/set_config_option", params);
    assert.deepEqual(value, { configOptions: [modeOption("talk")] });
    assert.deepEqual(eliza.client.updates, [
      { sessionUpdate: "config_option_update", configOptions: [modeOption("ask-first")] },
      { sessionUpdate: "current_mode_update", currentModeId: "talk" },
    ]);
    assert.deepEqual((await eliza.ask("session/set_mode", { sessionId, modeId: "shout" })).value, {
      code: -32602,
      message: 'Invalid params: there is no mode "shout"',
    });
    assert.deepEqual((await eliza.ask("session/set_config_option", { ...params, value: "shout" })).value, {
      code: -32602,
      message: 'Invalid params: the option "mode" does not accept the value "shout"',
    });
  });

  it("connects a server at its first use, once, and ends the connection when the session closes", async () => {
    const events: ConnectionEvent[] = [];
    await using eliza = new ElizaFixture(kitConnections(events));
    const sessionId = await eliza.newSession(kitEntry);
    await eliza.prompt(sessionId, "Hello");
    assert.deepEqual(events, []);
    await eliza.prompt(sessionId, "list tools from kit");
    await eliza.prompt(sessionId, 'use tool kit::echo with {"text":"a"}');
    assert.deepEqual(events, ["connect"]);
    await eliza.ask("session/close", { sessionId });
    assert.deepEqual(events, ["connect", "close"]);
  });

  it("ends its turns and connections when the chain ends", async () => {
    const events: ConnectionEvent[] = [];
    const eliza = new ElizaFixture(kitConnections(events));
    const sessionId = await eliza.newSession(kitEntry);
    const turn = eliza.prompt(sessionId, "use tool kit::wait");
    await eliza.client.waitFor("session/update");
    await eliza[Symbol.asyncDispose]();
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    assert.deepEqual(events, ["connect", "close"]);
  });

  it("gives up a connection that is still being made when the session closes", async () => {
    let sayConnecting = (): void => undefined;
    const isConnecting = new Promise<void>((resolve) => (sayConnecting = resolve));
    await using eliza = new ElizaFixture((_entry, { signal }) => {
      sayConnecting();
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("given up"))));
    });
    const sessionId = await eliza.newSession(kitEntry);
    const turn = eliza.prompt(sessionId, "list tools from kit");
    await isConnecting;
    assert.deepEqual(await eliza.ask("session/close", { sessionId }), { isError: false, value: {} });
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
  });

  it("varies its answers by the seed when it is not deterministic", async () => {
    const yieldNow = (): Promise<void> => Promise.resolve();
    const opening = async (seed: number): Promise<string> => {
      const client = scriptedClient();
      const options = { version: "1", isDeterministic: false, seed, connectMcp: kitConnections(), yieldNow };
      const { fromClient } = new ElizaAgent(options).connect(client);
      const opened = await ask(fromClient, Request.of("session/new", { cwd: "/w", mcpServers: [] }));
      const sessionId = opened.json.object?.["sessionId"];
      await ask(fromClient, Request.of("session/prompt", { sessionId, prompt: [{ type: "text", text: "Hello" }] }));
      return client.text;
    };
    const openings = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(opening));
    assert.equal(new Set(openings).size, 3);
    assert.equal(await opening(1), openings[0]);
  });
});
