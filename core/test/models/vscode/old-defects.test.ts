import assert from "node:assert/strict";
import { withNameFirst } from "../../../src/app/cli/subcommand.js";
import { commonOptions } from "../../../src/app/cli/options.js";
import { readAgentDefinition } from "../../../src/models/vscode/agent-to-start.js";
import { action, assistant, LmStage, read, result, system, user } from "./lm-stage.js";

/** Regression tests for defects that other agent-backed language models had. */
describe("language models of agents, where others have failed", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const tools = [read, action];

  it("list every tool though the schema of one is none (H1)", async () => {
    const schemas = [
      undefined,
      null,
      {},
      { properties: {} },
      { anyOf: [{ type: "object" }] },
      true,
      { type: "string" },
    ];
    const offered = schemas.map((inputSchema, index) => ({ name: `tool_${index}`, inputSchema }));
    const prompted = await stage.answered("Hi.", [user("Hello")], { tools: [read, ...offered] });
    const listed = await prompted.tools();
    assert.deepEqual(
      listed.map(({ name }) => name),
      ["read_file", "tool_0", "tool_1", "tool_2", "tool_3", "tool_4", "tool_5"],
    );
    for (const { inputSchema } of listed) {
      const { type, properties } = inputSchema as { type: string; properties: unknown };
      assert.deepEqual([type, properties], ["object", {}]);
    }
    assert.match(stage.logged.join("\n"), /a tool can't be offered .*"tool_6"/);
  });

  it("do not take an edited earlier message for the end of a tool call that is under way (H2)", async () => {
    const asked = stage.ask([user("Look at it")], { tools });
    const prompted = await stage.agent.prompt();
    prompted.say("I look. ");
    const called = prompted.call("read_file");
    await asked.ended;
    const edited = [user("Look at IT"), assistant("I look.", ...asked.calls), user(result(asked.calls[0], "42"))];
    const next = stage.ask(edited, { tools });
    assert.equal(await called, "42");
    prompted.end();
    await next.ended;
    assert.deepEqual(stage.agent.received, []);
  });

  it("do not take a title or a summary for the end of a tool call that is under way (H2)", async () => {
    const chat = { tools, conversationId: "chat" };
    await stage.answered("Hi.", [system("Long."), user("Hello")], chat);
    const history = [user("Hello"), assistant("Hi."), user("Look")];
    const asked = stage.ask([system("Long."), ...history], chat);
    const prompted = await stage.agent.prompt();
    const called = prompted.call("read_file");
    await asked.ended;
    for (const side of [{ conversationId: "chat" }, {}]) {
      await stage.answered("A title", [system("Find a title."), ...history], side);
      await stage.answered("A summary", [system("Sum up."), user("Hello"), assistant("Hi."), user("Sum it up.")], side);
    }
    const results = [...history, assistant(...asked.calls), user(result(asked.calls[0], "42"))];
    const next = stage.ask([system("Long."), ...results], chat);
    assert.equal(await called, "42");
    prompted.end();
    await next.ended;
    assert.equal(stage.agent.received.includes("session/cancel session-1"), false);
  });

  it("do not take a summary for it either where nobody has instructions, nor have it in the session later (H2)", async () => {
    for (const chat of [{ tools, conversationId: "chat" }, { tools }]) {
      await using other = new LmStage();
      const side = chat.conversationId === undefined ? {} : { conversationId: chat.conversationId };
      const summary = async (...history: Parameters<LmStage["ask"]>[0]): Promise<void> => {
        await other.answered("A summary", [...history, user("Sum it up.")], side);
      };
      await other.answered("Hi.", [user("Hello")], chat);
      const history = [user("Hello"), assistant("Hi.")];
      await summary(...history);
      const asked = other.ask([...history, user("Look")], chat);
      const prompted = await other.agent.prompt();
      const called = prompted.call("read_file");
      await asked.ended;
      await summary(...history);
      const results = [...history, user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))];
      const next = other.ask(results, chat);
      assert.equal(await called, "42");
      prompted.end();
      await next.ended;
      assert.deepEqual([prompted.sessionId, prompted.text, other.agent.received], ["session-1", "Look", []]);
    }
  });

  it("give two empty chats a session each (H3)", async () => {
    const one = stage.ask([user("One")], { tools });
    const other = stage.ask([user("Other")], { tools });
    const prompts = [await stage.agent.prompt(), await stage.agent.prompt()];
    for (const prompted of prompts) {
      prompted.say(`${prompted.sessionId}: ${prompted.text}`);
      prompted.end();
    }
    await Promise.all([one.ended, other.ended]);
    assert.deepEqual([one.text, other.text], ["session-1: One", "session-2: Other"]);
  });

  it("do not deny a permission unasked because the editor's tool for it is not there (H4)", async () => {
    stage.askUser = (_question, answer) => {
      answer("reject");
      return () => undefined;
    };
    const asked = stage.ask([user("Clean up")], { tools: [read] });
    const prompted = await stage.agent.prompt();
    const outcome = await prompted.permission({ title: "rm a", kind: "execute" });
    prompted.end();
    await asked.ended;
    assert.equal(outcome, "selected no");
  });

  it("keep the system's words out of what the user says, and tell assistants' words and results to a new session (H5)", async () => {
    const call = { type: "tool_call", toolCallId: "x", toolName: "read_file", parameters: {} } as const;
    const history = [
      system("You have read_file."),
      user("Hello"),
      assistant("I look.", call),
      user(result(call, "42")),
      assistant("It is 42."),
      user("And?"),
    ];
    const { blocks } = await stage.answered("So.", history, { tools, systemPrompt: "drop" });
    const texts = blocks.map(({ text }) => String(text));
    assert.deepEqual([texts.length, texts[1]], [2, "And?"]);
    for (const said of ["User: Hello", "Assistant: I look.", "Result of the tool: 42", "Assistant: It is 42."]) {
      assert.ok(texts[0]?.includes(said), said);
    }
    assert.equal(texts.join("").includes("You have read_file"), false);
  });

  it("read an agent's definition in every form that was ever sent (H6)", () => {
    const command = { name: "a", command: "/bin/a", args: ["--acp"], env: [{ name: "K", value: "V" }] };
    const started = { kind: "command", name: "a", command: "/bin/a", args: ["--acp"], env: { K: "V" } };
    const forms: readonly (readonly [given: unknown, read: unknown])[] = [
      [{ eliza: {} }, { kind: "eliza", isDeterministic: false }],
      [{ eliza: { deterministic: true } }, { kind: "eliza", isDeterministic: true }],
      ["claude_code", { kind: "words", words: "claude-code" }],
      ["zed-claude-code", { kind: "words", words: "zed-claude-code" }],
      ["eliza", { kind: "eliza", isDeterministic: false }],
      [{ mcp_server: command }, started],
      [{ id: "x", ...command }, started],
      [
        { id: "x", command: "/bin/a", env: { K: "V" } },
        { ...started, name: "x", args: [] },
      ],
      [{ command: "/bin/a" }, { kind: "command", name: "/bin/a", command: "/bin/a", args: [], env: {} }],
    ];
    for (const [given, expected] of forms) assert.deepEqual(readAgentDefinition(given), expected);
    assert.throws(() => readAgentDefinition({ id: "x" }), /^WireFault: agent: expected an agent's id/);
    assert.throws(
      () => readAgentDefinition({ command: "a", args: [1] }),
      /^WireFault: agent\.args\[0\]: expected a text, got 1\.$/,
    );
  });

  it("take the options that all subcommands share before the subcommand, too (H6)", () => {
    const isSubcommand = (word: string): boolean => word === "vscodelm" || word === "run";
    const order = (...words: readonly string[]): string => withNameFirst(words, commonOptions, isSubcommand).join(" ");
    assert.deepEqual(
      [
        order("--log", "debug", "--trace-dir=/t", "vscodelm", "--proxy", "x"),
        order("--log", "vscodelm"),
        order("--log", "debug"),
        order("run", "--log", "debug"),
        order(),
      ],
      ["vscodelm --log debug --trace-dir=/t --proxy x", "--log vscodelm", "--log debug", "run --log debug", ""],
    );
  });

  it("hear of a tool whose schema has changed though its name has not", async () => {
    const prompted = await stage.answered("Hi.", [user("Hello")], { tools: [read] });
    const changed = { ...read, inputSchema: { type: "object", properties: { path: { type: "string" } } } };
    await stage.answered("Well.", [user("Hello"), assistant("Hi."), user("Go on")], { tools: [changed] });
    const [tool] = await prompted.tools();
    assert.deepEqual(tool?.["inputSchema"], changed.inputSchema);
  });

  it("survive an approval that comes with a further message, which is the next prompt", async () => {
    const asked = stage.ask([user("Clean up")], { tools });
    const prompted = await stage.agent.prompt();
    const permission = prompted.permission({ title: "rm a", kind: "execute" });
    await asked.ended;
    const history = [
      user("Clean up"),
      assistant(...asked.calls),
      user(result(asked.calls[0], "proceed")),
      user("Then stop"),
    ];
    const next = stage.ask(history, { tools });
    assert.equal(await permission, "selected once");
    prompted.say("Cleaned.");
    prompted.end();
    const again = await stage.agent.prompt();
    assert.equal(again.text, "Then stop");
    again.say("Stopped.");
    again.end();
    await next.ended;
    assert.equal(next.text, "Cleaned.\n\nStopped.");
  });

  it("have no session from nowhere: its folder is absolute", async () => {
    await stage.answered("Hi.", [user("Hello")]);
    assert.equal(stage.agent.setups[0]?.["cwd"], "/empty");
  });
});
