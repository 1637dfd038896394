import { quirksOf } from "../../../src/agents/agent-quirks.js";
import assert from "node:assert/strict";
import { setImmediate as settled } from "node:timers/promises";
import type { CalledTool } from "../../../src/models/answer-sink.js";
import type { AnswerEnd } from "../../../src/models/openai/chat-completion.js";
import { parseChatRequest } from "../../../src/models/openai/chat-request.js";
import { ChatService } from "../../../src/models/openai/chat-service.js";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";
import { type Prompted, StageAgent } from "../stage-agent.js";

type Message = Readonly<Record<string, unknown>>;

function user(content: unknown): Message {
  return { role: "user", content };
}

function assistant(content: string | null, calls: readonly CalledTool[] = []): Message {
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: "assistant", content, ...(calls.length > 0 && { tool_calls: toolCalls }) };
}

function result(call: CalledTool | undefined, content: string): Message {
  return { role: "tool", tool_call_id: call?.id ?? "", content };
}

function tool(name: string): Message {
  return { type: "function", function: { name, parameters: { type: "object", properties: {} } } };
}

/** A request under way. */
interface Asked {
  readonly calls: readonly CalledTool[];
  readonly ended: Promise<AnswerEnd>;
  readonly text: string;
}

/** Clients of the OpenAI interface send the whole history each time, and no id of the conversation. */
describe("conversations of an OpenAI client with an agent", () => {
  let agent: StageAgent;
  let service: ChatService;
  let now: number;
  beforeEach(() => {
    agent = new StageAgent();
    now = 0;
    const agents = [{ id: "a", name: "A", open: agent.open }];
    service = new ChatService({ agents, policy: "deny", cwd: "/empty", version: "1", quirksOf, now: () => now });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const tools = [tool("shout")];

  function ask(messages: readonly Message[], members: Message = { tools }): Asked {
    const calls: CalledTool[] = [];
    let text = "";
    const sink = {
      content: (piece: string) => (text += piece),
      reasoning: () => undefined,
      toolCall: (call: CalledTool) => void calls.push(call),
    };
    const request = parseChatRequest({ model: "a", messages, ...members });
    const ended = service.answer(request, sink, new AbortController().signal);
    return {
      calls,
      ended,
      get text() {
        return text;
      },
    };
  }

  /** Has the agent say this to the messages, and nothing else; the session and the prompt that it got. */
  async function answered(text: string, ...args: Parameters<typeof ask>): Promise<readonly string[]> {
    const { ended } = ask(...args);
    const prompted = await agent.prompt();
    prompted.say(text);
    prompted.end();
    await ended;
    return [prompted.sessionId, prompted.text];
  }

  /** Has the agent call the client's tool in its answer to "Look". */
  async function calling(signal?: AbortSignal): Promise<{ asked: Asked; prompted: Prompted; called: Promise<string> }> {
    const asked = ask([user("Look")]);
    const prompted = await agent.prompt();
    const called = prompted.call("shout", { text: "a" }, [], signal);
    assert.equal((await asked.ended).finishReason, "tool_calls");
    return { asked, prompted, called };
  }

  it("are recognised however the client cuts and trims what it was given", async () => {
    await answered("Hi.\n\nI am here. ", [user("Hello ")]);
    const history = [user([{ type: "text", text: "Hello" }]), assistant("Hi.\n\n"), assistant("I am here.")];
    assert.deepEqual(await answered("Well.", [...history, user("Go on")]), ["session-1", "Go on"]);
  });

  it("go on in their session though the client's tools have changed, which the agent is given", async () => {
    await answered("Hi.", [user("Hello")]);
    const { ended } = ask([user("Hello"), assistant("Hi."), user("Go on")], { tools: [...tools, tool("whisper")] });
    const prompted = await agent.prompt();
    const names = (await prompted.tools()).map(({ name }) => name);
    prompted.end();
    await ended;
    assert.deepEqual([prompted.sessionId, prompted.text, names], ["session-1", "Go on", ["shout", "whisper"]]);
  });

  it("go on in their session though the client's instructions have changed, which are sent again", async () => {
    const system = (content: string): Message => ({ role: "system", content });
    await answered("Hi.", [system("Be brief."), user("Hello")]);
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    assert.deepEqual(await answered("Well.", [system("Be long."), ...history]), [
      "session-1",
      "Instructions for this conversation:\n\nBe long.|Go on",
    ]);
    const longer = [...history, assistant("Well."), user("And?")];
    assert.deepEqual(await answered("So.", [system("Be long."), ...longer]), ["session-1", "And?"]);
  });

  it("give their session in words what another model has answered meanwhile", async () => {
    await answered("Hi.", [user("Hello")]);
    const meanwhile = [user("What is 6 × 7?"), assistant("42, says another.")];
    assert.deepEqual(await answered("Yes.", [user("Hello"), assistant("Hi."), ...meanwhile, user("Is it?")]), [
      "session-1",
      "Meanwhile, without you:\n\nUser: What is 6 × 7?\n\nAssistant: 42, says another.|Is it?",
    ]);
  });

  it("leave their session alone when the client asks for a title without its tools", async () => {
    await answered("Hi.", [user("Hello")]);
    const history = [user("Hello"), assistant("Hi.")];
    assert.equal((await answered("A title", [...history, user("Find a title.")], {}))[0], "session-2");
    assert.deepEqual(await answered("Well.", [...history, user("Go on")]), ["session-1", "Go on"]);
  });

  it("do not take an edited earlier message for the end of a tool call that is under way", async () => {
    const { asked, prompted, called } = await calling();
    const next = ask([user("Look, edited"), assistant(null, asked.calls), result(asked.calls[0], "A")]);
    assert.equal(await called, "A");
    prompted.end();
    await next.ended;
    assert.deepEqual(agent.received, []);
  });

  it("give a tool call up that the user has left behind for other words, and go on in the session", async () => {
    await answered("Hi.", [user("Hello")]);
    const history = [user("Hello"), assistant("Hi.")];
    const asked = ask([...history, user("Look")]);
    const prompted = await agent.prompt();
    const called = prompted.call("shout");
    await asked.ended;
    const next = ask([...history, user("Leave it")]);
    assert.match(await called, /^failed: /);
    prompted.end({ stopReason: "cancelled" });
    const again = await agent.prompt();
    again.end();
    await next.ended;
    assert.deepEqual(
      [again.sessionId, again.text, agent.received],
      ["session-1", "Leave it", ["session/cancel session-1"]],
    );
  });

  it("bring the words that the user adds with the result", async () => {
    const { asked, prompted, called } = await calling();
    const history = [user("Look"), assistant(null, asked.calls), result(asked.calls[0], "A"), user("In French!")];
    const next = ask(history);
    assert.equal(await called, "A|The user adds: In French!");
    prompted.say("Bon.");
    prompted.end();
    await next.ended;
    assert.deepEqual(await answered("Oui.", [...history, assistant("Bon."), user("Ok")]), ["session-1", "Ok"]);
  });

  it("bring a result that the agent waits for no longer as its next prompt", async () => {
    const timeLimit = new AbortController();
    const { asked, prompted } = await calling(timeLimit.signal);
    timeLimit.abort();
    prompted.say("It takes too long.");
    const next = ask([user("Look"), assistant(null, asked.calls), result(asked.calls[0], "A")]);
    prompted.end();
    const again = await agent.prompt();
    again.say("It is A.");
    again.end();
    await next.ended;
    assert.deepEqual(
      [again.sessionId, again.text, next.text],
      ["session-1", `Result of the tool call ${String(asked.calls[0]?.id)}: A`, "It takes too long.\n\nIt is A."],
    );
  });

  it("are given in words to a new session when theirs was swept, with calls and results", async () => {
    const { asked, prompted } = await calling();
    const history = [user("Look"), assistant(null, asked.calls), result(asked.calls[0], "A")];
    const next = ask(history);
    prompted.say("It is A.");
    prompted.end();
    await next.ended;
    now += 31 * 60_000;
    assert.deepEqual(await answered("Yes.", [...history, assistant("It is A."), user("Sure?")]), [
      "session-2",
      'The conversation so far:\n\nUser: Look\n\nAssistant calls the tool shout with {"text":"a"}\n\n' +
        "Result of the tool: A\n\nAssistant: It is A.|Sure?",
    ]);
    assert.deepEqual(agent.received, ["session/close session-1"]);
  });

  it("are taken up where the session that called a tool was swept before the result came", async () => {
    const { asked, prompted } = await calling();
    now += 31 * 60_000;
    const next = ask([user("Look"), assistant(null, asked.calls), result(asked.calls[0], "A")]);
    const again = await agent.prompt();
    assert.match(again.text, /Result of the tool: A\|Go on from there\.$/);
    again.end();
    await next.ended;
    prompted.end({ stopReason: "cancelled" });
    await settled();
    assert.deepEqual(agent.received, ["session/cancel session-1", "session/close session-1"]);
  });

  it("do not ask again what has failed, when the client sends it with further words", async () => {
    const asked = ask([user("Hello")]);
    (await agent.prompt()).fail("out of order");
    await assert.rejects(asked.ended, /out of order/);
    assert.deepEqual(await answered("Hi.", [user("Hello"), user("Are you there?")]), [
      "session-2",
      "The conversation so far:\n\nUser: Hello|Are you there?",
    ]);
  });

  it("are not answered without their images: the request fails, and its session stays", async () => {
    agent.capabilities = {};
    await answered("Hi.", [user("Hello")]);
    const image = user([{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }]);
    const history = [user("Hello"), assistant("Hi.")];
    for (const messages of [[image], [...history, image]]) {
      await assert.rejects(ask(messages).ended, (failure) => {
        assert.ok(failure instanceof ErrorResponse);
        assert.deepEqual([failure.status, failure.parameter], [400, "messages"]);
        return true;
      });
    }
    assert.deepEqual(await answered("Well.", [...history, user("Go on")]), ["session-1", "Go on"]);
    assert.deepEqual([agent.chains, agent.setups.length], [1, 1]);
  });
});
