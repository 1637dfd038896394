import assert from "node:assert/strict";
import { type Command, type LmPart, Logger, type PermissionParams, type ResponseParams } from "@symposium-dev/core";
import type { AskPermission } from "../../../src/features/language-model/lm-client.js";
import { ModelService } from "../../../src/features/language-model/model-service.js";
import { type StubCall, StubProcesses } from "./stub-process.js";

const params: ResponseParams = { modelId: "one", agent: "one", messages: [] };

/** A service over processes that the test plays. */
class ServiceFixture implements AsyncDisposable {
  readonly waits: number[] = [];
  readonly stub: StubProcesses;
  readonly service: ModelService;
  args: readonly string[] = ["vscodelm"];
  now = 1_000;

  constructor(
    on?: (call: StubCall) => void,
    askPermission: AskPermission = () => Promise.resolve({ outcome: "reject" }),
  ) {
    this.stub = new StubProcesses(on);
    this.service = new ModelService({
      command: (): Command => ({ command: "node", args: this.args, env: {} }),
      startProcess: this.stub.start,
      askPermission,
      logger: Logger.silent,
      cancelMs: 20,
      now: () => this.now,
      wait: (ms) => {
        this.waits.push(ms);
        return Promise.resolve();
      },
    });
  }

  /** Asks for a response; resolves to its parts and its end. */
  async ask(more: Partial<ResponseParams> = {}, signal = new AbortController().signal) {
    const parts: LmPart[] = [];
    const result = await this.service.respond({ ...params, ...more }, (part) => parts.push(part), signal);
    return { parts, result };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]();
  }
}

function answerAtOnce(call: StubCall): void {
  call.part({ type: "text", value: "yes" });
  call.answer({ stopReason: "end_turn" });
}

