import assert from "node:assert/strict";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { ChatFixture, TurnAgent } from "./terminal-chat-fixture.js";

const echo = (): TurnAgent =>
  new TurnAgent((turn) => {
    turn.say(`<${turn.text}>`);
    turn.end("end_turn");
  });

describe("TerminalChat, in a terminal", () => {
  it("greets on the error output with the agent, the extensions and the way out", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all", extensions: ["sparkle", "cargo"] });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("/exit\r");
    assert.deepEqual(
      [await exit, chat.errors.plain],
      [
        0,
        "Scripted agent 1.0.0 through Symposium 1.2.3, extensions: sparkle, cargo.\n" +
          "Type /help for help, /exit or Ctrl-D to leave.\n",
      ],
    );
  });

  it("joins lines that end with a backslash to one prompt", async () => {
    const agent = echo();
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("one\\\r");
    await chat.output.shows("...> ");
    chat.input.write("two\r");
    await chat.output.shows("<one\ntwo>\nyou> ");
    chat.input.write("\u0004");
    assert.deepEqual([await exit, agent.prompts], [0, ["one\ntwo"]]);
  });

  it("keeps lines that are typed during a turn for after it", async () => {
    let finish = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      turn.say(`<${turn.text}`);
      finish = () => {
        turn.say(">");
        turn.end("end_turn");
      };
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("one\r");
    await chat.output.shows("<one");
    chat.input.write("two\rthr");
    finish();
    await chat.output.shows("<two");
    finish();
    await chat.output.shows("you> thr");
    chat.input.write("ee\r");
    await chat.output.shows("<three");
    finish();
    await chat.output.shows("<three>");
    chat.input.end();
    assert.deepEqual([await exit, agent.prompts], [0, ["one", "two", "three"]]);
  });

  it("lists the agent's commands in its help", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("updates\r");
    await chat.output.shows("With unknown members");
    chat.input.write("/help\r");
    await chat.output.shows("  /echo  Says a text");
    chat.input.write("/exit\r");
    assert.equal(await exit, 0);
  });

  it("leaves with Ctrl-C at the prompt", async () => {
    const chat = new ChatFixture(echo(), { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("\u0003");
    assert.equal(await exit, 0);
  });

  it("shows what an agent says after its turn above the line being typed", async () => {
    let late = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      late = () => turn.update({ sessionUpdate: "notice", title: "late" });
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("go\r");
    await chat.output.shows("you> ", 2);
    chat.input.write("abc");
    await chat.output.shows("abc");
    late();
    assert.ok(chat.output.plain.endsWith("notice: late\nyou> abc"));
    chat.input.write("\u0003\u0003");
    await exit;
  });
});

describe("TerminalChat, when the user cancels", () => {
  it("sends session/cancel at the first Ctrl-C and goes on when the stop reason has come", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("wait_for_cancel\r");
    await chat.output.shows("waiting");
    chat.input.write("echo forgotten\r\u0003");
    await chat.output.shows("cancelled by session/cancel");
    await chat.errors.shows("cancelled\n");
    chat.input.write("echo again\r");
    await chat.output.shows("again\nyou> ");
    chat.input.write("\u0004");
    assert.equal(await exit, 0);
    assert.ok(!chat.output.plain.includes("\nforgotten"));
  });

  it("exits with 130 when SIGINT cancels the only turn", async () => {
    const chat = new ChatFixture(new ScriptedAgent());
    const exit = chat.run("wait_for_cancel");
    await chat.output.shows("waiting");
    chat.signals.emit("SIGINT");
    assert.deepEqual([await exit, chat.signals.listenerCount("SIGINT")], [130, 0]);
  });

  it("leaves at the second Ctrl-C an agent that does not stop", async () => {
    const chat = new ChatFixture(new ScriptedAgent());
    const exit = chat.run("echo busy\nhang");
    await chat.output.shows("busy");
    chat.signals.emit("SIGINT");
    chat.signals.emit("SIGINT");
    assert.equal(await exit, 130);
  });

  it("writes nothing more after the user has left", async () => {
    let fail = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      turn.say("busy");
      fail = () => {
        turn.say("late");
        turn.reply(Outcome.error(RpcError.internal("the agent exited")));
      };
    });
    const chat = new ChatFixture(agent);
    const exit = chat.run("go");
    await chat.output.shows("busy");
    chat.signals.emit("SIGINT");
    chat.signals.emit("SIGINT");
    await exit;
    fail();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([chat.output.text, chat.errors.text], ["busy\n", "cancelling; press Ctrl-C again to exit\n"]);
  });

  it("does not wait for ever for an agent that does not stop", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { cancelGraceMs: 1 });
    const exit = chat.run("echo busy\nhang");
    await chat.output.shows("busy");
    chat.signals.emit("SIGINT");
    assert.equal(await exit, 130);
    assert.match(chat.errors.text, /has not confirmed the cancellation/);
  });

  it("leaves while the agent is still starting", async () => {
    const chat = new ChatFixture(new ScriptedAgent({ neverAnswersInitialize: true }));
    const exit = chat.run("go");
    chat.signals.emit("SIGINT");
    assert.equal(await exit, 130);
  });
});

