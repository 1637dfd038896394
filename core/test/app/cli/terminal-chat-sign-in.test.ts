import assert from "node:assert/strict";
import { Outcome, type Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { ChatFixture } from "./terminal-chat-fixture.js";

describe("TerminalChat, when the agent needs a sign-in", () => {
  it("lists the sign-in methods and exits with 3 where nobody can be asked", async () => {
    const chat = new ChatFixture(new ScriptedAgent({ authRequired: true }));
    assert.equal(await chat.run("echo hi"), 3);
    assert.equal(
      chat.errors.text,
      "Scripted agent 1.0.0 needs you to sign in.\n  1. Scripted login - Succeeds at once\n" +
        "error: You need to sign in. Run `symposium-acp-agent sign-in`, or sign in with the agent's own program.\n",
    );
  });

  it("names the sign-in command and exits with 3 if only the prompt needs a sign-in", async () => {
    const agent = {
      name: "a",
      connect: () => ({
        fromClient: {
          request: ({ method }: Request, reply: (outcome: Outcome) => void) => {
            if (method === "session/prompt") reply(Outcome.error(new RpcError(-32000, "Authentication required")));
            else reply(Outcome.of(method === "initialize" ? { protocolVersion: 1 } : { sessionId: "s" }));
            return () => undefined;
          },
          notify: () => undefined,
        },
      }),
    };
    const chat = new ChatFixture(agent, { signInWords: ["--agent", "my agent"] });
    assert.equal(await chat.run("hi"), 3);
    assert.equal(
      chat.errors.text,
      "error: Authentication required\n  To sign in, run `symposium-acp-agent sign-in --agent 'my agent'`.\n",
    );
  });

  it("authenticates with the method that the user chooses, and opens the session then", async () => {
    const chat = new ChatFixture(new ScriptedAgent({ authRequired: true }), { terminals: "all" });
    const exit = chat.run("echo hi");
    await chat.output.shows("sign in with [1-1] ");
    chat.input.write("1\r");
    assert.equal(await exit, 0);
    assert.ok(chat.output.plain.endsWith("\nhi\n"));
  });

  it("prints the command of a sign-in that happens in a terminal, and tries once more after it", async () => {
    let opened = 0;
    const agent = {
      name: "a",
      connect: () => ({
        fromClient: {
          request: (request: Request, reply: (outcome: Outcome) => void) => {
            const login = { type: "terminal", id: "t", name: "Login", args: ["log in", "now"], env: { A: "b c" } };
            if (request.method === "initialize") reply(Outcome.of({ protocolVersion: 1, authMethods: [login] }));
            else if (request.method === "session/new" && ++opened === 1)
              reply(Outcome.error(new RpcError(-32000, "Login")));
            else reply(Outcome.of({ sessionId: "s", stopReason: "end_turn" }));
            return () => undefined;
          },
          notify: () => undefined,
        },
      }),
    };
    const chat = new ChatFixture(agent, { terminals: "all", agentCommand: "some-agent" });
    const exit = chat.run("go");
    await chat.output.shows("sign in with [1-1] ");
    chat.input.write("1\r");
    await chat.errors.shows("Run in another terminal: A='b c' some-agent 'log in' now\n");
    chat.input.write("\r");
    assert.deepEqual([await exit, opened], [0, 2]);
  });
});