describe("the process of the language models", () => {
  it("is not started before it is needed, and then once", async () => {
    await using fixture = new ServiceFixture(answerAtOnce);
    assert.equal(fixture.stub.starts.length, 0);
    const answers = await Promise.all([fixture.ask(), fixture.ask()]);
    assert.deepEqual(answers, [
      { parts: [{ type: "text", value: "yes" }], result: { stopReason: "end_turn" } },
      { parts: [{ type: "text", value: "yes" }], result: { stopReason: "end_turn" } },
    ]);
    assert.equal(fixture.stub.starts.length, 1);
  });

  it("gives every response its own parts, however they are mixed", async () => {
    await using fixture = new ServiceFixture();
    const [one, two] = [fixture.ask({ modelId: "one" }), fixture.ask({ modelId: "two" })];
    await fixture.stub.reached(2);
    const [first, second] = fixture.stub.calls;
    second?.part({ type: "text", value: "2a" });
    first?.part({ type: "text", value: "1" });
    second?.part({ type: "text", value: "2b" });
    first?.answer({});
    second?.answer({});
    assert.deepEqual((await one).parts, [{ type: "text", value: "1" }]);
    assert.deepEqual((await two).parts, [
      { type: "text", value: "2a" },
      { type: "text", value: "2b" },
    ]);
  });

  it("may send parts of kinds that are not known yet", async () => {
    await using fixture = new ServiceFixture((call) => {
      for (const part of [{ type: "later", value: 1 }, { type: "text" }, null, { type: "tool_call", toolName: 1 }]) {
        call.part(part);
      }
      answerAtOnce(call);
    });
    assert.deepEqual((await fixture.ask()).parts, [{ type: "text", value: "yes" }]);
  });

  it("rejects a response with the words of the process", async () => {
    await using fixture = new ServiceFixture((call) => call.refuse("The agent is not signed in."));
    await assert.rejects(fixture.ask(), { message: "The agent is not signed in." });
  });

  it("is told of a cancellation, and has the last word", async () => {
    await using fixture = new ServiceFixture();
    const abort = new AbortController();
    const asked = fixture.ask({}, abort.signal);
    await fixture.stub.reached(1);
    abort.abort();
    await fixture.stub.notified(1);
    const [call] = fixture.stub.calls;
    assert.deepEqual(fixture.stub.notifications, [
      { method: "lm/cancel", params: { requestId: call?.params["requestId"] } },
    ]);
    call?.answer({ stopReason: "cancelled" });
    assert.deepEqual(await asked, { parts: [], result: { stopReason: "cancelled" } });
  });

  it("has its parts left out that come after a cancellation", async () => {
    await using fixture = new ServiceFixture();
    const abort = new AbortController();
    const asked = fixture.ask({}, abort.signal);
    await fixture.stub.reached(1);
    const [call] = fixture.stub.calls;
    call?.part({ type: "text", value: "before" });
    await new Promise(setImmediate);
    abort.abort();
    call?.part({ type: "text", value: "after" });
    call?.answer({ stopReason: "cancelled" });
    assert.deepEqual((await asked).parts, [{ type: "text", value: "before" }]);
  });

  it("is not waited for without end after a cancellation", async () => {
    await using fixture = new ServiceFixture();
    const abort = new AbortController();
    const asked = fixture.ask({}, abort.signal);
    await fixture.stub.reached(1);
    abort.abort();
    assert.deepEqual((await asked).result, { stopReason: "cancelled" });
  });

  it("is not bothered with a request that is cancelled before it starts", async () => {
    await using fixture = new ServiceFixture();
    const abort = new AbortController();
    abort.abort();
    assert.deepEqual((await fixture.ask({}, abort.signal)).result, { stopReason: "cancelled" });
    assert.deepEqual(fixture.stub.calls, []);
  });

  it("leaves no request without an end when it crashes, and starts again for the next", async () => {
    await using fixture = new ServiceFixture((call) => {
      if (fixture.stub.starts.length === 2) answerAtOnce(call);
    });
    const asked = [fixture.ask(), fixture.ask()];
    await fixture.stub.reached(2);
    fixture.stub.crash();
    for (const one of asked) {
      await assert.rejects(one, {
        message: "The language model process exited with code 1.",
        details: "it broke",
      });
    }
    assert.equal((await fixture.ask()).parts.length, 1);
    assert.deepEqual(fixture.waits, [500]);
  });

  it("is not started for ever when it crashes each time, but again when the user says so", async () => {
    await using fixture = new ServiceFixture(() => {
      if (!isMended) fixture.stub.crash();
      else fixture.stub.calls.at(-1)?.answer({});
    });
    let isMended = false;
    for (let times = 0; times < 4; times++) await assert.rejects(fixture.ask(), { code: "component-exited" });
    await assert.rejects(fixture.ask(), { message: /stops repeatedly/, hint: /Show Log/ });
    assert.deepEqual([fixture.stub.starts.length, fixture.waits], [4, [500, 2_000, 8_000]]);
    isMended = true;
    await fixture.service.restart();
    await fixture.ask();
    assert.equal(fixture.stub.starts.length, 5);
  });

  it("is tried again by itself some minutes after it has crashed too often", async () => {
    await using fixture = new ServiceFixture((call) =>
      fixture.stub.starts.length <= 4 ? fixture.stub.crash() : call.answer({}),
    );
    for (let times = 0; times < 4; times++) await assert.rejects(fixture.ask(), { code: "component-exited" });
    fixture.now += 5 * 60_000;
    await fixture.ask();
    assert.equal(fixture.stub.starts.length, 5);
  });

  it("starts anew when the settings start it in another way, but not in the midst of a turn", async () => {
    await using fixture = new ServiceFixture(answerAtOnce);
    await fixture.ask();
    fixture.args = ["vscodelm", "--proxy", "sparkle"];
    const result: LmPart = { type: "tool_result", toolCallId: "c1", result: "42" };
    const words: LmPart = { type: "text", value: "And be quick." };
    await fixture.ask({ messages: [{ role: "user", content: [result] }] });
    await fixture.ask({
      messages: [
        { role: "user", content: [result] },
        { role: "user", content: [words] },
      ],
    });
    assert.equal(fixture.stub.starts.length, 1);
    await fixture.ask({ messages: [{ role: "user", content: [{ type: "text", value: "next" }] }] });
    assert.deepEqual(fixture.stub.starts, [["vscodelm"], ["vscodelm", "--proxy", "sparkle"]]);
    assert.equal(fixture.stub.running, 1);
  });

  it("ends with its owner, and with it what waits", async () => {
    const fixture = new ServiceFixture();
    const asked = fixture.ask();
    await fixture.stub.reached(1);
    await fixture.service[Symbol.asyncDispose]();
    await assert.rejects(asked, { message: "The language model process was stopped." });
    assert.equal(fixture.stub.running, 0);
    await assert.rejects(fixture.ask(), { message: "The window is closing." });
  });

  it("tells which models there are, and what it could not find out", async () => {
    const model = {
      id: "one/fast",
      name: "Fast",
      family: "one",
      version: "1",
      maxInputTokens: 1_000,
      maxOutputTokens: 100,
      capabilities: { toolCalling: true, imageInput: true },
      agentId: "one",
      configOptions: { model: "fast" },
    };
    await using fixture = new ServiceFixture((call) =>
      call.answer({ models: [model, { id: "broken" }], problems: [{ agentId: "two", message: "Not installed." }] }),
    );
    assert.deepEqual(await fixture.service.information({ silent: false, agents: [] }), {
      models: [model],
      problems: [{ agentId: "two", message: "Not installed." }],
    });
  });
});

