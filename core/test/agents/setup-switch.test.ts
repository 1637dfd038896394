import assert from "node:assert/strict";
import { Json } from "../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../src/base/rpc/message.js";
import { ask } from "../../src/base/rpc/peer.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../testing/recording-peer.js";
import { received, SetupStage, unanswered } from "./setup-stage.js";

/** A stage whose first session has become one of Beta's, with nothing recorded yet. */
async function switched(
  options: ConstructorParameters<typeof SetupStage>[0] = {},
): Promise<{ stage: SetupStage; id: string }> {
  const stage = new SetupStage(options);
  const id = await stage.open();
  await stage.prompt(id, "2");
  stage.client.received.splice(0);
  stage.chain.fromClient.received.splice(0);
  return { stage, id };
}

function textOf(outcome: Outcome): string {
  return outcome.json.text;
}

describe("the setup agent's switch to the chosen agent", () => {
  it("initializes the agent as the editor did, in version 1, and opens the session with the same parameters", async () => {
    const stage = new SetupStage();
    const initialize =
      '{"protocolVersion":2,"clientCapabilities":{"terminal":true,"_meta":{"big":12345678901234567890}}}';
    await ask(stage.fromClient, new Request("initialize", Json.ofText(initialize)));
    const setup =
      '{"cwd":"/w","mcpServers":[{"name":"m","n":18446744073709551615}],"additionalDirectories":["/x"],"_meta":{"f":1.0}}';
    const opened = await ask(stage.fromClient, new Request("session/new", Json.ofText(setup)));
    await stage.prompt(String(opened.json.object?.["sessionId"]), "2");
    assert.deepEqual(
      stage.chain.fromClient.received.map(({ method, params }) => [method, params?.text]),
      [
        ["initialize", initialize.replace('"protocolVersion":2', '"protocolVersion":1')],
        ["session/new", setup],
      ],
    );
  });

  it("relays the session both ways with its id exchanged and all other text as it was", async () => {
    const { stage, id } = await switched({
      inner: {
        "session/set_mode": () => Outcome.result(Json.ofText('{ "sessionId":"inner-1", "n":18446744073709551615 }')),
      },
      client: new RecordingPeer({
        "session/request_permission": () => Outcome.result(Json.ofText(`{"outcome":{"n":1.0}}`)),
      }),
    });
    const outcome = await ask(
      stage.fromClient,
      new Request("session/set_mode", Json.ofText(`{"modeId":"a" , "sessionId":"${id}", "n":12345678901234567890}`)),
    );
    stage.notify("session/cancel", { sessionId: id });
    stage.chain.client.notify(
      new Notification("session/update", Json.ofText('{"sessionId" : "inner-1","update":{"used":9007199254740993}}')),
    );
    const permission = await ask(
      stage.chain.client,
      new Request("session/request_permission", Json.ofText('{"sessionId":"inner-1","options":[1.0]}')),
    );
    assert.deepEqual(
      [textOf(outcome), textOf(permission)],
      [`{ "sessionId":"${id}", "n":18446744073709551615 }`, '{"outcome":{"n":1.0}}'],
    );
    assert.deepEqual(
      [stage.chain.fromClient, stage.client].map((peer) => peer.received.map(({ params }) => params?.text)),
      [
        ['{"modeId":"a" , "sessionId":"inner-1", "n":12345678901234567890}', '{"sessionId":"inner-1"}'],
        [`{"sessionId" : "${id}","update":{"used":9007199254740993}}`, `{"sessionId":"${id}","options":[1.0]}`],
      ],
    );
  });

  it("exchanges the session id in the data of errors", async () => {
    const error = new RpcError(-32002, "Session not found", { sessionId: "inner-1", more: true });
    const { stage, id } = await switched({ inner: { "session/prompt": Outcome.error(error) } });
    assert.deepEqual((await stage.prompt(id, "x")).json.value, {
      code: -32002,
      message: "Session not found",
      data: { sessionId: id, more: true },
    });
  });

  it("passes other sessions, unknown methods and later sessions unchanged", async () => {
    const { stage } = await switched({
      inner: {
        "session/new": ({ params }) => ({ sessionId: params?.object?.["cwd"] === "/second" ? "inner-2" : "inner-1" }),
        "_vendor/ask": { sessionId: "other" },
        authenticate: { done: true },
      },
    });
    const results = [
      await stage.ask("_vendor/ask", { sessionId: "other" }),
      await stage.ask("session/new", { cwd: "/second", mcpServers: [] }),
      await stage.ask("authenticate", { methodId: "oauth" }),
      await stage.ask("authenticate", { methodId: "symposium-setup" }),
    ];
    stage.notify("_vendor/note", { a: 1 });
    stage.chain.say("for another", "other");
    assert.deepEqual(
      results.map((outcome) => outcome.json.value),
      [{ sessionId: "other" }, { sessionId: "inner-2" }, { done: true }, {}],
    );
    assert.deepEqual(received(stage.chain.fromClient), [
      ["_vendor/ask", { sessionId: "other" }],
      ["session/new", { cwd: "/second", mcpServers: [] }],
      ["authenticate", { methodId: "oauth" }],
      ["_vendor/note", { a: 1 }],
    ]);
    assert.equal(stage.client.received[0]?.params?.object?.["sessionId"], "other");
  });

  it("finds the session for updates that follow the agent's answer in the same tick", async () => {
    const stage = new SetupStage({ inner: { "session/new": unanswered } });
    const id = await stage.open();
    const turn = stage.prompt(id, "2");
    const open = await stage.chainOpened().then((chain) => chain.fromClient.waitFor("session/new").then(() => chain));
    open.fromClient.open[0]?.reply(Outcome.of({ sessionId: "inner-7" }));
    open.say("early", "inner-7");
    await turn;
    const last = stage.client.received.at(-1)?.params?.object;
    assert.equal(last?.["sessionId"], id);
  });

  it("tells the editor the modes and options that the agent has, and nothing when it has none", async () => {
    const stage = new SetupStage({
      inner: {
        "session/new": () =>
          Outcome.result(
            Json.ofText(
              '{"sessionId":"inner-1","modes":{"currentModeId":"plan","availableModes":[]},"configOptions":[{"id":"m","n":1.0}]}',
            ),
          ),
      },
    });
    const id = await stage.open();
    await stage.prompt(id, "2");
    const kinds = stage.client.updates.filter((update) => update["sessionUpdate"] !== "agent_message_chunk");
    assert.deepEqual(kinds, [
      { sessionUpdate: "config_option_update", configOptions: [{ id: "m", n: 1 }] },
      { sessionUpdate: "current_mode_update", currentModeId: "plan" },
    ]);
    assert.equal(
      stage.client.received.some(({ params }) => params?.text.includes('{"id":"m","n":1.0}')),
      true,
    );
    const { stage: plain, id: plainId } = await switched();
    await plain.prompt(plainId, "work");
    assert.deepEqual(plain.client.updates, []);
  });

  it("queues prompts that come during the switch and hands them over in order", async () => {
    const stage = new SetupStage({ inner: { "session/new": unanswered } });
    const id = await stage.open();
    const turns = [stage.prompt(id, "2"), stage.prompt(id, "first"), stage.prompt(id, "1")];
    const chain = await stage.chainOpened();
    await chain.fromClient.waitFor("session/new");
    chain.fromClient.open[0]?.reply(Outcome.of({ sessionId: "inner-1" }));
    const results = await Promise.all(turns);
    assert.deepEqual(
      results.map((outcome) => outcome.json.value),
      [{ stopReason: "end_turn" }, { stopReason: "end_turn" }, { stopReason: "end_turn" }],
    );
    assert.deepEqual(
      chain.fromClient.received.slice(2).map(({ params }) => params?.object?.["prompt"]),
      [[{ type: "text", text: "first" }], [{ type: "text", text: "1" }]],
    );
  });

  it("cancels a handed over prompt at the agent, by session/cancel and by its request", async () => {
    const stage = new SetupStage({ inner: { "session/new": unanswered, "session/prompt": unanswered } });
    const id = await stage.open();
    const abort = new AbortController();
    const turns = [stage.prompt(id, "2"), stage.prompt(id, "work", abort.signal)];
    const chain = await stage.chainOpened();
    await chain.fromClient.waitFor("session/new");
    chain.fromClient.open[0]?.reply(Outcome.of({ sessionId: "inner-1" }));
    abort.abort();
    stage.notify("session/cancel", { sessionId: id });
    assert.deepEqual(chain.fromClient.methods, [
      "initialize",
      "session/new",
      "session/prompt",
      "session/prompt",
      "session/cancel",
    ]);
    assert.equal(chain.fromClient.received[3]?.kind, "cancel");
    chain.fromClient.open[0]?.reply(Outcome.of({ stopReason: "cancelled" }));
    assert.deepEqual(
      (await Promise.all(turns)).map((outcome) => outcome.json.value),
      [{ stopReason: "end_turn" }, { stopReason: "cancelled" }],
    );
  });

  for (const stuckIn of ["initialize", "session/new"]) {
    it(`ends the turn as cancelled during ${stuckIn}, stops the agent and asks again`, async () => {
      const stage = new SetupStage({ inner: { [stuckIn]: unanswered } });
      const id = await stage.open();
      const turns = [stage.prompt(id, "2"), stage.prompt(id, "behind")];
      const chain = await stage.chainOpened();
      await chain.fromClient.waitFor(stuckIn);
      stage.notify("session/cancel", { sessionId: id });
      assert.deepEqual(
        (await Promise.all(turns)).map((outcome) => outcome.json.value),
        [{ stopReason: "cancelled" }, { stopReason: "cancelled" }],
      );
      assert.equal(chain.isDisposed, true);
      chain.say("too late");
      assert.equal(stage.client.text.includes("too late"), false);
      const again = await stage.answer(id, "hello");
      assert.equal(again.text.includes("Type a number (1-3) to select:"), true);
    });
  }

  it("ends the turn as cancelled when the editor cancels its request", async () => {
    const stage = new SetupStage({ inner: { initialize: unanswered } });
    const id = await stage.open();
    const abort = new AbortController();
    const turn = stage.prompt(id, "2", abort.signal);
    await (await stage.chainOpened()).fromClient.waitFor("initialize");
    abort.abort();
    assert.deepEqual((await turn).json.value, { stopReason: "cancelled" });
  });

  it("gives every waiting session an agent session of its own at its next prompt", async () => {
    let next = 1;
    const stage = new SetupStage({ inner: { "session/new": () => ({ sessionId: `inner-${next++}` }) } });
    const [first, second, third] = [
      await stage.open({ cwd: "/1", mcpServers: [] }),
      await stage.open({ cwd: "/2", mcpServers: [] }),
      await stage.open({ cwd: "/3", mcpServers: [] }),
    ];
    await stage.prompt(first, "2");
    assert.deepEqual(await stage.answer(second, "real work"), { text: "", stopReason: "end_turn" });
    assert.deepEqual(await stage.answer(third, "1"), {
      text: "You are now talking to Beta.\n\n",
      stopReason: "end_turn",
    });
    assert.deepEqual(received(stage.chain.fromClient).slice(1), [
      ["session/new", { cwd: "/1", mcpServers: [] }],
      ["session/new", { cwd: "/2", mcpServers: [] }],
      ["session/prompt", { sessionId: "inner-2", prompt: [{ type: "text", text: "real work" }] }],
      ["session/new", { cwd: "/3", mcpServers: [] }],
    ]);
    stage.chain.say("to the second", "inner-2");
    assert.equal(stage.client.received.at(-1)?.params?.object?.["sessionId"], second);
    assert.deepEqual([stage.chains.length, stage.saved], [1, ["beta acp"]]);
  });

  it("starts one agent when two sessions choose at the same time", async () => {
    const stage = new SetupStage();
    const [first, second] = [await stage.open(), await stage.open()];
    await Promise.all([stage.prompt(first, "2"), stage.prompt(second, "1")]);
    assert.deepEqual([stage.chains.length, stage.saved], [1, ["beta acp"]]);
  });

  it("keeps the agent for the sessions that still wait when one cancels", async () => {
    const stage = new SetupStage({ inner: { initialize: unanswered } });
    const [first, second] = [await stage.open(), await stage.open()];
    const turns = [stage.prompt(first, "2"), stage.prompt(second, "2")];
    const chain = await stage.chainOpened();
    await chain.fromClient.waitFor("initialize");
    stage.notify("session/cancel", { sessionId: first });
    chain.fromClient.open[0]?.reply(Outcome.of({ protocolVersion: 1 }));
    assert.deepEqual(
      (await Promise.all(turns)).map((outcome) => outcome.json.value),
      [{ stopReason: "cancelled" }, { stopReason: "end_turn" }],
    );
    assert.equal(chain.isDisposed, false);
  });

  it("closes a session that the agent opens after nobody wants it any more", async () => {
    const isFirst = ({ params }: Request): boolean => params?.object?.["cwd"] === "/1";
    const stage = new SetupStage({
      inner: {
        "session/new": (request) => (isFirst(request) ? undefined : { sessionId: "inner-2" }),
        "session/close": {},
      },
    });
    const [first, second] = [await stage.open({ cwd: "/1", mcpServers: [] }), await stage.open()];
    const turns = [stage.prompt(first, "2"), stage.prompt(second, "2")];
    const chain = await stage.chainOpened();
    await turns[1];
    await stage.ask("session/close", { sessionId: first });
    chain.fromClient.open[0]?.reply(Outcome.of({ sessionId: "inner-1" }));
    assert.deepEqual(received(chain.fromClient).at(-1), ["session/close", { sessionId: "inner-1" }]);
    assert.deepEqual((await turns[0])?.json.value, { stopReason: "cancelled" });
  });

  it("closes a session at the agent, and answers for an agent that cannot", async () => {
    const able = await switched({ inner: { "session/close": { closed: true } } });
    const unable = await switched();
    assert.deepEqual(
      [
        (await able.stage.ask("session/close", { sessionId: able.id })).json.value,
        (await unable.stage.ask("session/close", { sessionId: unable.id })).json.value,
        received(able.stage.chain.fromClient),
      ],
      [{ closed: true }, {}, [["session/close", { sessionId: "inner-1" }]]],
    );
  });

  it("tells a session that is opened while the agent starts that its next message goes there", async () => {
    const stage = new SetupStage({ inner: { initialize: unanswered } });
    const first = await stage.open();
    const turn = stage.prompt(first, "2");
    const chain = await stage.chainOpened();
    await chain.fromClient.waitFor("initialize");
    stage.client.received.splice(0);
    const opened = await stage.ask("session/new", { cwd: "/", mcpServers: [] });
    await stage.client.waitFor("session/update");
    assert.equal(stage.client.text.endsWith("Symposium is starting Beta. Your next message goes to it."), true);
    const second = stage.prompt(String(opened.json.object?.["sessionId"]), "2");
    chain.fromClient.open[0]?.reply(Outcome.of({ protocolVersion: 1 }));
    await Promise.all([turn, second]);
    assert.equal(chain.fromClient.methods.filter((method) => method === "session/prompt").length, 1);
  });

  it("stops the agent and ends its own turns when it is disposed of", async () => {
    const stage = new SetupStage({ inner: { initialize: unanswered } });
    const id = await stage.open();
    const turn = stage.prompt(id, "2");
    const chain = await stage.chainOpened();
    await stage.connection[Symbol.asyncDispose]();
    assert.deepEqual([(await turn).json.value, chain.isDisposed], [{ stopReason: "cancelled" }, true]);
  });
});
