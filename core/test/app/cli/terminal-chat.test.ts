import assert from "node:assert/strict";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { ChatFixture, TurnAgent } from "./terminal-chat-fixture.js";

function sayingAgent(...pieces: string[]): TurnAgent {
  return new TurnAgent((turn) => {
    for (const piece of pieces) turn.say(piece);
    turn.end("end_turn");
  });
}

describe("TerminalChat, answering once", () => {
  it("writes the answer's text alone to an output that a program reads, and ends it with a newline", async () => {
    const chat = new ChatFixture(
      new TurnAgent((turn) => {
        turn.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Hm." } });
        turn.say("Hello");
        turn.say(", you.");
        turn.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Look", kind: "read" });
        turn.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" });
        turn.say("Done.");
        turn.reply(Outcome.of({ stopReason: "end_turn", usage: { totalTokens: 3, inputTokens: 2, outputTokens: 1 } }));
      }),
    );
    const exitCode = await chat.run("hi");
    assert.deepEqual(
      [exitCode, chat.output.text, chat.errors.text],
      [
        0,
        "Hello, you.\nDone.\n",
        "thought: Hm.\n- [read] Look ... pending\n- [read] Look ... completed\nusage: 3 tokens (2 in, 1 out)\n",
      ],
    );
  });

  it("writes each piece of the answer as it comes", async () => {
    let finish = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      turn.say("first ");
      finish = () => {
        turn.say("second");
        turn.end("end_turn");
      };
    });
    const chat = new ChatFixture(agent);
    const exit = chat.run("go");
    await chat.output.shows("first ");
    assert.equal(chat.output.text, "first ");
    finish();
    assert.deepEqual([await exit, chat.output.text], [0, "first second\n"]);
  });

  it("begins a new message, by its id, on a new line", async () => {
    const agent = new TurnAgent((turn) => {
      for (const [messageId, text] of [
        ["a", "One"],
        ["a", "!"],
        ["b", "Two"],
      ]) {
        turn.update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
      }
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent);
    await chat.run("go");
    assert.equal(chat.output.text, "One!\nTwo\n");
  });

  const endings: [stopReason: string, exitCode: number, said: string][] = [
    ["end_turn", 0, ""],
    ["refusal", 2, "The agent stopped: refusal.\n"],
    ["max_tokens", 2, "The agent stopped: max tokens.\n"],
    ["max_turn_requests", 2, "The agent stopped: max turn requests.\n"],
    ["cancelled", 130, "cancelled\n"],
  ];
  for (const [stopReason, exitCode, said] of endings) {
    it(`exits with ${exitCode} when the turn ends with ${stopReason}`, async () => {
      const chat = new ChatFixture(new TurnAgent((turn) => turn.end(stopReason)));
      assert.deepEqual([await chat.run("go"), chat.output.text, chat.errors.text], [exitCode, "", said]);
    });
  }

  it("exits with 1 and says an error with its details and hint, once each", async () => {
    const error = new RpcError(-32603, "It broke.", { details: "at once", hint: "Mend it." });
    const chat = new ChatFixture(new TurnAgent((turn) => turn.reply(Outcome.error(error))));
    assert.deepEqual([await chat.run("go"), chat.errors.text], [1, "error: It broke.\n  at once\n  Mend it.\n"]);
  });

  it("exits with 1 when the turn ends without a stop reason", async () => {
    const chat = new ChatFixture(new ScriptedAgent());
    assert.deepEqual(
      [await chat.run("null_result"), chat.errors.text],
      [1, "error: The agent ended the turn without a stop reason.\n"],
    );
  });

  it("refuses an agent of another protocol version", async () => {
    const chat = new ChatFixture(new ScriptedAgent({ protocolVersion: 2 }));
    assert.deepEqual(
      [await chat.run("echo hi"), chat.errors.text],
      [1, "error: The agent speaks ACP version 2; the chat speaks version 1.\n"],
    );
  });

  it("shows every kind of update that there is, an unknown one as a line", async () => {
    const chat = new ChatFixture(new ScriptedAgent());
    assert.equal(await chat.run("updates\nplan\nusage"), 0);
    assert.equal(chat.output.text, "An answer\nWith unknown members\n");
    for (const line of [
      "you said: What the user said",
      "thought: A thought",
      "plan\n  [x] Read\n  [>] Change\n  [ ] Check",
      "mode: code",
      "options: Model small, Verbose off",
      "session: A scripted session",
      "warning: Nearly full: The context is nearly full",
      '[compaction_update] {"compactionId":"compaction-1","status":"in_progress"}',
      '[_test_weather] {"sky":{"clouds":[1,null,{"deep":true}]},"_meta":{"test.example/trace":"t-1"}}',
      "usage: 30 tokens (20 in, 10 out), context 1200 of 200000, cost 0.25 USD",
    ]) {
      assert.ok(chat.errors.text.includes(`${line}\n`), line);
    }
  });

  it("says nothing of a session whose title has not changed", async () => {
    const agent = new TurnAgent((turn) => {
      turn.update({ sessionUpdate: "session_info_update", updatedAt: "2026-01-02T03:04:05Z" });
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent);
    await chat.run("go");
    assert.equal(chat.errors.text, "");
  });

  it("shows a title that comes amid an answer after the answer", async () => {
    const agent = new TurnAgent((turn) => {
      turn.say("one ");
      turn.update({ sessionUpdate: "session_info_update", title: "Counting" });
      turn.say("two");
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent, { terminals: "output" });
    await chat.run("go");
    assert.equal(chat.output.plain, "one two\nsession: Counting\n");
  });

  it("says nothing of notifications of an agent's own", async () => {
    const agent = new TurnAgent((turn) => {
      turn.client.notify(Notification.of("_auth/status_update", {}));
      turn.client.notify(Notification.of("other", {}));
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent);
    await chat.run("go");
    assert.equal(chat.errors.text, "[other]\n");
  });

  it("names files by their paths in the folder, if an agent names them from the root folder too", async () => {
    const cwd = await realpath(await mkdtemp(join(tmpdir(), "chat-")));
    const path = join(cwd, "a.txt");
    const agent = new TurnAgent((turn) => {
      const call = { toolCallId: "1", title: path.slice(1), kind: "edit", locations: [{ path }], status: "completed" };
      turn.update({ sessionUpdate: "tool_call", ...call });
      turn.client.request(Request.of("fs/write_text_file", { sessionId: "s", path, content: "x" }), () =>
        turn.end("end_turn"),
      );
    });
    const chat = new ChatFixture(agent, { cwd, permission: "allow" });
    await chat.run("go");
    assert.equal(chat.errors.text, "- [edit] a.txt ... completed\nwrote a.txt\n");
    await rm(cwd, { recursive: true });
  });

  it("lists the commands of plugins last in its help", async () => {
    const agent = new TurnAgent((turn) => {
      const availableCommands = ["plugin:skill", "plan"].map((name) => ({ name, description: `Does ${name}` }));
      turn.update({ sessionUpdate: "available_commands_update", availableCommands });
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent);
    chat.input.end("go\n/help\n");
    await chat.run();
    assert.match(chat.errors.text, / {2}\/plan {2}Does plan\n {2}\/plugin:skill {2}Does plugin:skill\n$/);
  });

  it("shows a cost without the rest of its sum", async () => {
    const agent = new TurnAgent((turn) => {
      const cost = { amount: 0.0018000000000000002, currency: "USD" };
      turn.update({ sessionUpdate: "usage_update", used: 1, size: 2, cost });
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent);
    await chat.run("go");
    assert.ok(chat.errors.text.includes("cost 0.0018 USD\n"), chat.errors.text);
  });

  it("shows tool calls with their diffs and results, announced or not", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { cwd: "/project" });
    await chat.run("tool_calls");
    const lines = chat.errors.text.split("\n");
    const from = lines.indexOf("- [edit] Tool of kind edit ... completed");
    assert.deepEqual(lines.slice(from, from + 11), [
      "- [edit] Tool of kind edit ... completed",
      "  main.ts",
      "  -let a = 1;",
      "  +const a = 1;",
      "  new.ts (new)",
      "  +export {};",
      "- [execute] Run the tests ... running",
      "- [execute] Run the tests ... failed",
      "  terminal display-only",
      "  1 test failed",
      "- [read] Tool of kind read ... completed",
    ]);
    assert.ok(lines.includes("- [other] Not announced ... completed"));
  });

  it("neutralises escape sequences, controls and bidi controls wherever an agent puts them", async () => {
    const escape = "\u001b";
    const evil = "\u001b[2J\u0007\u009b1m\u202eabc\r";
    const agent = new TurnAgent((turn) => {
      turn.say(`a${evil}!\nb`);
      turn.say("\u001b");
      turn.say("]0;title\u0007");
      turn.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: evil } });
      turn.update({
        sessionUpdate: "tool_call",
        toolCallId: "1",
        title: `x\n1. Allow${evil}`,
        kind: evil,
        status: evil,
      });
      turn.update({ sessionUpdate: "plan", entries: [{ content: evil, status: "pending" }] });
      turn.update({ sessionUpdate: "notice", title: evil });
      turn.update({ sessionUpdate: evil });
      turn.reply(Outcome.error(new RpcError(-32603, evil)));
    });
    const chat = new ChatFixture(agent, { terminals: "output" });
    await chat.run("go");
    const colours = new RegExp(`${escape}\\[\\d+m`, "g");
    const text = (chat.output.text + chat.errors.text).replaceAll(colours, "");
    assert.doesNotMatch(text, /[^\P{Cc}\n]|\p{Bidi_Control}/u);
    assert.ok(text.startsWith("a␛[2J␇<U+009B>1m<U+202E>abc␍!\nb␛]0;title␇\n"));
    assert.ok(text.includes("] x 1. Allow␛[2J␇"));
  });

  it("colours only on a terminal whose user has not set NO_COLOR", async () => {
    const agent = (): TurnAgent =>
      new TurnAgent((turn) => {
        turn.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "T", kind: "read", status: "failed" });
        turn.end("end_turn");
      });
    const texts: string[] = [];
    for (const env of [{}, { NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const chat = new ChatFixture(agent(), { terminals: "output", env });
      await chat.run("go");
      texts.push(chat.output.text);
    }
    const plain = "- [read] T ... failed\n";
    assert.deepEqual(texts, ["- [\u001b[36mread\u001b[39m] T ... \u001b[31mfailed\u001b[39m\n", plain, plain]);
  });

  it("refuses what it does not know, terminals included, with -32601", async () => {
    const codes: unknown[] = [];
    const agent = new TurnAgent((turn) => {
      const asked = ["_vendor/question", "terminal/create", "elicitation/create"].map((method) =>
        ask(turn.client, Request.of(method, {})),
      );
      void Promise.all(asked).then((outcomes) => {
        codes.push(...outcomes.map(({ json }) => json.object?.["code"]));
        turn.end("end_turn");
      });
    });
    await new ChatFixture(agent).run("go");
    assert.deepEqual(codes, [-32601, -32601, -32601]);
  });

  it("stops with 1 when the reader of its output has gone", async () => {
    const chat = new ChatFixture(new TurnAgent((turn) => turn.say("text")));
    const exit = chat.run("go");
    await chat.output.shows("text");
    chat.output.destroy(new Error("EPIPE"));
    assert.equal(await exit, 1);
  });
});