describe("the models of agents", () => {
  it("are asked for silently only where the process runs, and of the one that runs", async () => {
    await using fixture = new ServiceFixture((call) => call.answer({ models: [] }));
    const silently = { silent: true, agents: [] };
    assert.deepEqual(await fixture.service.information(silently), { models: [] });
    assert.deepEqual(fixture.stub.starts, []);
    await fixture.ask();
    fixture.args = ["vscodelm", "--proxy", "sparkle"];
    await fixture.service.information(silently);
    assert.deepEqual([fixture.stub.starts, fixture.stub.calls.length], [[["vscodelm"]], 2]);
  });

  it("are not waited for when the user gives up", async () => {
    await using fixture = new ServiceFixture();
    const abort = new AbortController();
    const asked = fixture.service.information({ agents: [] }, abort.signal);
    await fixture.stub.reached(1);
    abort.abort();
    assert.deepEqual(await asked, { models: [] });
  });
});

describe("a permission that an agent needs during a response", () => {
  const question = { title: "Run rm", kind: "execute", rawInput: { command: "rm" } };

  it("is asked of the user, and answered with what they say", async () => {
    const asked: (PermissionParams & { modelId: string })[] = [];
    await using fixture = new ServiceFixture(undefined, (request, modelId) => {
      asked.push({ ...request, modelId });
      return Promise.resolve({ outcome: "allow" });
    });
    const response = fixture.ask();
    await fixture.stub.reached(1);
    const [call] = fixture.stub.calls;
    assert.deepEqual(await call?.permission(question).answered, { outcome: "allow" });
    assert.deepEqual(asked, [{ requestId: call?.params["requestId"], ...question, modelId: "one" }]);
    call?.answer({});
    await response;
  });

  it("is taken back when the response is cancelled", async () => {
    const abort = new AbortController();
    await using fixture = new ServiceFixture(undefined, (_request, _modelId, signal) => {
      const answer = untilAborted(signal);
      abort.abort();
      return answer;
    });
    const response = fixture.ask({}, abort.signal);
    await fixture.stub.reached(1);
    assert.deepEqual(await fixture.stub.calls[0]?.permission(question).answered, { outcome: "cancelled" });
    await response;
  });

  it("is taken back when the process gives it up", async () => {
    await using fixture = new ServiceFixture(undefined, (_request, _modelId, signal) => untilAborted(signal));
    const response = fixture.ask();
    await fixture.stub.reached(1);
    const [call] = fixture.stub.calls;
    const permission = call?.permission(question);
    permission?.cancel();
    assert.deepEqual(await permission?.answered, { outcome: "cancelled" });
    call?.answer({});
    await response;
  });

  it("is not granted where no response waits for it", async () => {
    await using fixture = new ServiceFixture(answerAtOnce, () => Promise.resolve({ outcome: "allow" }));
    await fixture.ask();
    assert.deepEqual(await fixture.stub.calls[0]?.permission(question).answered, { outcome: "cancelled" });
  });
});

function untilAborted(signal: AbortSignal): Promise<{ outcome: "cancelled" }> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" })));
}
