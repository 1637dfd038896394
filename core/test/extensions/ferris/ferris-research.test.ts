import assert from "node:assert/strict";
import type { Json } from "../../../src/base/rpc/json.js";
import { Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { ResearchStage, sources, type Turn, updateOf } from "./ferris-research-stage.js";

const question = { crate_name: "deep", prompt: "What is the answer?" };
const head = "deep 1.2.3: the Cargo.lock of this workspace has it.";

/** The four kinds of option, none where a careless client would look for it. */
const options = ["reject_always", "allow_always", "reject_once", "allow_once"].map((kind) => ({
  optionId: `id-${kind}`,
  kind,
}));

async function asked(turn: Turn, setting: unknown = {}): Promise<{ answer: string; stage: ResearchStage }> {
  const stage = new ResearchStage(turn, setting);
  const answer = await stage.call(await stage.open(), "rust_crate_query", question);
  return { answer, stage };
}

const say = (text: string): Readonly<Record<string, unknown>> => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
});

describe("ferris: research", () => {
  it("asks another session of the same agent, in the crate's sources, and returns what that hands in", async () => {
    let prompt = "";
    const { answer, stage } = await asked(async (turn) => {
      prompt = turn.text;
      await turn.tool("return_response_to_user", { response: "42" });
      await turn.tool("return_response_to_user", { response: "(line 2)" });
    });
    assert.equal(answer, `${head}\n\n42\n\n(line 2)`);
    const [, opened] = stage.got.filter(([method]) => method === "session/new");
    assert.equal(opened?.[1]["cwd"], "/store/deep");
    for (const part of ['"deep"', "1.2.3", "/store/deep", "refused", "What is the answer?"]) {
      assert.ok(prompt.includes(part), part);
    }
  });

  it("closes the session afterwards", async () => {
    const { stage } = await asked((turn) => turn.tool("return_response_to_user", { response: "42" }));
    assert.deepEqual(stage.got.at(-1), ["session/close", { sessionId: "session-2" }]);
  });

  for (const [sessionCapabilities, ended] of [
    [{}, []],
    [{ delete: {} }, ["session/delete"]],
    [{ close: {}, delete: {} }, ["session/close", "session/delete"]],
  ] as const) {
    it(`ends the session with ${ended.join(" and ") || "nothing"} where the agent offers that`, async () => {
      const stage = new ResearchStage((turn) => turn.tool("return_response_to_user", { response: "42" }));
      stage.sessionCapabilities = sessionCapabilities;
      await stage.call(await stage.open(), "rust_crate_query", question);
      await stage.hasGot("session/prompt", ...ended);
      const after = stage.got.map(([method]) => method);
      assert.deepEqual(after.slice(after.lastIndexOf("session/prompt") + 1), ended);
    });
  }

  it("takes what the session said last when it hands nothing in", async () => {
    const { answer } = await asked((turn) => {
      turn.update(say("Let me look.\n"));
      turn.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read src/lib.rs", kind: "read" });
      turn.update(say("It is "));
      turn.update(say("42."));
      return Promise.resolve();
    });
    assert.equal(answer, `${head}\n\nIt is 42.`);
  });

  it("says why there is no answer", async () => {
    const { answer } = await asked(() => Promise.resolve());
    assert.match(answer, /^The research returned no answer: it ended with "end_turn"\. Ask a smaller question/);
  });

  it("shows the user nothing of it but progress of the tool call", async () => {
    const { stage } = await asked(async (turn) => {
      turn.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read src/lib.rs", kind: "read" });
      turn.update(say("It is 42.\nYes.\n"));
      await turn.tool("return_response_to_user", { response: "42" });
    });
    assert.deepEqual(stage.client.received, []);
    assert.deepEqual(stage.progress, ["Researching deep 1.2.3", "Read src/lib.rs", "It is 42.", "Yes."]);
  });

  it("keeps back updates that come before the session has an id, and those that come too late, and no others", async () => {
    const stage = new ResearchStage(
      (turn) => turn.tool("return_response_to_user", { response: "42" }),
      {},
      (sessionId, toClient) => {
        toClient.notify(updateOf(sessionId, { sessionUpdate: "available_commands_update" }));
        toClient.notify(updateOf("session-1", say("of the user")));
        toClient.notify(updateOf("another", say("of nobody known")));
      },
    );
    const sessionId = await stage.open();
    stage.client.received.length = 0;
    await stage.call(sessionId, "rust_crate_query", question);
    stage.proxy.fromSuccessor.notify(updateOf("session-2", say("too late")));
    assert.deepEqual(
      stage.client.received.map(({ params }) => params?.object?.["sessionId"]),
      ["session-1", "another"],
    );
  });

  /** What is answered to a permission request for a tool call. */
  async function permitted(toolCall: Readonly<Record<string, unknown>>): Promise<unknown> {
    let result: Json | undefined;
    await asked(async (turn) => {
      turn.update({ sessionUpdate: "tool_call", toolCallId: "known-read", title: "Read", kind: "read" });
      result = await turn.ask("session/request_permission", { toolCall, options });
    });
    return result?.object?.["outcome"];
  }
  const allowed = { outcome: "selected", optionId: "id-allow_once" };
  const rejected = { outcome: "selected", optionId: "id-reject_once" };
  const inside = "/store/deep/src/lib.rs";
  const cases: [what: string, toolCall: Readonly<Record<string, unknown>>, outcome: unknown][] = [
    ["a read inside", { kind: "read", locations: [{ path: inside }] }, allowed],
    ["a read whose input says where", { kind: "read", rawInput: { file_path: inside } }, allowed],
    ["a read by a relative path", { kind: "read", rawInput: { path: "src/lib.rs" } }, allowed],
    ["a call that an update said is a read", { toolCallId: "known-read", locations: [{ path: inside }] }, allowed],
    ["a search without a path", { kind: "search", rawInput: { pattern: "/// Docs" } }, allowed],
    ["handing in", { kind: "other", title: "mcp__ferris-research__return_response_to_user" }, allowed],
    ["finding sources", { title: "get_rust_crate_source (ferris)", rawInput: { crate_name: "deep" } }, allowed],
    ["a read outside", { kind: "read", locations: [{ path: "/etc/passwd" }] }, rejected],
    [
      "a read of two places, one outside",
      { kind: "read", locations: [{ path: inside }, { path: "/ws/.env" }] },
      rejected,
    ],
    [
      "a read that names its path in the input only",
      { kind: "read", locations: [{ path: inside }], rawInput: { a: ["/ws/x"] } },
      rejected,
    ],
    ["a read upward", { kind: "read", rawInput: { path: "../other/lib.rs" } }, rejected],
    ["a read of who knows what", { kind: "read" }, rejected],
    ["a search elsewhere", { kind: "search", rawInput: { pattern: "x", path: "/" } }, rejected],
    ["a search by a pattern elsewhere", { kind: "search", rawInput: { pattern: "/home/**" } }, rejected],
    ["a search in the home folder", { kind: "search", rawInput: { glob: "~/*" } }, rejected],
    ["a command", { kind: "execute", title: "cat src/lib.rs", locations: [{ path: inside }] }, rejected],
    ["a command in disguise", { kind: "execute", title: "return_response_to_user" }, rejected],
    ["an unknown tool in disguise", { title: "return_response_to_user", rawInput: { command: "rm" } }, rejected],
    ["an edit inside", { kind: "edit", locations: [{ path: inside }] }, rejected],
    ["a fetch", { kind: "fetch", rawInput: { url: "https://example.com" } }, rejected],
    ["a call without a kind", { toolCallId: "unknown", locations: [{ path: inside }] }, rejected],
  ];
  for (const [what, toolCall, outcome] of cases) {
    it(`${outcome === allowed ? "allows" : "rejects"} ${what}`, async () => {
      assert.deepEqual(await permitted(toolCall), outcome);
    });
  }

  it("cancels where no option of the kind is offered", async () => {
    let result: Json | undefined;
    await asked(async (turn) => {
      result = await turn.ask("session/request_permission", {
        toolCall: { kind: "execute" },
        options: [{ optionId: "yes", kind: "allow_once" }],
      });
    });
    assert.deepEqual(result?.object, { outcome: { outcome: "cancelled" } });
  });

  it("reads files of the sources for the session, and refuses files elsewhere, writing and terminals", async () => {
    const answers: unknown[] = [];
    const { stage } = await asked(async (turn) => {
      const read = "fs/read_text_file";
      answers.push((await turn.ask(read, { path: inside })).object?.["content"]);
      answers.push((await turn.ask(read, { path: inside, line: 2, limit: 1 })).object?.["content"]);
      for (const [method, params] of [
        [read, { path: "/ws/secret" }],
        ["fs/write_text_file", { path: inside, content: "" }],
        ["terminal/create", { command: "ls" }],
        ["terminal/output", { terminalId: "1" }],
      ] as const) {
        answers.push((await turn.ask(method, params)).object?.["code"]);
      }
    });
    assert.deepEqual(answers, [sources["src/lib.rs"], "    42", -32600, -32600, -32600, -32600]);
    assert.deepEqual(stage.client.received, []);
  });

  it("leaves the user's sessions alone", async () => {
    const stage = new ResearchStage(async (turn) => {
      turn.update(say("hello"));
      const answer = await turn.ask("fs/read_text_file", { path: "/ws/x" });
      assert.equal(answer.object?.["content"], "of the editor");
    });
    const sessionId = await stage.open();
    await ask(
      stage.proxy.fromClient,
      Request.of("session/prompt", { sessionId, prompt: [{ type: "text", text: "" }] }),
    );
    assert.deepEqual(stage.client.methods, ["session/update", "fs/read_text_file"]);
  });

  it("remembers answers by crate, version and prompt", async () => {
    const { answer, stage } = await asked((turn) => turn.tool("return_response_to_user", { response: "42" }));
    assert.equal(await stage.call("session-1", "rust_crate_query", question), answer);
    assert.equal(stage.count("session/prompt"), 1);
    await stage.call("session-1", "rust_crate_query", { ...question, prompt: "And now?" });
    assert.equal(stage.count("session/prompt"), 2);
  });

  it("researches several questions at once, each for itself", async () => {
    const waiting: (() => void)[] = [];
    const stage = new ResearchStage(async (turn) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 3) for (const go of waiting) go();
      });
      await turn.tool("return_response_to_user", { response: `answer to ${turn.text.split("\n").at(-1) ?? ""}` });
    });
    const sessionId = await stage.open();
    const prompts = ["one", "two", "three"];
    const answers = await Promise.all(
      prompts.map((prompt) => stage.call(sessionId, "rust_crate_query", { ...question, prompt })),
    );
    assert.deepEqual(
      answers,
      prompts.map((prompt) => `${head}\n\nanswer to ${prompt}`),
    );
  });

  const untilCancelled: Turn = (turn) =>
    new Promise<void>((resolve) => turn.signal.addEventListener("abort", () => resolve(), { once: true }));

  it("is cancelled with the tool call that asked, and allows nothing afterwards", async () => {
    const abort = new AbortController();
    const stage = new ResearchStage((turn) => {
      abort.abort();
      return untilCancelled(turn);
    });
    const answer = await stage.call(await stage.open(), "rust_crate_query", question, abort.signal);
    assert.match(answer, /Request cancelled/);
    assert.deepEqual(stage.got.slice(-2), [
      ["session/cancel", { sessionId: "session-2" }],
      ["session/close", { sessionId: "session-2" }],
    ]);
    const toolCall = { kind: "read", locations: [{ path: inside }] };
    const late = Request.of("session/request_permission", { sessionId: "session-2", toolCall, options });
    assert.deepEqual((await ask(stage.proxy.fromSuccessor, late)).json.object, { outcome: rejected });
  });

  it("is cancelled when the chain ends", async () => {
    const stage = new ResearchStage((turn) => {
      void stage.proxy[Symbol.asyncDispose]();
      return untilCancelled(turn);
    });
    const answer = await stage.call(await stage.open(), "rust_crate_query", question);
    assert.match(answer, /^The research was cancelled\./);
  });

  it("stops after its time, and gives what was handed in until then", async () => {
    const late = await asked(untilCancelled, { researchTimeoutMs: 1 });
    assert.match(
      late.answer,
      /^The research took longer than 0\.001 s\. Ask a smaller question, or raise researchTimeoutMs/,
    );
    const partial = await asked(
      async (turn) => {
        await turn.tool("return_response_to_user", { response: "so far" });
        await untilCancelled(turn);
      },
      { researchTimeoutMs: 50 },
    );
    assert.match(partial.answer, /so far\n\n\(The research was stopped after 0\.05 s/);
  });

  it("offers only the tools that the options name", async () => {
    const stage = new ResearchStage(() => Promise.resolve(), { tools: ["crate_search", "nonsense"] });
    const sessionId = await stage.open();
    assert.match(
      await stage.call(sessionId, "crate_search", { crate_name: "deep", query: "answer" }),
      /src\/lib\.rs:1/,
    );
    assert.match(await stage.call(sessionId, "rust_crate_query", question), /has no tool .* It has: crate_search\./);
  });

  it("reports an agent that opens no session", async () => {
    const stage = new ResearchStage(() => Promise.resolve());
    const sessionId = await stage.open();
    stage.refusal = "no more sessions";
    assert.equal(
      await stage.call(sessionId, "rust_crate_query", question),
      "The agent couldn't open a research session: no more sessions. Use crate_sources, crate_search and crate_item instead.",
    );
  });
});
