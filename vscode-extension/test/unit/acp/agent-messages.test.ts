import assert from "node:assert/strict";
import { type AgentSession, ask, Json, Logger, Notification, Outcome, type Peer, Request } from "@symposium-dev/core";
import { connectionOver, memoryChannelPair } from "@symposium-dev/core/testing";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import {
  type AbilityCall,
  AbilityTable,
  type ClientAbility,
  type TabSession,
} from "../../../src/acp/client-abilities.js";
import { RunningAgent } from "../../../src/acp/running-agent.js";
import { processOver } from "./process-over.js";

interface RecordedSession extends TabSession {
  readonly updates: unknown[];
}

function tabSession(): RecordedSession {
  const updates: unknown[] = [];
  return {
    updates,
    update: (update) => updates.push((update as { n?: unknown }).n),
    ability: (sessionId) => ({
      tabId: `tab-of-${sessionId}`,
      sessionId,
      agent: { id: "a", name: "A" },
      roots: [],
      folders: [],
      transcript: newTranscript(newTabState({ id: "a", name: "A" })),
      publish: () => undefined,
    }),
  };
}

/** Answers the method `who` with the tab that it is for, and a permission request when it is given up. */
const ability: ClientAbility = {
  capabilities: {},
  requests: {
    who: ({ session: known }: AbilityCall) => Promise.resolve({ tabId: known?.tabId ?? null }),
    "session/request_permission": ({ signal }: AbilityCall) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    broken: () => Promise.reject(new Error("It broke.")),
  },
};

/** Agent that opens sessions when the test answers, and never ends a turn. */
class AgentOfTest implements AsyncDisposable {
  readonly agent: RunningAgent;
  /** Receives the agent's messages. */
  editor!: Peer;
  /** Answers the oldest `session/new` that waits. */
  #answers: ((sessionId: string) => void)[] = [];
  #asked: () => void = () => undefined;

  constructor() {
    const logger = Logger.silent;
    this.agent = new RunningAgent({
      name: "A",
      command: { command: "a", args: [], env: {} },
      startProcess: (_name, _command, handlers) => {
        const [near, far] = memoryChannelPair();
        connectionOver(far, (editor) => {
          this.editor = editor;
          return { request: (request, reply) => this.#request(request, reply), notify: () => undefined };
        });
        near.start(handlers);
        return processOver(near).process;
      },
      abilities: new AbilityTable([ability], logger),
      clientInfo: { name: "test", title: "Test", version: "1" },
      logger,
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.agent[Symbol.asyncDispose]();
  }

  /** Asks for a session; resolves when the agent has got that, with what answers it. */
  async opening(
    listener: TabSession,
  ): Promise<{ readonly session: Promise<AgentSession<TabSession>>; readonly answer: (sessionId: string) => void }> {
    await this.agent.ready;
    const asked = new Promise<void>((resolve) => (this.#asked = resolve));
    const session = this.agent.client.newSession({ cwd: "/" }, listener);
    await asked;
    return { session, answer: (sessionId) => this.#answers.shift()?.(sessionId) };
  }

  async session(sessionId: string, listener: TabSession = tabSession()): Promise<AgentSession<TabSession>> {
    const { session, answer } = await this.opening(listener);
    answer(sessionId);
    return session;
  }

  update(sessionId: string, n: number): void {
    this.editor.notify(Notification.of("session/update", { sessionId, update: { sessionUpdate: "x", n } }));
  }

  /** The editor's answer to a request of the agent. */
  async asks(method: string, params: unknown): Promise<unknown> {
    await this.agent.ready;
    const outcome = await ask(this.editor, new Request(method, Json.of(params)));
    return outcome.json.value;
  }

  #request({ method }: Request, reply: (outcome: Outcome) => void): () => void {
    if (method === "initialize") reply(Outcome.of({ protocolVersion: 1 }));
    if (method === "session/new") {
      this.#answers.push((sessionId) => reply(Outcome.of({ sessionId })));
      this.#asked();
    }
    return () => undefined;
  }
}

describe("what an agent sends", () => {
  it("is kept for a session that is being opened until it is known, in its order", async () => {
    await using test = new AgentOfTest();
    const one = tabSession();
    const { session, answer } = await test.opening(one);
    test.update("one", 1);
    test.update("two", 9);
    test.update("one", 2);
    answer("one");
    await session;
    test.update("one", 3);
    await test.asks("who", {});
    assert.deepEqual(one.updates, [1, 2, 3]);
  });

  it("waits for the answer which names its session, where it is a request", async () => {
    await using test = new AgentOfTest();
    const { session, answer } = await test.opening(tabSession());
    const asked = test.asks("who", { sessionId: "one" });
    answer("one");
    await session;
    assert.deepEqual(await asked, { tabId: "tab-of-one" });
  });

  it("belongs to a session where that session's own sub-session asks", async () => {
    await using test = new AgentOfTest();
    await test.session("one");
    await test.session("two");
    const update = { sessionUpdate: "subagent_update", sessionId: "child", state: { state: "running" } };
    test.editor.notify(Notification.of("session/update", { sessionId: "two", update }));
    assert.deepEqual(await test.asks("who", { sessionId: "child" }), { tabId: "tab-of-two" });
  });

  it("belongs to the session whose turn is open where an unknown session asks", async () => {
    await using test = new AgentOfTest();
    await test.session("one");
    const two = await test.session("two");
    two.prompt([]);
    assert.deepEqual(await test.asks("who", { sessionId: "unknown" }), { tabId: "tab-of-two" });
  });

  it("is answered with an error where nobody knows the request, and where it fails", async () => {
    await using test = new AgentOfTest();
    assert.deepEqual(await test.asks("_vendor/thing", {}), {
      code: -32601,
      message: "Method not found: _vendor/thing",
      data: { method: "_vendor/thing" },
    });
    assert.deepEqual(await test.asks("broken", {}), { code: -32603, message: "It broke." });
  });

  it("is given up where it waits for the user and the turn is cancelled", async () => {
    await using test = new AgentOfTest();
    const one = await test.session("one");
    const turn = one.prompt([]);
    const asked = test.asks("session/request_permission", { sessionId: "one" });
    await test.asks("who", {});
    void turn.cancel(0);
    assert.deepEqual(await asked, { outcome: "cancelled" });
  });
});

describe("the abilities of the editor", () => {
  it("announce themselves as one, member by member", () => {
    const parts = [
      { capabilities: { fs: { readTextFile: true } }, requests: {} },
      { capabilities: { fs: { writeTextFile: true }, terminal: true }, requests: {} },
    ];
    assert.deepEqual(new AbilityTable(parts, Logger.silent, { session: { notices: {} } }).capabilities, {
      session: { notices: {} },
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
    });
  });
});
