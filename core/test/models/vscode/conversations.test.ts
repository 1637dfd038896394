import assert from "node:assert/strict";
import { action, assistant, LmStage, read, result, system, user } from "./lm-stage.js";

describe("conversations of an editor with an agent", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const tools = [read, action];

  it("go on in their session, which gets the new words alone", async () => {
    const first = await stage.answered("Hi.", [user("Hello")], { tools });
    const second = await stage.answered("Well.", [user("Hello"), assistant("Hi."), user("Go on")], { tools });
    assert.deepEqual(
      [first.sessionId, first.text, second.sessionId, second.text],
      ["session-1", "Hello", "session-1", "Go on"],
    );
  });

  it("are recognised however the editor cuts and trims what it was told", async () => {
    await stage.answered("Hi.\n\nI am here. ", [user("Hello", "")], { tools });
    const told = [user("Hello"), assistant("Hi.\n\n"), assistant("", "I am here."), user("", "Go on")];
    assert.deepEqual((await stage.answered("Well.", told, { tools })).text, "Go on");
  });

  it("begin anew for the same first words, and are told apart by what was answered", async () => {
    await stage.answered("One.", [user("Hello")], { tools });
    const second = await stage.answered("Two.", [user("Hello")], { tools });
    assert.equal(second.sessionId, "session-2");
    const history = [user("Hello"), assistant("One."), user("Go on")];
    assert.equal((await stage.answered("Yes.", history, { tools })).sessionId, "session-1");
  });

  it("tell a new session what was said and done, where the history is nobody's", async () => {
    const call = { type: "tool_call", toolCallId: "gone", toolName: "read_file", parameters: { path: "a" } } as const;
    const history = [
      system("Be brief."),
      user("Hello"),
      assistant("I look.", call),
      user(result(call, "forty-two")),
      assistant("It says 42."),
      user("Thanks"),
    ];
    const { text } = await stage.answered("Bye.", history, { tools });
    assert.equal(
      text,
      "Instructions for this conversation:\n\nBe brief.|The conversation so far:\n\nUser: Hello\n\nAssistant: I look.\n\n" +
        'Assistant calls the tool read_file with {"path":"a"}\n\nResult of the tool: forty-two\n\n' +
        "Assistant: It says 42.|Thanks",
    );
  });

  it("are taken up after a window was reloaded in the middle of a tool call", async () => {
    const call = { type: "tool_call", toolCallId: "gone", toolName: "read_file", parameters: {} } as const;
    const { text } = await stage.answered("Done.", [user("Look"), assistant(call), user(result(call, "42"))], {
      tools,
    });
    assert.equal(
      text,
      "The conversation so far:\n\nUser: Look\n\nAssistant calls the tool read_file with {}\n\nResult of the tool: 42|Go on from there.",
    );
  });

  it("get a fresh session where the user has edited what the agent has seen, and the old one is closed", async () => {
    const chat = { tools, conversationId: "chat" };
    const greeting = [user("Hello"), assistant("Hi.")];
    await stage.answered("Hi.", [user("Hello")], chat);
    await stage.answered("Hi.", [...greeting, user("Hello again")], chat);
    const { sessionId, text } = await stage.answered("Yes.", [...greeting, user("Go on")], chat);
    assert.deepEqual(
      [sessionId, text],
      ["session-2", "The conversation so far:\n\nUser: Hello\n\nAssistant: Hi.|Go on"],
    );
    assert.deepEqual(stage.agent.received, ["session/close session-1"]);
  });

  it("go on where the editor has written anew what it adds to earlier messages", async () => {
    const chat = { tools, conversationId: "chat" };
    await stage.answered("Hi.", [user("<date>Monday</date>"), user("Hello")], chat);
    const later = [user("<date>Tuesday</date>"), user("Hello"), assistant("Hi."), user("Go on")];
    const { sessionId, text } = await stage.answered("Yes.", later, chat);
    assert.deepEqual([sessionId, text], ["session-1", "Go on"]);
  });

  it("tell their session what another model has answered meanwhile", async () => {
    for (const chat of [{ tools, conversationId: "chat" }, { tools }]) {
      const words = `Hello in ${String(chat.conversationId)}`;
      const first = await stage.answered("Hi.", [user(words)], chat);
      const meanwhile = [user("What is 6 × 7?"), assistant("42, says another.")];
      const back = await stage.answered("Yes.", [user(words), assistant("Hi."), ...meanwhile, user("Is it?")], chat);
      assert.deepEqual(
        [back.sessionId, back.text],
        [first.sessionId, "Meanwhile, without you:\n\nUser: What is 6 × 7?\n\nAssistant: 42, says another.|Is it?"],
      );
    }
  });

  it("are forked where the editor goes on twice from one point, and the agent can", async () => {
    stage.agent.capabilities = { sessionCapabilities: { fork: {} } };
    await stage.answered("Hi.", [user("Hello")], { tools, conversationId: "one" });
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    const forked = await stage.answered("Yes.", history, { tools, conversationId: "two" });
    const own = await stage.answered("No.", history, { tools, conversationId: "one" });
    assert.deepEqual(
      [forked.sessionId, forked.text, own.sessionId, own.text, stage.agent.received],
      ["session-2", "Go on", "session-1", "Go on", ["session/fork session-1 as session-2"]],
    );
  });

  it("are told to a new session where the agent does not fork after all", async () => {
    stage.agent.capabilities = { sessionCapabilities: { fork: {} } };
    stage.agent.refusesForks = true;
    await stage.answered("Hi.", [user("Hello")], { tools, conversationId: "one" });
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    const other = await stage.answered("Yes.", history, { tools, conversationId: "two" });
    assert.deepEqual(
      [other.sessionId, other.text],
      ["session-2", "The conversation so far:\n\nUser: Hello\n\nAssistant: Hi.|Go on"],
    );
  });

  it("go on by the editor's id where nothing was answered that could prove it", async () => {
    const chat = { tools, conversationId: "chat" };
    const asked = stage.ask([user("Hello")], chat);
    const prompted = await stage.agent.prompt();
    asked.cancel();
    prompted.end({ stopReason: "cancelled" });
    await asked.ended;
    const next = await stage.answered("Hi.", [user("Hello"), user("Are you there?")], chat);
    assert.deepEqual([next.sessionId, next.text], ["session-1", "Are you there?"]);
  });

  it("go on in the session that knows most of them, where the editor asked again before the first answer had ended", async () => {
    const chat = { tools, conversationId: "chat" };
    const greeting = [user("Hello"), assistant("Hi.")];
    await stage.answered("Hi.", [user("Hello")], chat);
    const first = stage.ask([...greeting, user("Sing")], chat);
    const singing = await stage.agent.prompt();
    const second = await stage.answered("I dance.", [...greeting, user("Dance")], chat);
    first.cancel();
    singing.end({ stopReason: "cancelled" });
    await first.ended;
    const history = [...greeting, user("Dance"), assistant("I dance."), user("Go on")];
    const { sessionId, text } = await stage.answered("So.", history, chat);
    assert.deepEqual([second.sessionId, sessionId, text], ["session-2", "session-2", "Go on"]);
  });

  it("go on after Stop, with what was told until then", async () => {
    const asked = stage.ask([user("Tell me a story")], { tools });
    const prompted = await stage.agent.prompt();
    prompted.say("Once upon a time ");
    prompted.say("there was");
    asked.cancel();
    assert.deepEqual(await asked.ended, { stopReason: "cancelled" });
    prompted.say(" a late word.");
    prompted.end({ stopReason: "cancelled" });
    const history = [user("Tell me a story"), assistant("Once upon a time"), user("Shorter")];
    const next = await stage.answered("The end.", history, { tools });
    assert.deepEqual(
      [next.sessionId, next.text, stage.agent.received],
      ["session-1", "Shorter", ["session/cancel session-1"]],
    );
  });

  it("leave an answer alone that is being told, when the editor asks something else beside it", async () => {
    const chat = { conversationId: "chat" };
    const asked = stage.ask([system("Long."), user("Hello")], { tools, ...chat });
    const prompted = await stage.agent.prompt();
    const title = await stage.answered("Greetings", [system("Find a title."), user("Hello")], chat);
    prompted.say("Hi.");
    prompted.end();
    await asked.ended;
    assert.deepEqual([title.sessionId, asked.text, stage.agent.received], ["session-2", "Hi.", []]);
  });

  it("wait for a tool that asks the same agent under their id, and go on with what it found", async () => {
    const chat = { tools, conversationId: "chat" };
    const asked = stage.ask([user("Plan")], chat);
    const prompted = await stage.agent.prompt();
    const called = prompted.call("read_file");
    await asked.ended;
    const under = [await stage.answered("One.", [user("Find one")], chat)];
    under.push(await stage.answered("Two.", [user("Find two")], chat));
    const results = [user("Plan"), assistant(...asked.calls), user(result(asked.calls[0], "One, two."))];
    const next = stage.ask(results, chat);
    assert.equal(await called, "One, two.");
    prompted.say("Done.");
    prompted.end();
    await next.ended;
    const last = await stage.answered("Yes.", [...results, assistant("Done."), user("Go on")], chat);
    assert.deepEqual(
      [...under, last].map(({ sessionId, text }) => [sessionId, text]),
      [
        ["session-2", "Find one"],
        ["session-3", "Find two"],
        ["session-1", "Go on"],
      ],
    );
    assert.deepEqual(stage.agent.received, ["session/close session-2"]);
  });

  it("are told the editor's instructions again when they have changed, and only then", async () => {
    const chat = { tools, systemPrompt: "pass" } as const;
    const first = await stage.answered("Hi.", [system("Be brief."), user("Hello")], chat);
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    const second = await stage.answered("Well.", [system("Be brief."), ...history], chat);
    const longer = [...history, assistant("Well."), user("And?")];
    const third = await stage.answered("So.", [system("Be long."), ...longer], chat);
    assert.deepEqual(
      [first.text, second.text, third.text],
      [
        "Instructions for this conversation:\n\nBe brief.|Hello",
        "Go on",
        "Instructions for this conversation:\n\nBe long.|And?",
      ],
    );
  });

  it("are spared the editor's instructions where the agent works with its own tools, unless they are to be passed on", async () => {
    const said = [system("Use read_file."), user("Hello")];
    const alone = await stage.answered("Hi.", said, { tools, exposure: "agent" });
    const passed = await stage.answered("Hi.", said, { tools, exposure: "agent", systemPrompt: "pass" });
    assert.deepEqual(
      [alone.text, passed.text],
      ["Hello", "Instructions for this conversation:\n\nUse read_file.|Hello"],
    );
  });

  it("have the editor's instructions added to the agent's own where it takes them, or left out", async () => {
    stage.agent.capabilities = { sessionCapabilities: { systemPrompt: { mode: { override: {} } } } };
    const appended = await stage.answered("Hi.", [system("Be brief."), user("Hello")], { tools });
    const dropped = await stage.answered("Hi.", [system("Be brief."), user("Hi")], { tools, systemPrompt: "drop" });
    assert.deepEqual(
      [appended.text, stage.agent.setups[0]?.["systemPrompt"], dropped.text, stage.agent.setups[1]?.["systemPrompt"]],
      ["Hello", { mode: "append", content: [{ type: "text", text: "Be brief." }] }, "Hi", undefined],
    );
  });

  it("have their instructions added as Claude's older adapters take them", async () => {
    stage.agent.capabilities = { _meta: { claudeCode: {} } };
    const { text } = await stage.answered("Hi.", [system("Be brief."), user("Hello")], { tools });
    assert.deepEqual([text, stage.agent.setups[0]?.["_meta"]], ["Hello", { systemPrompt: { append: "Be brief." } }]);
  });

  it("choose their model before the first prompt, and again when another one is asked for", async () => {
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    await stage.answered("Hi.", [user("Hello")], { tools, configOptions: { model: "small" } });
    await stage.answered("Well.", history, { tools, configOptions: { model: "small" } });
    await stage.answered("So.", [...history, assistant("Well."), user("And?")], {
      tools,
      configOptions: { model: "large" },
    });
    assert.deepEqual(stage.agent.received, [
      "session/set_config_option session-1 small",
      "session/set_config_option session-1 large",
    ]);
  });

  it("are closed when nobody has gone on with them for long", async () => {
    await stage.answered("Hi.", [user("Hello")], { tools });
    stage.now += 61 * 60_000;
    await stage.answered("Hi.", [user("Another")], { tools });
    assert.deepEqual(stage.agent.received, ["session/close session-1"]);
  });

  it("take their agent with them when nobody asks for it either, though another one is used all the time", async () => {
    const other = { agent: { command: "other" } };
    await stage.answered("Hi.", [user("Hello")]);
    for (const minutes of [50, 20, 20]) {
      stage.now += minutes * 60_000;
      await stage.answered("Hi.", [user(`Hello after ${minutes} minutes`)], other);
    }
    const early = stage.agent.disposed;
    stage.now += 20 * 60_000;
    await stage.answered("Hi.", [user("Hello again")], other);
    await stage.answered("Hi.", [user("Hello anew")]);
    assert.deepEqual([early, stage.agent.disposed, stage.agent.chains], [0, 1, 3]);
  });

  it("are bounded in number: those that are part of no chat go first", async () => {
    for (let index = 1; index <= 6; index++) {
      stage.now = index;
      await stage.answered("A title", [user(`Title ${index}`)]);
    }
    await stage.answered("Hi.", [user("Hello")], { tools });
    assert.deepEqual(stage.agent.received, ["session/close session-1", "session/close session-2"]);
  });

  it("run in the editor's folder, else in an empty one", async () => {
    await stage.answered("Hi.", [user("Hello")], { folder: "/work" });
    await stage.answered("Hi.", [user("Hello")]);
    assert.deepEqual(
      stage.agent.setups.map(({ cwd }) => cwd),
      ["/work", "/empty"],
    );
  });

  it("pass texts on that come as data, and name other data; of answers they pass on none", async () => {
    const data = (mimeType: string) => ({ type: "data", mimeType, data: "eyJhIjoxfQ==" }) as const;
    const first = [user("Look", data("application/json"), data("application/pdf"), "Well?")];
    const { text } = await stage.answered("Hi.", first);
    const history = [...first, assistant("Hi.", data("application/json")), user("Go on")];
    const next = await stage.answered("Yes.", history);
    assert.deepEqual(
      [text, next.sessionId, next.text],
      ['Look\n\n{"a":1}\n\n\n\n[data of type application/pdf, 12 characters in base64]\n\nWell?', "session-1", "Go on"],
    );
  });

  it("pass images on, and say where an agent takes none", async () => {
    const image = { type: "data", mimeType: "image/png", data: "aGk=" } as const;
    const mark = { type: "data", mimeType: "cache_control", data: "eA==" } as const;
    const seen = await stage.answered("Nice.", [user("Look", image, mark)]);
    assert.deepEqual(seen.blocks, [
      { type: "text", text: "Look" },
      { type: "image", mimeType: "image/png", data: "aGk=" },
    ]);
    await using blind = new LmStage();
    blind.agent.capabilities = {};
    assert.match((await blind.answered("Hm.", [user("Look", image)])).text, /^Look\|\[Image omitted/);
  });
});