describe("TerminalChat, reading prompts from a pipe", () => {
  it("takes each line as a prompt, skips blank ones, and ends with the input", async () => {
    const agent = new TurnAgent((turn) => {
      turn.say(turn.text.toUpperCase());
      turn.end(turn.text === "two" ? "refusal" : "end_turn");
    });
    const chat = new ChatFixture(agent);
    chat.input.end("one\n\ntwo\nthree \\\nfour\nlast");
    assert.deepEqual(
      [await chat.run(), chat.output.text, agent.prompts],
      [2, "ONE\nTWO\nTHREE \nFOUR\nLAST\n", ["one", "two", "three \nfour", "last"]],
    );
  });

  it("leaves at /exit and writes no greeting and no prompt", async () => {
    const chat = new ChatFixture(sayingAgent("yes"));
    chat.input.end("one\n/exit\ntwo\n");
    assert.deepEqual([await chat.run(), chat.output.text, chat.errors.text], [0, "yes\n", ""]);
  });

  it("cancels at SIGINT and reads no further line", async () => {
    const agent = new ScriptedAgent();
    const chat = new ChatFixture(agent);
    chat.input.write("wait_for_cancel\necho more\n");
    const exit = chat.run();
    await chat.output.shows("waiting");
    chat.signals.emit("SIGINT");
    assert.deepEqual([await exit, chat.output.text], [130, "waiting\ncancelled by session/cancel\n"]);
  });
});

describe("TerminalChat, when the chain fails", () => {
  it("says the reason while it waits for the user, and ends with 1", async () => {
    const stop = new AbortController();
    const chat = new ChatFixture(sayingAgent("yes"), { terminals: "all", stop: stop.signal });
    const exit = chat.run();
    await chat.output.shows("you> ");
    stop.abort(new Error("the agent exited"));
    assert.equal(await exit, 1);
    assert.ok(chat.errors.plain.endsWith("error: the agent exited\n"));
  });

  it("says the error of the turn alone, and ends with 1", async () => {
    const stop = new AbortController();
    const agent = new TurnAgent((turn) => {
      turn.reply(Outcome.error(RpcError.internal("the agent exited")));
      stop.abort(new Error("the agent exited"));
    });
    const chat = new ChatFixture(agent, { stop: stop.signal });
    chat.input.write("go\n");
    assert.deepEqual([await chat.run(), chat.errors.text], [1, "error: the agent exited\n"]);
  });
});
