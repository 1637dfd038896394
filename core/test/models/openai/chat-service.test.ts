import { quirksOf } from "../../../src/agents/agent-quirks.js";
import assert from "node:assert/strict";
import { mock } from "node:test";
import type { AnswerSink } from "../../../src/models/answer-sink.js";
import type { OpenAgent } from "../../../src/models/agent-connection.js";
import type { AnswerEnd } from "../../../src/models/openai/chat-completion.js";
import { parseChatRequest } from "../../../src/models/openai/chat-request.js";
import { ChatService } from "../../../src/models/openai/chat-service.js";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";
import { asObject } from "../../../src/base/rpc/json.js";
import { Notification, Outcome } from "../../../src/base/rpc/message.js";
import { nothingToCancel, type Peer, type Reply } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";

/** A prompt as the stage's agent got it. */
interface Prompted {
  readonly sessionId: string;
  readonly text: string;
  say(text: string): void;
  end(stopReason?: string): void;
  fail(): void;
}

/** An agent that does what the test says. */
class StageAgent {
  readonly prompts: Prompted[] = [];
  readonly cancelled: string[] = [];
  readonly closed: string[] = [];
  name = "stage";
  chains = 0;
  /** Chains that have not ended. */
  running = 0;
  fail: (message: string) => void = () => undefined;
  #sessions = 0;
  #onPrompt: () => void = () => undefined;

  readonly open: OpenAgent = (client, _proxy, onFailure) => {
    this.chains++;
    this.running++;
    this.fail = onFailure;
    const fromClient: Peer = {
      request: ({ method, params }, reply) => {
        this.#answer(method, params?.object ?? {}, reply, client);
        return nothingToCancel;
      },
      notify: ({ params }) => void this.cancelled.push(String(params?.object?.["sessionId"])),
    };
    const end = (): Promise<void> => Promise.resolve(void this.running--);
    return Promise.resolve({ fromClient, [Symbol.asyncDispose]: end });
  };

  /** The next prompt that nobody has taken. */
  async prompt(): Promise<Prompted> {
    for (;;) {
      const next = this.prompts.shift();
      if (next) return next;
      await new Promise<void>((resolve) => (this.#onPrompt = resolve));
    }
  }

  #answer(method: string, params: Readonly<Record<string, unknown>>, reply: Reply, client: Peer): void {
    const sessionId = String(params["sessionId"]);
    switch (method) {
      case "initialize":
        return reply(
          Outcome.of({
            protocolVersion: 1,
            agentInfo: { name: this.name, version: "1" },
            agentCapabilities: { sessionCapabilities: { close: {} } },
          }),
        );
      case "session/new":
        return reply(Outcome.of({ sessionId: `session-${++this.#sessions}` }));
      case "session/close":
        this.closed.push(sessionId);
        return reply(Outcome.of({}));
      case "session/prompt": {
        const blocks = Array.isArray(params["prompt"]) ? params["prompt"] : [];
        const text = blocks.map((block: unknown) => String(asObject(block)?.["text"])).join("|");
        const update = (content: string): object => ({
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: content } },
        });
        this.prompts.push({
          sessionId,
          text,
          say: (content) => client.notify(Notification.of("session/update", update(content))),
          end: (stopReason = "end_turn") => reply(Outcome.of({ stopReason })),
          fail: () => reply(Outcome.error(RpcError.internal("out of order"))),
        });
        this.#onPrompt();
      }
    }
  }
}

type Message = readonly [role: string, content: string];

