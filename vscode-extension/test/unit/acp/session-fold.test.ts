import assert from "node:assert/strict";
import {
  sampleContent,
  sampleToolCalls,
  stableUpdates,
  unknownUpdates,
  unstableUpdates,
} from "@symposium-dev/core/testing";
import type { Members } from "@symposium-dev/core";
import { applyChange, type Change, type Item, newTabState, newTranscript } from "../../../protocol/index.js";
import { SessionFold } from "../../../src/acp/session-fold.js";
import { SessionOptions } from "../../../src/acp/session-options.js";
import type { ObservedToolCall } from "../../../src/acp/session-observers.js";

/** A fold into a transcript of its own, at a clock that moves by a second with each look. */
class Folded {
  readonly transcript = newTranscript(newTabState({ id: "agent", name: "Agent" }));
  readonly changes: Change[] = [];
  readonly observed: ObservedToolCall[] = [];
  readonly output: string[] = [];
  readonly unreadable: string[] = [];
  readonly titles: (string | undefined)[] = [];
  readonly fold: SessionFold;
  #now = 0;
  #ids = 0;

  constructor() {
    const context = {
      transcript: this.transcript,
      publish: (change: Change) => {
        this.changes.push(change);
        applyChange(this.transcript, change);
      },
      roots: ["/project"],
      now: () => (this.#now += 1_000),
      newId: () => `id-${++this.#ids}`,
    };
    this.fold = new SessionFold(context, new SessionOptions(), {
      observeToolCall: (call) => this.observed.push(call),
      observeOutput: (_terminalId, text) => this.output.push(text),
      titled: (title) => this.titles.push(title),
      unreadable: (kind) => this.unreadable.push(kind),
    });
  }

  take(...updates: readonly Members[]): this {
    for (const update of updates) this.fold.update(update);
    return this;
  }

  get items(): readonly Item[] {
    return this.transcript.items;
  }
}

const text = (value: string): Members => ({ type: "text", text: value });
const said = (value: string, messageId?: string): Members => ({
  sessionUpdate: "agent_message_chunk",
  content: text(value),
  ...(messageId === undefined ? {} : { messageId }),
});
const thought = (value: string): Members => ({ sessionUpdate: "agent_thought_chunk", content: text(value) });
const toolCall = (id: string, more: Members = {}): Members => ({
  sessionUpdate: "tool_call",
  toolCallId: id,
  title: id,
  ...more,
});
const toolUpdate = (id: string, more: Members): Members => ({
  sessionUpdate: "tool_call_update",
  toolCallId: id,
  ...more,
});

describe("folding session updates", () => {
  it("shows every kind of update that there is, and none as an error", () => {
    const { items, unreadable } = new Folded().take(...stableUpdates, ...unstableUpdates);
    assert.deepEqual(unreadable, []);
    assert.deepEqual(
      items.map(({ kind }) => kind),
      ["user", "text", "thought", "tool", "plan", "notice", "notice", "tool", "unknown"],
    );
  });

  it("shows what it does not know as it is, and goes on", () => {
    const { items } = new Folded().take(...unknownUpdates);
    assert.deepEqual(
      items.map((item) => (item.kind === "unknown" ? item.label : item.kind)),
      ["_test_weather", "text"],
    );
  });

  it("shows an update without its members as it is", () => {
    const folded = new Folded().take({ sessionUpdate: "tool_call", title: "No id" }, said("after"));
    assert.deepEqual(
      folded.items.map(({ kind }) => kind),
      ["unknown", "text"],
    );
    assert.deepEqual(folded.unreadable, ["tool_call"]);
  });

  it("grows one answer by its chunks, and begins another with another message id or after something else", () => {
    const folded = new Folded().take(
      said("a", "1"),
      said("b", "1"),
      said("c", "2"),
      toolCall("t"),
      said("d", "2"),
      said("e"),
    );
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "text" ? item.text : item.kind)),
      ["ab", "c", "tool", "de"],
    );
  });

  it("gives a thought its end when the agent goes on to something else", () => {
    const folded = new Folded().take(thought("Let me "), thought("see"), said("Yes"));
    assert.deepEqual(folded.items[0], {
      kind: "thought",
      id: "id-1",
      text: "Let me see",
      startedAt: 1_000,
      endedAt: 2_000,
    });
  });

  it("passes on content of every kind", () => {
    const updates = sampleContent.map((content) => ({ sessionUpdate: "agent_message_chunk", content }));
    assert.deepEqual(
      new Folded().take(...updates).items.map((item) => (item.kind === "content" ? item.block.type : item.kind)),
      ["text", "image", "audio", "resource_link", "resource", "resource"],
    );
  });

  it("does not repeat the running prompt when the agent echoes it", () => {
    const folded = new Folded();
    folded.fold.turnStarted("Hello there");
    const echo = (value: string): Members => ({ sessionUpdate: "user_message_chunk", content: text(value) });
    folded.take(echo("Hello "), echo("there"), echo("and more"));
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "user" ? item.text : item.kind)),
      ["and more"],
    );
  });

  it("keeps what an update of a tool call leaves out, and takes an update for a call that was not announced", () => {
    const folded = new Folded().take(...sampleToolCalls);
    const edit = folded.items.find(({ id }) => id === "call-edit");
    assert.ok(edit?.kind === "tool");
    const { title, toolKind, status, locations, content, input, output } = edit;
    assert.deepEqual(
      { title, toolKind, status, locations, input, output },
      {
        title: "Tool of kind edit",
        toolKind: "edit",
        status: "completed",
        locations: [
          { path: "/project/main.ts", label: "main.ts", line: 1 },
          { path: "/project/new.ts", label: "new.ts" },
        ],
        input: '{\n  "kind": "edit"\n}',
        output: '{\n  "changed": 2\n}',
      },
    );
    assert.deepEqual(
      content.map((part) => (part.type === "diff" ? [part.path, part.added, part.removed, part.isNewFile] : part.type)),
      [
        ["/project/main.ts", 1, 1, false],
        ["/project/new.ts", 1, 0, true],
      ],
    );
    assert.ok(folded.items.some(({ id }) => id === "call-unannounced"));
  });

  it("tells observers the whole texts of a tool call", () => {
    const { observed } = new Folded().take(...sampleToolCalls);
    assert.deepEqual(
      observed.find(({ status, id }) => id === "call-edit" && status === "completed"),
      {
        id: "call-edit",
        kind: "edit",
        status: "completed",
        paths: ["/project/main.ts", "/project/new.ts"],
        edits: [
          { path: "/project/main.ts", oldText: "let a = 1;\n", newText: "const a = 1;\n" },
          { path: "/project/new.ts", newText: "export {};\n" },
        ],
      },
    );
  });

  it("knows the whole texts behind each diff that it shows", () => {
    const { fold } = new Folded().take(...sampleToolCalls);
    assert.deepEqual(
      [
        fold.edit("call-edit", "/project/main.ts"),
        fold.edit("call-edit", "/other"),
        fold.edit("gone", "/project/main.ts"),
      ],
      [{ path: "/project/main.ts", oldText: "let a = 1;\n", newText: "const a = 1;\n" }, undefined, undefined],
    );
  });

  it("shows a command line and not its JSON as input", () => {
    const folded = new Folded().take(
      toolCall("text", { rawInput: { command: "npm test" } }),
      toolCall("words", { rawInput: { command: ["bash", "-c", "echo 'a b'"] } }),
    );
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "tool" ? item.input : item.kind)),
      ["npm test", "echo 'a b'"],
    );
  });

  it("shows a call again that an agent names like one of an earlier turn, in its own place", () => {
    const folded = new Folded().take(toolCall("call-1", { status: "completed" }));
    folded.fold.turnEnded(true);
    folded.fold.turnStarted("again");
    folded.take(said("now"), toolCall("call-1"), toolUpdate("call-1", { status: "completed", title: "second" }));
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "tool" ? [item.title, item.status] : item.kind)),
      [["call-1", "completed"], "text", ["second", "completed"]],
    );
  });

  it("sends only what is new when an agent resends the whole output with every line", () => {
    const folded = new Folded().take(toolCall("run", { kind: "execute", status: "in_progress" }));
    const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} of the output\n`);
    let output = "";
    for (const line of lines) {
      output += line;
      const content = [{ type: "content", content: text(`\`\`\`sh\n${output}\n\`\`\``) }];
      folded.take(toolUpdate("run", { content }));
    }
    const sent = JSON.stringify(folded.changes).length;
    assert.ok(sent < 2 * output.length + 100_000, `${sent} characters were sent for ${output.length}`);
    const [tool] = folded.items;
    assert.ok(tool?.kind === "tool");
    assert.deepEqual(tool.content, [{ type: "terminal", terminalId: "run:0" }]);
    assert.equal(folded.transcript.terminals.get("run:0")?.text.trimEnd(), output.trimEnd());
  });

  it("shows output that an agent sends beside a tool call as a terminal's", () => {
    const folded = new Folded().take(
      toolCall("run", { content: [{ type: "terminal", terminalId: "t1" }] }),
      toolUpdate("run", { _meta: { terminal_output: { terminal_id: "t1", data: "one\n" } } }),
      toolUpdate("run", { _meta: { terminal_exit: { terminal_id: "t1", exit_code: 3, signal: null } } }),
    );
    assert.deepEqual(folded.transcript.terminals.get("t1"), {
      terminalId: "t1",
      text: "one\n",
      dropped: 0,
      exit: { code: 3, signal: null },
    });
    assert.deepEqual(folded.output, ["one\n", ""]);
  });

  it("keeps the exit code of a command, wherever an agent tells it, or from the editor's own terminal", () => {
    const told = {
      claude: [
        { status: "in_progress", _meta: { terminal_exit: { terminal_id: "t", exit_code: 3, signal: null } } },
        { status: "failed", _meta: { claudeCode: { toolName: "Bash" } } },
      ],
      opencode: [{ status: "completed", rawOutput: { output: "failing\n", metadata: { exit: 3, truncated: false } } }],
      other: [{ status: "completed", rawOutput: { exit_code: 0, stdout: "" } }],
      killed: [{ status: "failed", rawOutput: { exitCode: null, signal: "SIGKILL" } }],
      gemini: [{ status: "completed", content: [] }],
      editor: [{ status: "completed", content: [{ type: "terminal", terminalId: "own" }] }],
      odd: [{ status: "completed", rawOutput: { exit_code: "three", metadata: "none" } }],
    };
    const folded = new Folded();
    const terminal = { op: "terminal", terminalId: "own", text: "", exit: { code: 2, signal: null } } as const;
    applyChange(folded.transcript, terminal);
    for (const [id, updates] of Object.entries(told))
      folded.take(toolCall(id, { kind: "execute" }), ...updates.map((update) => toolUpdate(id, update)));
    const exits = folded.items.map((item) => (item.kind === "tool" ? [item.id, item.exit] : item.kind));
    assert.deepEqual(Object.fromEntries(exits.filter((exit) => typeof exit !== "string")), {
      claude: { code: 3, signal: null },
      opencode: { code: 3, signal: null },
      other: { code: 0, signal: null },
      killed: { code: null, signal: "SIGKILL" },
      gemini: undefined,
      editor: { code: 2, signal: null },
      odd: undefined,
    });
  });

  it("marks calls that a stopped turn leaves open as cancelled", () => {
    const folded = new Folded().take(
      toolCall("open", { status: "in_progress" }),
      toolCall("done", { status: "completed" }),
    );
    folded.fold.turnEnded(false);
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "tool" ? item.status : item.kind)),
      ["cancelled", "completed"],
    );
  });

  it("replaces a plan in its place, and shows the plan of another turn in another", () => {
    const plan = (status: string): Members => ({
      sessionUpdate: "plan",
      entries: [{ content: "Read", priority: "high", status }, "not an entry"],
    });
    const folded = new Folded().take(plan("pending"), said("working"), plan("completed"));
    folded.fold.turnStarted("next");
    folded.take(plan("pending"));
    assert.deepEqual(
      folded.items.map((item) => (item.kind === "plan" ? item.entries : item.kind)),
      [
        [{ content: "Read", priority: "high", status: "completed" }],
        "text",
        [{ content: "Read", priority: "high", status: "pending" }],
      ],
    );
  });

  it("shows a compaction as one card that gathers its summary", () => {
    const compaction = (more: Members): Members => ({ compactionId: "c", ...more });
    const folded = new Folded().take(
      compaction({ sessionUpdate: "compaction_update", status: "in_progress" }),
      compaction({ sessionUpdate: "compaction_summary_chunk", content: text("So ") }),
      compaction({ sessionUpdate: "compaction_summary_chunk", content: text("far") }),
      compaction({ sessionUpdate: "compaction_update", status: "completed" }),
    );
    assert.deepEqual(folded.items, [
      {
        kind: "notice",
        id: "compaction:c",
        severity: "success",
        title: "The conversation was summarised to free context",
        details: "So far",
        actions: [],
      },
    ]);
  });

  it("keeps commands, usage and options as the state of the tab", () => {
    const { transcript } = new Folded().take(...stableUpdates);
    const { commands, usage, options } = transcript.state;
    assert.deepEqual(commands, [
      { name: "help", description: "Lists the commands" },
      { name: "echo", description: "Says a text", hint: "text" },
    ]);
    assert.deepEqual(usage, { used: 1_200, size: 200_000, cost: { amount: 0.25, currency: "USD" } });
    assert.deepEqual(
      options.map(({ id, value }) => [id, value]),
      [
        ["model", "small"],
        ["verbose", false],
      ],
    );
  });

  it("takes only the state while an agent replays what is shown already", () => {
    const folded = new Folded();
    folded.fold.isReplaying = true;
    folded.take(...stableUpdates);
    assert.deepEqual(folded.items, []);
    assert.equal(folded.transcript.state.commands.length, 2);
  });

  it("shows a sub-agent as a call, what it says in it, and its calls and sub-agents inside", () => {
    const folded = new Folded().take({
      sessionUpdate: "subagent_update",
      sessionId: "child",
      title: "Look for it",
      description: "In all files",
      capabilities: { cancel: {} },
      state: { state: "running" },
    });
    const card = (): Item | undefined => folded.items.find(({ id }) => id === "subagent:child");
    const running = card();
    assert.ok(running?.kind === "tool");
    const { title, status, canStop } = running;
    assert.deepEqual([title, status, canStop], ["Sub-agent: Look for it", "in_progress", true]);
    folded.fold.childUpdate("child", said("It is there."));
    folded.fold.childUpdate("child", { sessionUpdate: "tool_call", toolCallId: "c", title: "Read" });
    folded.fold.childUpdate("child", { sessionUpdate: "subagent_update", sessionId: "grandchild", title: "Deeper" });
    const idle = (stopReason: string): object => ({ state: { state: "idle", stopReason } });
    folded.take({ sessionUpdate: "subagent_update", sessionId: "grandchild", ...idle("cancelled") });
    folded.take({ sessionUpdate: "subagent_update", sessionId: "child", ...idle("end_turn") });
    const ended = card();
    assert.ok(ended?.kind === "tool");
    const texts = ended.content.map(
      (part) => part.type === "content" && part.block.type === "text" && part.block["text"],
    );
    assert.deepEqual([ended.status, ended.canStop, texts], ["completed", undefined, ["In all files", "It is there."]]);
    const tools = folded.items.flatMap((item) => (item.kind === "tool" ? [item] : []));
    const inside = tools.map((tool) => [tool.title, tool.parentId, tool.status, tool.endedAt !== undefined]);
    assert.deepEqual(inside, [
      ["Sub-agent: Look for it", undefined, "completed", true],
      ["Read", "subagent:child", "pending", false],
      ["Sub-agent: Deeper", "subagent:child", "cancelled", true],
    ]);
    assert.equal(folded.fold.childTitle("child"), "Sub-agent: Look for it");
  });
});