describe("TerminalChat, when the agent asks for permission", () => {
  async function chosenOf(typed: string): Promise<string> {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run("permission");
    await chat.output.shows("allow? [1-4, y, n] ");
    chat.input.write(typed);
    await exit;
    return /request_permission result\s(.*)/.exec(chat.output.plain)?.[1] ?? "";
  }

  const answers: [typed: string, optionId: string][] = [
    ["y\r", "option-3"],
    ["n\r", "option-2"],
    ["1\r", "option-1"],
    ["4\r", "option-4"],
  ];
  for (const [typed, optionId] of answers) {
    it(`takes ${typed.trim()} for the option ${optionId}, whatever the order`, async () => {
      assert.equal(await chosenOf(typed), `{"outcome":{"outcome":"selected","optionId":"${optionId}"}}`);
    });
  }

  it("asks again after an answer that fits no option", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run("permission reject");
    await chat.output.shows("allow? ");
    chat.input.write("5\r");
    await chat.output.shows(`"5" isn't a valid answer; type 1-4, y, n`);
    chat.input.write("n\r");
    assert.equal(await exit, 0);
  });

  it("answers cancelled at the end of input", async () => {
    assert.equal(await chosenOf("\u0004"), '{"outcome":{"outcome":"cancelled"}}');
  });

  it("shows the command, the paths, the diff and the options in the agent's order", async () => {
    const agent = new TurnAgent((turn) => {
      const toolCall = {
        toolCallId: "1",
        title: "Run it",
        kind: "execute",
        rawInput: { command: "rm", args: ["-rf", "build\nls"], cwd: "/tmp", env: { A: "b c" } },
        locations: [{ path: "/project/build", line: 3 }],
        content: [{ type: "diff", path: "/project/a.ts", oldText: "1\n", newText: "2\n" }],
      };
      const options = [
        { optionId: "no", name: "No", kind: "reject_once" },
        { optionId: "yes", name: "Allow once", kind: "allow_once" },
      ];
      void ask(turn.client, Request.of("session/request_permission", { toolCall, options })).then(() =>
        turn.end("end_turn"),
      );
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run("go");
    await chat.output.shows("allow? ");
    chat.input.write("n\r");
    await exit;
    assert.equal(
      chat.output.plain.slice(0, chat.output.plain.indexOf("allow?")),
      "? [execute] Run it\n  $ rm -rf 'build\n    ls'\n  in /tmp\n  with A='b c'\n  build:3\n  a.ts\n  -1\n  +2\n" +
        "  1. No (reject once)\n  2. Allow once\n",
    );
  });

  it("names the file of a question by its path in the folder, and shows its path once with the diff", async () => {
    const path = "/project/src/a.ts";
    const agent = new TurnAgent((turn) => {
      const content = [{ type: "diff", path, newText: "2\n" }];
      const toolCall = { toolCallId: "1", title: path, kind: "edit", locations: [{ path }], content };
      const options = [{ optionId: "yes", name: "Allow once", kind: "allow_once" }];
      void ask(turn.client, Request.of("session/request_permission", { toolCall, options })).then(() =>
        turn.end("end_turn"),
      );
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run("go");
    await chat.output.shows("allow? ");
    chat.input.write("1\r");
    await exit;
    assert.equal(
      chat.output.plain.slice(0, chat.output.plain.indexOf("allow?")),
      "? [edit] src/a.ts\n  src/a.ts (new)\n  +2\n  1. Allow once\n",
    );
  });

  it("shows a diff once, though the agent sends it before the question and at the end", async () => {
    const agent = new TurnAgent((turn) => {
      const diff = { type: "diff", path: "/project/a.ts", oldText: "1\n", newText: "2\n" };
      const call = { toolCallId: "1", title: "Edit", kind: "edit" };
      turn.update({ sessionUpdate: "tool_call", ...call, status: "pending", content: [diff] });
      const options = [{ optionId: "yes", name: "Allow once", kind: "allow_once" }];
      void ask(turn.client, Request.of("session/request_permission", { toolCall: call, options })).then(() => {
        const content = [{ ...diff, _meta: { line: 1 } }];
        turn.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", content });
        turn.end("end_turn");
      });
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run("go");
    await chat.output.shows("allow? ");
    chat.input.write("1\r");
    await exit;
    assert.equal(chat.output.plain.split("  +2\n").length - 1, 1);
  });

  it("takes no line that was typed before the question for an answer", async () => {
    let asked = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      turn.say("working");
      asked = () => {
        const params = { toolCall: { title: "T" }, options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] };
        void ask(turn.client, Request.of("session/request_permission", params)).then((outcome) => {
          turn.say(outcome.json.text);
          turn.end("end_turn");
        });
      };
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("go\r");
    await chat.output.shows("working");
    chat.input.write("y\ry");
    asked();
    await chat.output.shows("allow? [1, y] ");
    chat.input.write("\u0003");
    await chat.output.shows('{"outcome":{"outcome":"cancelled"}}');
    await chat.output.shows("you> y");
    chat.input.write("\u0003\u0003");
    assert.equal(await exit, 0);
  });

  it("answers cancelled when the turn is cancelled during the question", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run("permission");
    await chat.output.shows("allow? ");
    chat.input.write("\u0003");
    assert.equal(await exit, 130);
    assert.ok(chat.output.plain.includes("permission: cancelled"));
  });

  for (const { place, machine, board } of [
    { place: "", machine: undefined, board: "sessions board" },
    { place: " on another machine", machine: "ssh:build", board: "sessions board --on ssh:build" },
  ]) {
    it(`leaves a question of the host${place} open at the end of input`, async () => {
      let answer: unknown;
      const agent = new TurnAgent((turn) => {
        const params = { toolCall: { title: "T" }, options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }] };
        void ask(turn.client, Request.of("session/request_permission", params)).then(
          ({ json }) => (answer = json.value),
        );
      });
      const chat = new ChatFixture(agent, { terminals: "all", isHosted: true, machine });
      const exit = chat.run("go");
      await chat.output.shows("allow? ");
      chat.input.write("\u0004");
      assert.equal(await exit, 0);
      assert.equal(answer, undefined);
      assert.equal(chat.errors.plain, `The session continues in the host; \`${board}\` opens it.\n`);
    });
  }

  it("rejects by kind, and says so, where nobody can be asked", async () => {
    const chat = new ChatFixture(new ScriptedAgent());
    assert.equal(await chat.run("permission reject"), 0);
    assert.match(chat.output.text, /"optionId":"option-2"/);
    assert.ok(chat.errors.text.includes('permission: Change main.ts: rejected ("Not now")\n'));
  });

  it("allows by kind when it was told to", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { permission: "allow" });
    assert.equal(await chat.run("permission allow"), 0);
    assert.ok(chat.errors.text.includes('permission: Change main.ts: allowed ("Once")\n'));
  });
});