describe("chat completions of agents", () => {
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

  function start(
    messages: readonly Message[],
    signal = new AbortController().signal,
    more: object = {},
  ): Promise<AnswerEnd & { text: string }> {
    let text = "";
    const sink: AnswerSink = {
      content: (piece) => (text += piece),
      reasoning: () => undefined,
      toolCall: () => undefined,
    };
    const body = { model: "a", messages: messages.map(([role, content]) => ({ role, content })), ...more };
    return service.answer(parseChatRequest(body), sink, signal).then((end) => ({ ...end, text }));
  }

  /** Has the agent say this to the messages; what it was sent in which session. */
  async function answered(messages: readonly Message[], text: string): Promise<readonly string[]> {
    const answer = start(messages);
    const prompted = await agent.prompt();
    prompted.say(text);
    prompted.end();
    assert.deepEqual(await answer, { finishReason: "stop", text });
    return [prompted.sessionId, prompted.text];
  }

  const hello: Message = ["user", "Hello"];
  const hi: Message = ["assistant", "Hi."];
  const more: Message = ["user", "Go on"];

  it("send a conversation that goes on to its session, with the new words alone", async () => {
    assert.deepEqual(await answered([["system", "Be brief."], hello], "Hi."), [
      "session-1",
      "Instructions for this conversation:\n\nBe brief.|Hello",
    ]);
    assert.deepEqual(await answered([["system", "Be brief."], hello, hi, more], "Well."), ["session-1", "Go on"]);
  });

  it("begin anew for the same first words", async () => {
    await answered([hello], "Hi.");
    assert.deepEqual(await answered([hello], "Hi."), ["session-2", "Hello"]);
  });

  it("tell a new session what was said, where the history is not that of any other", async () => {
    await answered([hello], "Hi.");
    assert.deepEqual(await answered([hello, ["assistant", "Hi, edited."], more], "Well."), [
      "session-2",
      "The conversation so far:\n\nUser: Hello\n\nAssistant: Hi, edited.|Go on",
    ]);
  });

  it("hold two conversations with the same history apart", async () => {
    await answered([hello], "Hi.");
    const first = start([hello, hi, more]);
    const second = start([hello, hi, more]);
    const prompts = [await agent.prompt(), await agent.prompt()];
    assert.deepEqual(
      prompts.map(({ sessionId }) => sessionId),
      ["session-1", "session-2"],
    );
    for (const prompted of prompts) {
      prompted.say(`in ${prompted.sessionId}`);
      prompted.end();
    }
    assert.deepEqual(
      [await first, await second].map(({ text }) => text),
      ["in session-1", "in session-2"],
    );
  });

  it("stop the agent and forget the conversation when the client leaves", async () => {
    const left = new AbortController();
    const answer = start([hello], left.signal);
    const prompted = await agent.prompt();
    prompted.say("Hi.");
    left.abort(new Error("left"));
    await assert.rejects(answer, /left/);
    assert.deepEqual([agent.cancelled, agent.closed], [["session-1"], []]);
    prompted.end("cancelled");
    assert.deepEqual(await answered([hello, hi, more], "Well."), [
      "session-2",
      "The conversation so far:\n\nUser: Hello\n\nAssistant: Hi.|Go on",
    ]);
    assert.deepEqual(agent.closed, ["session-1"]);
  });

  it("send nothing for a client that has left while its session was opened", async () => {
    const left = new AbortController();
    const answer = start([hello], left.signal);
    left.abort(new Error("left"));
    await assert.rejects(answer, /left/);
    assert.deepEqual(agent.prompts, []);
    assert.deepEqual(await answered([hello], "Hi."), ["session-2", "Hello"]);
    assert.deepEqual(agent.closed, ["session-1"]);
  });

  it("fail with what the agent says, and leave its session", async () => {
    const answer = start([hello]);
    (await agent.prompt()).fail();
    await assert.rejects(answer, (failure) => {
      assert.ok(failure instanceof ErrorResponse);
      assert.deepEqual([failure.status, failure.code], [502, "agent_failed"]);
      assert.match(failure.message, /out of order/);
      return true;
    });
    assert.deepEqual(await answered([hello], "Hi."), ["session-2", "Hello"]);
  });

  it("are forgotten when nobody has gone on with them, though no request comes", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const answer = start([hello]);
      const prompted = await agent.prompt();
      prompted.end();
      await answer;
      now = 31 * 60_000;
      mock.timers.tick(now);
      await new Promise(setImmediate);
      assert.deepEqual(agent.closed, ["session-1"]);
    } finally {
      mock.timers.reset();
    }
  });

  it("start another chain after one has failed", async () => {
    await answered([hello], "Hi.");
    agent.fail("It fell.");
    assert.deepEqual((await answered([hello, hi, more], "Well."))[0], "session-2");
    assert.equal(agent.chains, 2);
  });

  it("close conversations that nobody goes on with", async () => {
    await answered([hello], "Hi.");
    now += 31 * 60_000;
    await answered([["user", "Another"]], "Hi.");
    assert.deepEqual(agent.closed, ["session-1"]);
  });

  it("keep a bounded number of conversations, the latest ones", async () => {
    for (let index = 1; index <= 50; index++) {
      now = index;
      await answered([["user", `Number ${index}`]], "Hi.");
    }
    assert.equal(agent.closed.length, 42);
    assert.deepEqual(agent.closed.slice(0, 2), ["session-1", "session-2"]);
  });

  it("keep no more of those that were asked for at the same time, though no request comes", async () => {
    const answers = Array.from({ length: 50 }, (_, index) => start([["user", `Number ${index}`]]));
    for (const _ of answers) (await agent.prompt()).end();
    await Promise.all(answers);
    assert.equal(agent.closed.length, 42);
  });

  it("keep a bounded number of processes of an agent that needs one for each session", async () => {
    agent.name = "OpenCode";
    const answers = Array.from({ length: 50 }, (_, index) => start([["user", `Number ${index}`]]));
    for (const _ of answers) (await agent.prompt()).end();
    await Promise.all(answers);
    await new Promise(setImmediate);
    assert.deepEqual([agent.chains, agent.running], [50, 4]);
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await answered([hello], "Hi.");
      now = 7 * 60_000;
      mock.timers.tick(now);
      await new Promise(setImmediate);
      assert.equal(agent.running, 0);
    } finally {
      mock.timers.reset();
    }
  });

  it("end at the length that the client allows: the agent is told to stop", async () => {
    const answer = start([hello], undefined, { max_tokens: 2 });
    const prompted = await agent.prompt();
    prompted.say("12345");
    prompted.say("67🦀 and more");
    assert.deepEqual(await answer, { finishReason: "length", text: "1234567" });
    assert.deepEqual(agent.cancelled, [prompted.sessionId]);
    prompted.end("cancelled");
    const whole = start([["user", "Again"]], undefined, { max_completion_tokens: 2 });
    const next = await agent.prompt();
    next.say("12345678");
    next.end();
    assert.deepEqual(await whole, { finishReason: "stop", text: "12345678" });
  });

  describe("in a format", () => {
    const schema = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
    const more = { response_format: { type: "json_schema", json_schema: { name: "sum", schema } } };

    async function told(...texts: readonly string[]): Promise<Awaited<ReturnType<typeof start>> & { asked: string[] }> {
      const answer = start([hello], undefined, more);
      answer.catch(() => undefined);
      const asked: string[] = [];
      for (const text of texts) {
        const prompted = await agent.prompt();
        asked.push(prompted.text);
        prompted.say(text);
        prompted.end();
      }
      return { ...(await answer), asked };
    }

    it("are JSON alone, though the agent puts a fence around it", async () => {
      const { text, asked } = await told('```json\n{"sum":3}\n```');
      assert.equal(text, '{"sum":3}');
      assert.ok(asked[0]?.includes(JSON.stringify(schema)), asked[0]);
    });

    it("are asked for again in the same session when they do not fit, with the reason", async () => {
      const { text, asked } = await told("It is 3.", '{"sum":"3"}', '{"sum":3}');
      assert.equal(text, '{"sum":3}');
      assert.match(asked[1] ?? "", /^This answer cannot be used\. It isn't pure JSON: /);
      assert.match(asked[2] ?? "", /expected number, received string/);
      assert.deepEqual([agent.chains, agent.closed], [1, []]);
    });

    it("fail after three that do not fit", async () => {
      await assert.rejects(told("a", "b", "c"), (failure) => {
        assert.ok(failure instanceof ErrorResponse);
        assert.deepEqual([failure.status, failure.code], [502, "invalid_answer"]);
        return true;
      });
    });
  });

  it("say why an answer is cut off", async () => {
    const endings: readonly [string, string][] = [
      ["max_tokens", "length"],
      ["refusal", "content_filter"],
      ["end_turn", "stop"],
    ];
    for (const [stopReason, finishReason] of endings) {
      const answer = start([hello]);
      (await agent.prompt()).end(stopReason);
      assert.equal((await answer).finishReason, finishReason);
    }
  });

  it("end before a stop sequence: the agent is told to stop, and the next request begins anew", async () => {
    let text = "";
    const sink: AnswerSink = {
      content: (piece) => (text += piece),
      reasoning: () => undefined,
      toolCall: () => undefined,
    };
    const body = { model: "a", messages: [{ role: "user", content: "Hello" }], stop: ["END"] };
    const answer = service.answer(parseChatRequest(body), sink, new AbortController().signal);
    const prompted = await agent.prompt();
    prompted.say("Hi. E");
    prompted.say("ND of it.");
    assert.deepEqual([await answer, text], [{ finishReason: "stop" }, "Hi. "]);
    assert.deepEqual(agent.cancelled, ["session-1"]);
    prompted.end("cancelled");
    assert.deepEqual((await answered([hello, ["assistant", "Hi."], more], "Well."))[0], "session-2");
  });

  it("are whole where a stop sequence only begins", async () => {
    let text = "";
    const sink: AnswerSink = {
      content: (piece) => (text += piece),
      reasoning: () => undefined,
      toolCall: () => undefined,
    };
    const body = { model: "a", messages: [{ role: "user", content: "Hello" }], stop: "END" };
    const answer = service.answer(parseChatRequest(body), sink, new AbortController().signal);
    const prompted = await agent.prompt();
    prompted.say("Hi. EN");
    prompted.end();
    assert.deepEqual([await answer, text], [{ finishReason: "stop" }, "Hi. EN"]);
    assert.deepEqual((await answered([hello, ["assistant", "Hi. EN"], more], "Well."))[0], "session-1");
  });

  it("name the models there are when another one is asked for", async () => {
    const request = parseChatRequest({ model: "b", messages: [{ role: "user", content: "x" }] });
    const sink: AnswerSink = { content: () => undefined, reasoning: () => undefined, toolCall: () => undefined };
    await assert.rejects(service.answer(request, sink, new AbortController().signal), /Available models: a\./);
  });
});
