import assert from "node:assert/strict";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { ChatFixture, TurnAgent } from "./terminal-chat-fixture.js";

const echo = (): TurnAgent =>
  new TurnAgent((turn) => {
    turn.say(`<${turn.text}>`);
    turn.end("end_turn");
  });

describe("TerminalChat, while a prompt is typed", () => {
  it("clears a half-typed prompt with Ctrl-C, and its earlier lines", async () => {
    const agent = echo();
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("half\u0003");
    await chat.output.shows("you> ", 2);
    chat.input.write("one\\\r");
    await chat.output.shows("...> ");
    chat.input.write("two\u0003");
    await chat.output.shows("you> ", 3);
    chat.input.write("three\r");
    await chat.output.shows("<three>\nyou> ");
    chat.input.write("\u0003");
    assert.deepEqual([await exit, agent.prompts], [0, ["three"]]);
  });

  const paste = (text: string): string => `\u001B[200~${text}\u001B[201~`;

  it("makes one prompt of lines that are pasted at once", async () => {
    const agent = echo();
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write(`see: ${paste("one\\\rtwo\r\rthr")}ee\r`);
    await chat.output.shows("three>\nyou> ");
    chat.input.write("\u0003");
    assert.deepEqual([await exit, agent.prompts], [0, ["see: one\\\ntwo\n\nthree"]]);
    const modes = chat.output.text.split("\u001B[?2004").map((part) => part[0]);
    assert.deepEqual([modes[1], modes.at(-1)], ["h", "l"]);
  });

  it("keeps a paste in a turn for the prompt after it, and clears it with Ctrl-C", async () => {
    let finish = (): void => undefined;
    const agent = new TurnAgent((turn) => {
      turn.say("<busy");
      finish = () => turn.end("end_turn");
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("go\r");
    await chat.output.shows("<busy");
    chat.input.write(paste("one\rtwo"));
    finish();
    await chat.output.shows("one\nyou> two");
    chat.input.write("\u0003");
    await chat.output.shows("you> ", 3);
    chat.input.write("\u0003");
    assert.deepEqual([await exit, agent.prompts], [0, ["go"]]);
  });

  it("answers no question with the first line of a paste", async () => {
    const chat = new ChatFixture(new ScriptedAgent(), { terminals: "all" });
    const exit = chat.run("permission reject");
    await chat.output.shows("allow? ");
    chat.input.write(`${paste("y\ry")}\r`);
    await chat.output.shows("isn't a valid answer");
    chat.input.write("n\r");
    assert.equal(await exit, 0);
  });

  it("lists skills of others last in its help, and no command that the chat takes itself", async () => {
    const agent = new TurnAgent((turn) => {
      const availableCommands = ["kit:fly", "help", "compact"].map((name) => ({ name, description: "does" }));
      turn.update({ sessionUpdate: "available_commands_update", availableCommands });
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent, { terminals: "all" });
    const exit = chat.run();
    await chat.output.shows("you> ");
    chat.input.write("go\r");
    await chat.output.shows("you> ", 2);
    chat.input.write("/help\r");
    await chat.output.shows("Agent commands:\n  /compact  does\n  /kit:fly  does\nyou> ");
    chat.input.end();
    assert.equal(await exit, 0);
  });
});
