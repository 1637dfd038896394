import assert from "node:assert/strict";
import { Notification } from "../../src/base/rpc/message.js";
import type { ConnectMcp } from "../../src/base/mcp/mcp-client-contract.js";
import { InProcessClient } from "../../src/base/mcp/in-process-client.js";
import { type ConnectionEvent, ElizaFixture, kitConnections, kitEntry, kitServer } from "./eliza-fixture.js";

/** The updates about tool calls, without their ids, which must all be one. */
function toolUpdates(eliza: ElizaFixture): unknown[] {
  const updates = eliza.client.updates.filter((update) => String(update["sessionUpdate"]).startsWith("tool_call"));
  assert.equal(new Set(updates.map((update) => update["toolCallId"])).size, 1);
  return updates.map(({ toolCallId: _id, ...update }) => update);
}

function content(text: string): unknown {
  return [{ type: "content", content: { type: "text", text } }];
}

function steps(rawInput: unknown, ...rest: unknown[]): unknown[] {
  return [
    { sessionUpdate: "tool_call", title: "kit::echo", kind: "other", status: "pending", rawInput },
    ...rest.map((step) => Object.assign({ sessionUpdate: "tool_call_update" }, step)),
  ];
}

describe("Eliza's special prompts", () => {
  it("list the tools that a server really has", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    const list = "Tools of kit:\n\n- echo: Says it back.\n- fail: Fails.\n- wait: Waits for its cancellation.";
    assert.equal(await eliza.reply(sessionId, "List Tools From kit"), list);
    assert.equal(await eliza.reply(sessionId, "/tools"), list);
    assert.equal(await eliza.reply(sessionId, "/tools `kit`"), list);
  });

  it("say so where there are no servers, no such server, or one that cannot be reached", async () => {
    await using eliza = new ElizaFixture();
    const none = await eliza.newSession();
    assert.equal(await eliza.reply(none, "/tools"), "This session has no MCP servers.");
    const two = await eliza.newSession(kitEntry, { ...kitEntry, name: "far" });
    assert.equal(
      await eliza.reply(two, "list tools from near"),
      'I could not list the tools of near: This session has no MCP server "near". It has "kit", "far".',
    );
    assert.equal(
      await eliza.reply(two, "list tools from far"),
      "I could not list the tools of far: far is out of reach.",
    );
  });

  it("call a tool, from the pending tool call to its result", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    const { value } = await eliza.prompt(sessionId, 'Use tool kit::echo with {"text": "a b"}');
    assert.deepEqual(value, { stopReason: "end_turn" });
    assert.deepEqual(
      toolUpdates(eliza),
      steps(
        { text: "a b" },
        { status: "in_progress" },
        {
          status: "completed",
          content: content("you said a b"),
          rawOutput: { content: [{ type: "text", text: "you said a b" }], isError: false },
        },
      ),
    );
    assert.equal(eliza.client.text, "kit::echo answered:\n\nyou said a b");
  });

  it("tell a tool's failure in words and in a failed tool call", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    await eliza.prompt(sessionId, "use tool kit::echo");
    const text = "text: missing, expected a string.";
    assert.deepEqual(
      toolUpdates(eliza),
      steps(
        {},
        { status: "in_progress" },
        {
          status: "failed",
          content: content(text),
          rawOutput: { content: [{ type: "text", text }], isError: true },
        },
      ),
    );
    assert.equal(eliza.client.text, `kit::echo failed: ${text}`);
    assert.equal(await eliza.reply(sessionId, "use tool kit::fail"), "kit::fail failed: The disk is full.");
  });

  it("name the tools there are when one is unknown", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    assert.equal(
      await eliza.reply(sessionId, "use tool kit::sing with {}"),
      'kit::sing failed: kit has no tool "sing". It has "echo", "fail", "wait".',
    );
  });

  it("name the servers there are when one is unknown", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    assert.equal(
      await eliza.reply(sessionId, "use tool choir::sing with {}"),
      'choir::sing failed: This session has no MCP server "choir". It has "kit".',
    );
  });

  for (const text of ["use tool kit::echo with {text}", "use tool kit::echo with [1]", "use tool kit::echo with"]) {
    it(`explain themselves for "${text}" without a tool call`, async () => {
      await using eliza = new ElizaFixture();
      const sessionId = await eliza.newSession(kitEntry);
      assert.match(
        await eliza.reply(sessionId, text),
        /^The arguments ".*" aren't a JSON object\. Write it like this:/,
      );
      assert.deepEqual(new Set(eliza.client.updates.map((update) => update["sessionUpdate"])).size, 1);
    });
  }

  it("connect anew after a connection has failed", async () => {
    const events: ConnectionEvent[] = [];
    let isBroken = true;
    const connectMcp: ConnectMcp = async (entry, context) => {
      const connection = await kitConnections(events)(entry, context);
      const callTool = (): Promise<never> => Promise.reject(new Error("The server went away."));
      return isBroken ? { ...connection, callTool } : connection;
    };
    await using eliza = new ElizaFixture(connectMcp);
    const sessionId = await eliza.newSession(kitEntry);
    const prompt = 'use tool kit::echo with {"text":"x"}';
    assert.equal(await eliza.reply(sessionId, prompt), "kit::echo failed: The server went away.");
    isBroken = false;
    assert.equal(await eliza.reply(sessionId, prompt), "kit::echo answered:\n\nyou said x");
    assert.deepEqual(events, ["connect", "close", "connect"]);
  });

  it("say no more of a list that was cancelled, and keep the server's connection", async () => {
    const events: ConnectionEvent[] = [];
    let sayRunning = (): void => undefined;
    const isRunning = new Promise<void>((resolve) => (sayRunning = resolve));
    let isSlow = true;
    const connectMcp: ConnectMcp = async (entry, context) => {
      const connection = await kitConnections(events)(entry, context);
      const listTools: typeof connection.listTools = (signal) => {
        if (!isSlow) return connection.listTools(signal);
        sayRunning();
        return new Promise(() => undefined);
      };
      return { ...connection, listTools };
    };
    await using eliza = new ElizaFixture(connectMcp);
    const sessionId = await eliza.newSession(kitEntry);
    const turn = eliza.prompt(sessionId, "list tools from kit");
    await isRunning;
    eliza.notify(Notification.of("session/cancel", { sessionId }));
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    isSlow = false;
    assert.match(await eliza.reply(sessionId, "list tools from kit"), /^Tools of kit:/);
    assert.deepEqual(events, ["connect"]);
  });

  it("cancel a running tool, whose call then has failed", async () => {
    let wasAborted = false;
    let sayRunning = (): void => undefined;
    const isRunning = new Promise<void>((resolve) => (sayRunning = resolve));
    const connectMcp: ConnectMcp = () => {
      const connection = new InProcessClient(kitServer());
      return Promise.resolve({
        listTools: (signal) => connection.listTools(signal),
        callTool: (name, args, signal) => {
          signal.addEventListener("abort", () => (wasAborted = true), { once: true });
          sayRunning();
          return connection.callTool(name, args, signal);
        },
        [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
      });
    };
    await using eliza = new ElizaFixture(connectMcp);
    const sessionId = await eliza.newSession(kitEntry);
    const turn = eliza.prompt(sessionId, "use tool kit::wait");
    await isRunning;
    eliza.notify(Notification.of("session/cancel", { sessionId }));
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    assert.equal(wasAborted, true);
    assert.deepEqual(toolUpdates(eliza).at(-1), {
      sessionUpdate: "tool_call_update",
      status: "failed",
      content: content("The call was cancelled."),
    });
    assert.equal(eliza.client.text, "");
  });

  for (const [permits, said, status] of [
    ["allow_once", 'You chose "Allow once" (allow_once).', "completed"],
    ["allow_always", 'You chose "Always allow" (allow_always).', "completed"],
    ["reject_once", 'You chose "Reject" (reject_once).', "failed"],
    ["reject_always", 'You chose "Always reject" (reject_always).', "failed"],
    ["cancelled", "You closed the question without an answer.", "failed"],
  ] as const) {
    it(`ask permission and say what was chosen: ${permits}`, async () => {
      await using eliza = new ElizaFixture(kitConnections(), { permits });
      const sessionId = await eliza.newSession();
      assert.equal(await eliza.reply(sessionId, "Ask permission to water the plants."), said);
      const request = (await eliza.client.waitFor("session/request_permission")).params?.object;
      assert.deepEqual(
        [request?.["sessionId"], request?.["options"]],
        [
          sessionId,
          [
            { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
            { optionId: "allow-always", name: "Always allow", kind: "allow_always" },
            { optionId: "reject-once", name: "Reject", kind: "reject_once" },
            { optionId: "reject-always", name: "Always reject", kind: "reject_always" },
          ],
        ],
      );
      assert.deepEqual(toolUpdates(eliza), [
        { sessionUpdate: "tool_call", title: "Water the plants", kind: "other", status: "pending" },
        { sessionUpdate: "tool_call_update", status },
      ]);
    });
  }

  it("say why permission could not be asked", async () => {
    await using eliza = new ElizaFixture(kitConnections(), {
      answers: { "session/request_permission": { outcome: { outcome: "selected", optionId: "sudo" } } },
    });
    const sessionId = await eliza.newSession();
    assert.equal(
      await eliza.reply(sessionId, "ask permission"),
      `I could not ask for your permission: the client answered {"outcome":{"outcome":"selected","optionId":"sudo"}}, which isn't one of the options.`,
    );
  });

  it("end a cancelled turn though the client never answers the permission request", async () => {
    await using eliza = new ElizaFixture(kitConnections(), {
      answers: { "session/request_permission": () => undefined },
    });
    const sessionId = await eliza.newSession();
    const turn = eliza.prompt(sessionId, "ask permission");
    await eliza.client.waitFor("session/request_permission");
    eliza.notify(Notification.of("session/cancel", { sessionId }));
    assert.deepEqual((await turn).value, { stopReason: "cancelled" });
    await eliza.client.waitFor("session/request_permission", "cancel");
  });

  it("ask before every answer in the mode that asks first", async () => {
    await using eliza = new ElizaFixture();
    const sessionId = await eliza.newSession(kitEntry);
    await eliza.ask("session/set_mode", { sessionId, modeId: "ask-first" });
    assert.equal(await eliza.reply(sessionId, "Hello"), "Hello. What would you like to talk about?");
    const asked = async (): Promise<number> => {
      await eliza.client.waitFor("session/request_permission");
      return eliza.client.methods.filter((method) => method === "session/request_permission").length;
    };
    assert.equal(await asked(), 1);
    assert.equal(
      await eliza.reply(sessionId, 'use tool kit::echo with {"text":"x"}'),
      "kit::echo answered:\n\nyou said x",
    );
    assert.equal(await asked(), 1);
  });

  it("do nothing that was refused in the mode that asks first", async () => {
    const events: ConnectionEvent[] = [];
    await using eliza = new ElizaFixture(kitConnections(events), { permits: "reject_once" });
    const sessionId = await eliza.newSession(kitEntry);
    await eliza.ask("session/set_mode", { sessionId, modeId: "ask-first" });
    assert.equal(await eliza.reply(sessionId, "Hello"), "As you wish. I won't do it.");
    assert.equal(await eliza.reply(sessionId, 'use tool kit::echo with {"text":"x"}'), "As you wish. I won't do it.");
    assert.deepEqual(toolUpdates(eliza), steps({ text: "x" }, { status: "failed" }));
    assert.deepEqual(events, []);
  });

  it("explain themselves", async () => {
    await using eliza = new ElizaFixture();
    assert.match(await eliza.reply(await eliza.newSession(), "/help"), /use tool SERVER::TOOL with/);
  });
});
