import assert from "node:assert/strict";
import { mock } from "node:test";
import type { AskUser } from "../../../src/models/session-permissions.js";
import type { AgentActionInput } from "../../../src/models/vscode/wire.js";
import { action, assistant, LmStage, read, result, user } from "./lm-stage.js";

describe("what an agent asks permission for", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => {
    mock.timers.reset();
    return stage[Symbol.asyncDispose]();
  });

  const tools = [read, action];
  const deleting = { title: "Delete a.txt", kind: "delete", rawInput: { path: "a.txt" } };

  it("is asked by the editor's tool, and allowed once when that is allowed", async () => {
    const asked = stage.ask([user("Clean up")], { tools });
    const prompted = await stage.agent.prompt();
    const permission = prompted.permission(deleting);
    assert.deepEqual(await asked.ended, { stopReason: "tool_calls" });
    const [call] = asked.calls;
    assert.deepEqual(
      [call?.toolName, call?.parameters],
      ["symposium-agent-action", { title: "Delete a.txt", kind: "delete", raw_input: { path: "a.txt" } }],
    );
    const next = stage.ask([user("Clean up"), assistant(...asked.calls), user(result(call, "proceed"))], { tools });
    assert.equal(await permission, "selected once");
    prompted.say("Done.");
    prompted.end();
    await next.ended;
  });

  const answers: readonly (readonly [value: unknown, outcome: string])[] = [
    [[{ type: "text", value: " Proceed.\n" }], "selected once"],
    [[{ $mid: 21, value: '"proceed"' }], "selected once"],
    ["The user chose to skip the tool call, they want to proceed without running it", "selected no"],
    ["The user cancelled the tool call.", "selected no"],
    ["ERROR: The tool does not exist", "selected no"],
    [[], "selected no"],
    [null, "selected no"],
    ["do not proceed", "selected no"],
  ];
  for (const [value, outcome] of answers) {
    it(`is ${outcome} when the editor's tool gives ${JSON.stringify(value)}`, async () => {
      const asked = stage.ask([user("Clean up")], { tools });
      const prompted = await stage.agent.prompt();
      const permission = prompted.permission(deleting);
      await asked.ended;
      const next = stage.ask([user("Clean up"), assistant(...asked.calls), user(result(asked.calls[0], value))], {
        tools,
      });
      assert.equal(await permission, outcome);
      prompted.end();
      await next.ended;
      assert.equal(next.text, "The agent ended its turn without an answer: end_turn.");
    });
  }

  it("is asked outside the editor's tools where that one is not offered", async () => {
    const questions: AgentActionInput[] = [];
    const outcomes = ["allow", "reject", "cancelled"] as const;
    for (const outcome of outcomes) {
      stage.askUser = (question, answer) => {
        questions.push(question);
        answer(outcome);
        return () => undefined;
      };
      const asked = stage.ask([user(`Clean up: ${outcome}`)], { tools: [read] });
      const prompted = await stage.agent.prompt();
      const answer = await prompted.permission(deleting);
      prompted.end();
      await asked.ended;
      assert.equal(answer, { allow: "selected once", reject: "selected no", cancelled: "cancelled" }[outcome]);
    }
    assert.deepEqual(questions[0], { title: "Delete a.txt", kind: "delete", raw_input: { path: "a.txt" } });
  });

  it("waits for the next request when it comes between two", async () => {
    let questions = 0;
    stage.askUser = (_question, answer) => {
      questions++;
      answer("allow");
      return () => undefined;
    };
    const asked = stage.ask([user("Look")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    void prompted.call("read_file");
    await asked.ended;
    const permission = prompted.permission(deleting);
    assert.equal(questions, 0);
    const history = [user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))];
    const next = stage.ask(history, { tools: [read] });
    assert.equal(await permission, "selected once");
    prompted.end();
    await next.ended;
  });

  it("is allowed for the editor's own tools, also where only the call before says what it is", async () => {
    const asked = stage.ask([user("Look")], { tools: [read], exposure: "raw" });
    const prompted = await stage.agent.prompt();
    const [id, input] = ["p1", { server: "vscode_tools", tool: "read_file", arguments: {} }];
    const call = { toolCallId: id, kind: "execute", rawInput: input, _meta: { is_mcp_tool_call: true } };
    prompted.update({ sessionUpdate: "tool_call", title: "mcp.vscode_tools.read_file", ...call });
    const before = await prompted.permission({ kind: "execute" });
    const other = await prompted.permission({ kind: "execute", title: "rm -rf /" });
    prompted.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "completed" });
    const after = await prompted.permission({ kind: "execute" });
    prompted.end();
    await asked.ended;
    assert.deepEqual([before, other, after], ["selected once", "selected no", "selected no"]);
  });

  it("keeps the answer open that it is asked by, though the agent calls tools beside it", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    let isAsked: (answer: Parameters<AskUser>[1]) => void;
    const asking = new Promise<Parameters<AskUser>[1]>((resolve) => (isAsked = resolve));
    stage.askUser = (_question, answer) => {
      isAsked(answer);
      return () => undefined;
    };
    const asked = stage.ask([user("Do all")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    void prompted.call("read_file", { path: "before" });
    const permission = prompted.permission(deleting);
    const answer = await asking;
    mock.timers.tick(60_000);
    void prompted.call("read_file", { path: "after" });
    mock.timers.tick(60_000);
    const early = asked.calls.length;
    answer("allow");
    assert.equal(await permission, "selected once");
    mock.timers.tick(60_000);
    assert.deepEqual([early, await asked.ended, asked.calls.length], [0, { stopReason: "tool_calls" }, 2]);
  });

  it("shows what the agent shows where it names no input", async () => {
    const content = [{ type: "diff", path: "a", oldText: "1", newText: "2" }];
    const asked = stage.ask([user("Change it")], { tools });
    const prompted = await stage.agent.prompt();
    void prompted.permission({ title: "Edit a", kind: "edit", content });
    await asked.ended;
    assert.deepEqual(asked.calls[0]?.parameters, { title: "Edit a", kind: "edit", raw_input: { content } });
  });

  it("is taken back and refused when the user presses Stop meanwhile", async () => {
    let takenBack = 0;
    let isAsked: () => void;
    const asking = new Promise<void>((resolve) => (isAsked = resolve));
    stage.askUser = (() => {
      isAsked();
      return () => {
        takenBack++;
      };
    }) satisfies AskUser;
    const asked = stage.ask([user("Clean up")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    const permission = prompted.permission(deleting);
    await asking;
    asked.cancel();
    assert.deepEqual([await permission, takenBack, await asked.ended], ["cancelled", 1, { stopReason: "cancelled" }]);
  });

  it("is rejected, and the turn ended, when the user says something else instead", async () => {
    const chat = { tools, conversationId: "chat" };
    await stage.answered("Hi.", [user("Hello")], chat);
    const history = [user("Hello"), assistant("Hi.")];
    const asked = stage.ask([...history, user("Clean up")], chat);
    const prompted = await stage.agent.prompt();
    const permission = prompted.permission(deleting);
    await asked.ended;
    const next = stage.ask([...history, user("Leave it")], chat);
    assert.equal(await permission, "selected no");
    prompted.end({ stopReason: "cancelled" });
    const again = await stage.agent.prompt();
    again.say("As you like.");
    again.end();
    await next.ended;
    assert.deepEqual(
      [again.sessionId, again.text, next.text, stage.agent.received],
      ["session-1", "Leave it", "As you like.", ["session/cancel session-1"]],
    );
  });

  it("is rejected, and the turn ended, when the user says more without an answer, in the first turn too", async () => {
    for (const called of ["permission", "tool"]) {
      await using other = new LmStage();
      const chat = { tools, conversationId: "chat" };
      const asked = other.ask([user("Clean up")], chat);
      const prompted = await other.agent.prompt();
      const outcome = called === "tool" ? prompted.call("read_file") : prompted.permission(deleting);
      await asked.ended;
      const next = other.ask([user("Clean up"), user("Leave it")], chat);
      assert.equal(await outcome, called === "tool" ? "failed: The user cancelled this." : "selected no");
      prompted.end({ stopReason: "cancelled" });
      const again = await other.agent.prompt();
      again.end();
      await next.ended;
      assert.deepEqual(
        [again.sessionId, again.text, other.agent.received],
        ["session-1", "Leave it", ["session/cancel session-1"]],
      );
    }
  });

  it("is asked together with calls of tools, in one round", async () => {
    const asked = stage.ask([user("Do both")], { tools });
    const prompted = await stage.agent.prompt();
    const [called, permission] = [prompted.call("read_file"), prompted.permission(deleting)];
    await asked.ended;
    assert.deepEqual(asked.calls.map(({ toolName }) => toolName).sort(), ["read_file", "symposium-agent-action"]);
    const results = asked.calls.map((call) => result(call, call.toolName === "read_file" ? "42" : "proceed"));
    const next = stage.ask([user("Do both"), assistant(...asked.calls), user(...results)], { tools });
    assert.deepEqual([await called, await permission], ["42", "selected once"]);
    prompted.end();
    await next.ended;
  });

  it("is not asked for the editor's own tools, which the editor asks for itself", async () => {
    const asked = stage.ask([user("Look")], { tools });
    const prompted = await stage.agent.prompt();
    const titles = ["mcp__vscode_tools__read_file", "vscode_tools_read_file", "read_file (vscode_tools MCP Server)"];
    for (const title of titles)
      assert.equal(await prompted.permission({ title, kind: "other" }), "selected once", title);
    prompted.end();
    await asked.ended;
  });

  it("is never allowed for longer than the user was asked for", async () => {
    const { chooseOption } = await import("../../../src/models/session-permissions.js");
    assert.deepEqual(chooseOption([{ optionId: "always", kind: "allow_always" }], ["allow_once"]), {
      outcome: { outcome: "cancelled" },
    });
  });
});
