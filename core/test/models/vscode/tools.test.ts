import assert from "node:assert/strict";
import { mock } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { action, assistant, LmStage, read, result, user, write } from "./lm-stage.js";

describe("tools of an editor in an agent's session", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => {
    mock.timers.reset();
    return stage[Symbol.asyncDispose]();
  });

  const tools = [read, write, action];

  it("are called in the editor, and the agent goes on with the result in the same turn", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    prompted.say("I look.");
    const called = prompted.call("read_file", { path: "a" });
    assert.deepEqual(await asked.ended, { stopReason: "tool_calls" });
    const [call] = asked.calls;
    assert.deepEqual([call?.toolName, call?.parameters], ["read_file", { path: "a" }]);
    const history = [user("Look"), assistant("I look.", ...asked.calls), user(result(call, "42"))];
    const next = stage.ask(history, { tools });
    assert.equal(await called, "42");
    prompted.say("It says 42.");
    prompted.end();
    assert.deepEqual([await next.ended, next.text], [{ stopReason: "end_turn" }, "It says 42."]);
  });

  it("are told in one answer when they are called at once, and their results come in one message each, or in one", async () => {
    for (const separately of [true, false]) {
      const asked = stage.ask([user(`Look ${separately}`)], { tools });
      const prompted = await stage.agent.prompt();
      const called = ["read_file", "write_file"].map((name) => prompted.call(name));
      await asked.ended;
      const results = asked.calls.map((call) => result(call, `of ${call.toolName}`));
      const messages = separately ? results.map((part) => user(part)) : [user(...results)];
      const next = stage.ask([user(`Look ${separately}`), assistant(...asked.calls), ...messages], { tools });
      assert.deepEqual(await Promise.all(called), ["of read_file", "of write_file"]);
      prompted.end();
      await next.ended;
    }
  });

  it("bring texts, images, marshalled values and elements of prompts", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const called = prompted.call("read_file");
    await asked.ended;
    const [call] = asked.calls;
    const node = {
      type: 1,
      children: [
        { type: 2, text: "one" },
        { type: 1, children: [{ type: 2, text: "two", lineBreakBefore: true }] },
      ],
    };
    const value = [
      { $mid: 21, value: "42" },
      { type: "text", value: "more" },
      { $mid: 23, value: { node } },
      { mimeType: "image/png", data: "aGk=" },
      { mimeType: "cache_control", data: "eA==" },
    ];
    const next = stage.ask([user("Look"), assistant(...asked.calls), user(result(call, value))], { tools });
    assert.equal(await called, "42\nmore\none\ntwo|[image]");
    prompted.end();
    await next.ended;
  });

  it("go on with the words of a user who skips them", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const called = prompted.call("read_file");
    await asked.ended;
    const skip = "The user chose to skip the tool call, they want to proceed without running it";
    const next = stage.ask([user("Look"), assistant(...asked.calls), user(result(asked.calls[0], skip))], { tools });
    assert.equal(await called, skip);
    prompted.say("Then not.");
    prompted.end();
    await next.ended;
    assert.deepEqual(stage.agent.received, []);
  });

  it("bring the words with them that the user has added", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const called = prompted.call("read_file");
    await asked.ended;
    const results = user(result(asked.calls[0], "42"));
    const next = stage.ask([user("Look"), assistant(...asked.calls), results, user("In French!")], { tools });
    assert.equal(await called, "42|The user adds: In French!");
    prompted.end();
    await next.ended;
    const later = [
      user("Look"),
      assistant(...asked.calls),
      results,
      user("In French!"),
      assistant(next.text),
      user("Ok"),
    ];
    assert.equal((await stage.answered("Bon.", later, { tools })).sessionId, prompted.sessionId);
  });

  it("bring the words that were added to a permission before, where the agent goes on with a call", async () => {
    const asked = stage.ask([user("Clean up")], { tools });
    const prompted = await stage.agent.prompt();
    const permission = prompted.permission({ title: "rm a", kind: "execute" });
    await asked.ended;
    const first = [user("Clean up"), assistant(...asked.calls), user(result(asked.calls[0], "proceed")), user("All!")];
    const second = stage.ask(first, { tools });
    await permission;
    const called = prompted.call("read_file");
    await second.ended;
    const results = [assistant(...second.calls), user(result(second.calls[0], "42"))];
    const third = stage.ask([...first, ...results], { tools });
    assert.equal(await called, "42|The user adds: All!");
    prompted.end();
    await third.ended;
    assert.deepEqual(stage.agent.prompts, []);
  });

  it("bring what the next prompt is where the agent ended its turn without it, and its last words are told first", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    void prompted.call("read_file");
    await asked.ended;
    prompted.say("It takes too long.");
    prompted.end();
    await settled();
    const next = stage.ask([user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))], { tools });
    const again = await stage.agent.prompt();
    assert.equal(again.text, `Result of the tool call ${String(asked.calls[0]?.toolCallId)}: 42`);
    again.say("It is 42.");
    again.end();
    await next.ended;
    assert.equal(next.text, "It takes too long.\n\nIt is 42.");
  });

  it("leave the turn alone whose agent no longer waits for them: what it says is told, and their result is the next prompt", async () => {
    const chat = { tools, conversationId: "chat" };
    const asked = stage.ask([user("Look")], chat);
    const prompted = await stage.agent.prompt();
    const timeLimit = new AbortController();
    void prompted.call("read_file", {}, [], timeLimit.signal);
    await asked.ended;
    timeLimit.abort();
    prompted.say("It takes too long.");
    const next = stage.ask([user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))], chat);
    prompted.say(" I go on without it.");
    prompted.end();
    const again = await stage.agent.prompt();
    again.say("It is 42.");
    again.end();
    await next.ended;
    assert.deepEqual(
      [again.sessionId, again.text, next.text, stage.agent.received],
      [
        "session-1",
        `Result of the tool call ${String(asked.calls[0]?.toolCallId)}: 42`,
        "It takes too long. I go on without it.\n\nIt is 42.",
        [],
      ],
    );
  });

  it("bring results that come too late with the result of a later call", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const timeLimit = new AbortController();
    void prompted.call("read_file", {}, [], timeLimit.signal);
    await asked.ended;
    timeLimit.abort();
    const [late] = asked.calls;
    const history = [user("Look"), assistant(...asked.calls), user(result(late, "42"))];
    const next = stage.ask(history, { tools });
    const called = prompted.call("write_file");
    await next.ended;
    const last = stage.ask([...history, assistant(...next.calls), user(result(next.calls[0], "Written."))], { tools });
    assert.equal(await called, `Written.|Result of the tool call ${String(late?.toolCallId)}: 42`);
    prompted.end();
    await last.ended;
  });

  const odd = "mcp.server/update the environment of the language now";
  const many = Array.from({ length: 120 }, (_, index) => ({ ...read, name: `tool_${index}` }));
  for (const [what, offered, called, args] of [
    ["have another name for agents", [{ ...read, name: odd }], odd, {}],
    ["are not listed", many, "tool_110", { name: "tool_110", arguments: {} }],
  ] as const) {
    it(`are told as soon as those that agents have announced, where they ${what}`, async () => {
      mock.timers.enable({ apis: ["setTimeout"] });
      const asked = stage.ask([user("Look")], { tools: offered });
      const prompted = await stage.agent.prompt();
      const name = String((await prompted.tools()).at(-1)?.["name"]);
      const title = `mcp__vscode_tools__${name}`;
      prompted.update({ sessionUpdate: "tool_call", toolCallId: "1", title, kind: "other", status: "pending" });
      void prompted.call(name, args);
      mock.timers.tick(100);
      assert.deepEqual(
        asked.calls.map(({ toolName }) => toolName),
        [called],
      );
      await asked.ended;
    });
  }

  it("end with the turn when the user presses Stop while one is to be confirmed, and what was done before is told", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const called = ["read_file", "write_file"].map((name) => prompted.call(name));
    await asked.ended;
    const [first, second] = asked.calls;
    const next = stage.ask(
      [
        user("Look"),
        assistant(...asked.calls),
        user(result(first, "42")),
        user(result(second, "The user cancelled the tool call.")),
        user("Something else"),
      ],
      { tools },
    );
    assert.deepEqual(await Promise.all(called), ["42", "The user cancelled the tool call."]);
    prompted.end({ stopReason: "cancelled" });
    const again = await stage.agent.prompt();
    assert.deepEqual(
      [again.sessionId, again.text, stage.agent.received],
      ["session-1", "A tool call had ended before: 42|Something else", ["session/cancel session-1"]],
    );
    again.end();
    await next.ended;
  });

  it("are announced when a later request brings others, and can be called at once", async () => {
    const asked = stage.ask([user("Look")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    const notes: string[] = [];
    const called = prompted.call("read_file", {}, notes);
    await asked.ended;
    const history = [user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))];
    const next = stage.ask(history, { tools: [read, write] });
    await called;
    assert.deepEqual(notes, ["notifications/tools/list_changed"]);
    const names = (await prompted.tools()).map(({ name }) => name);
    void prompted.call("write_file");
    await next.ended;
    assert.deepEqual(
      [names, next.calls.map(({ toolName }) => toolName)],
      [["read_file", "write_file"], ["write_file"]],
    );
  });

  it("are gone with the session, also for an agent that cannot close it", async () => {
    stage.agent.capabilities = {};
    const prompted = await stage.answered("Hi.", [user("Hello")], { tools });
    const before = (await prompted.tools()).length;
    stage.now += 61 * 60_000;
    await stage.answered("Hi.", [user("Another")], { tools });
    assert.deepEqual([before, await prompted.tools()], [2, []]);
  });

  it("say to the agent what is not there any more", async () => {
    const asked = stage.ask([user("Look")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    assert.equal(await prompted.call("no_such_tool"), 'failed: There is no tool "no_such_tool" now.');
    prompted.end();
    await asked.ended;
  });

  it("are not offered to an agent that works with its own alone, nor is the tool that asks ever", async () => {
    const alone = await stage.answered("Hi.", [user("One")], { tools, exposure: "agent" });
    const both = await stage.answered("Hi.", [user("Two")], { tools });
    const names = (await both.tools()).map(({ name }) => name);
    assert.deepEqual([alone.server, names], [undefined, ["read_file", "write_file"]]);
  });

  it("are the only ones where the agent's own are switched off", async () => {
    const asked = stage.ask([user("Look")], { tools, exposure: "raw" });
    const prompted = await stage.agent.prompt();
    assert.match(prompted.text, /^Work with the tools of the MCP server vscode_tools alone/);
    assert.deepEqual(stage.agent.setups[0]?.["_meta"], { disableBuiltInTools: true });
    const own = await prompted.permission({ title: "mcp__vscode_tools__read_file", kind: "other" });
    const other = await prompted.permission({ title: "rm -rf /", kind: "execute" });
    prompted.say("Well.");
    prompted.end();
    await asked.ended;
    assert.deepEqual([own, other, asked.text], ["selected once", "selected no", "Well."]);
    assert.match(JSON.stringify(asked.parts), /Not permitted here: rm -rf/);
  });

  it("need no words about the agent's own where it was started without them, nor its words of that", async () => {
    stage.agent.bare = { hasNoTools: true, notice: /^Info: Disabled tools: [\w, ]+$/ };
    const asked = stage.ask([user("Look")], { tools, exposure: "raw" });
    const prompted = await stage.agent.prompt();
    prompted.say("Info: Disabled tools: bash, view");
    prompted.say("Info: Disabled tools: are back!");
    prompted.end();
    await asked.ended;
    assert.deepEqual([prompted.text, asked.text], ["Look", "Info: Disabled tools: are back!"]);
  });

  it("are the only ones that Claude is given, and nothing is said of its own", async () => {
    stage.agent.name = "Claude Agent";
    const { text } = await stage.answered("Hi.", [user("Look")], { tools, exposure: "raw" });
    const meta = { disableBuiltInTools: true, claudeCode: { options: { strictMcpConfig: true } } };
    assert.deepEqual([text, stage.agent.setups[0]?.["_meta"]], ["Look", meta]);
  });

  it("are said to be the only ones where the agent does not start without its own", async () => {
    stage.agent.bare = { hasNoTools: true };
    stage.agent.failsBare = true;
    const { text } = await stage.answered("Hi.", [user("Look")], { tools, exposure: "raw" });
    assert.match(text, /^Work with the tools of the MCP server vscode_tools alone/);
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [2, 1]);
  });

  it("are those of an agent that no chat of another exposure shares", async () => {
    for (const exposure of ["raw", "hybrid", "agent", "raw"] as const) {
      await stage.answered("Hi.", [user(`In ${exposure}, ${stage.agent.chains}`)], { tools, exposure });
    }
    assert.deepEqual(stage.starts, [true, false]);
  });

  it("have to be called where the editor says so", async () => {
    const options = { tools: [read, action], toolMode: "required" } as const;
    const { text } = await stage.answered("Hi.", [user("Look")], { options });
    assert.equal(text, "Answer this by calling one of these tools: read_file.|Look");
    const alone = await stage.answered("Hi.", [user("Look")], { options, exposure: "agent" });
    assert.equal(alone.text, "Look");
  });
});
