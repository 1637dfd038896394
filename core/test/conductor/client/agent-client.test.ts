import assert from "node:assert/strict";
import {
  AgentClient,
  type AgentClientOptions,
  AgentRefusal,
  ask,
  isUpdate,
  Notification,
  Outcome,
  Request,
  RequestFailure,
  RpcError,
  type SessionListener,
} from "@symposium-dev/core";
import { RecordingPeer, ScriptedAgent } from "@symposium-dev/core/testing";

class Heard implements SessionListener {
  readonly updates: object[] = [];
  text = "";
  isOver = false;

  update(update: Parameters<SessionListener["update"]>[0]): void {
    this.updates.push(update);
    if (isUpdate(update, "agent_message_chunk")) this.text += String(update.content?.text);
  }

  ended(): void {
    this.isOver = true;
  }
}

const setup = { cwd: "/work" };

/** A client of an agent that a table answers for. */
async function clientOf(
  answers: ConstructorParameters<typeof RecordingPeer>[0],
  options: Partial<AgentClientOptions<Heard>> = {},
): Promise<{ client: AgentClient<Heard>; agent: RecordingPeer }> {
  const agent = new RecordingPeer({ initialize: { protocolVersion: 1 }, ...answers });
  const client = new AgentClient<Heard>({ capabilities: {}, ...options });
  await client.initialize(agent);
  return { client, agent };
}

const update = (sessionId: string, members: object): Notification =>
  Notification.of("session/update", { sessionId, update: members });

describe("the client of an agent", () => {
  it("initializes with what it can do, and reads what the agent can", async () => {
    const { client, agent } = await clientOf(
      {
        initialize: {
          protocolVersion: 1,
          agentInfo: { name: "one", version: "2" },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: "yes" },
            sessionCapabilities: { close: {}, fork: true, resume: null, list: "" },
          },
          authMethods: [{ id: "a" }, "b"],
        },
      },
      { clientInfo: { name: "test", version: "1" }, capabilities: { terminal: true, vendor: 1 } },
    );
    assert.deepEqual(agent.received[0]?.params?.object, {
      protocolVersion: 1,
      clientCapabilities: { terminal: true, vendor: 1 },
      clientInfo: { name: "test", version: "1" },
    });
    const { result, ...said } = client.initialized;
    assert.ok(result.agentCapabilities);
    assert.deepEqual(said, {
      protocolVersion: 1,
      name: "one",
      title: undefined,
      version: "2",
      accepts: { image: true, audio: false, embeddedContext: false },
      canLoad: true,
      canResume: false,
      canSteer: false,
      canFork: true,
      canList: false,
      canClose: true,
      canDelete: false,
      takesAdditionalDirectories: false,
      authMethods: [{ id: "a" }],
    });
  });

  it("reads an answer in which everything is of another kind", async () => {
    const { client } = await clientOf({ initialize: { agentCapabilities: [3], authMethods: {}, agentInfo: null } });
    assert.deepEqual([client.initialized.canLoad, client.initialized.authMethods], [false, []]);
  });

  it("holds a conversation with a scripted agent", async () => {
    const client = new AgentClient<Heard>({ capabilities: {} });
    await client.initialize(new ScriptedAgent().connect(client.fromAgent).fromClient);
    const heard = new Heard();
    const session = await client.newSession(setup, heard);
    const turn = session.prompt([{ type: "text", text: "echo one" }]);
    assert.equal(session.isTurnOpen, true);
    assert.equal((await turn.result).stopReason, "end_turn");
    assert.deepEqual([heard.text, session.isTurnOpen], ["one\n", false]);
  });

  it("rejects with the code, the message and the data of a refusal", async () => {
    const data = { details: "no key" };
    const { client } = await clientOf({ "session/new": Outcome.error(new RpcError(-32000, "Sign in", data)) });
    await assert.rejects(client.newSession(setup, new Heard()), (thrown) => {
      assert.ok(thrown instanceof AgentRefusal);
      const { message, reason, code, wantsSignIn } = thrown;
      assert.deepEqual(
        { message, reason, code, wantsSignIn, data: thrown.data },
        { message: "Sign in: no key", reason: "Sign in", code: -32000, wantsSignIn: true, data },
      );
      return true;
    });
  });

  it("refuses a session without an id", async () => {
    const { client } = await clientOf({ "session/new": {} });
    await assert.rejects(client.newSession(setup, new Heard()), /opened a session without an id/);
  });

  it("keeps updates that come before their session is known, in order, and unknown kinds and members whole", async () => {
    const others: string[] = [];
    const { client, agent } = await clientOf(
      { "session/new": () => undefined },
      { otherUpdate: (sessionId) => others.push(sessionId) },
    );
    const heard = new Heard();
    const opening = client.newSession(setup, heard);
    const unknown = { sessionUpdate: "_vendor/kind", _meta: { deep: [1] }, more: null };
    client.fromAgent.notify(update("one", { sessionUpdate: "x", n: 1 }));
    client.fromAgent.notify(update("other", { sessionUpdate: "x" }));
    client.fromAgent.notify(update("one", unknown));
    agent.open[0]?.reply(Outcome.of({ sessionId: "one" }));
    await opening;
    client.fromAgent.notify(update("one", { sessionUpdate: "x", n: 3 }));
    client.fromAgent.notify(update("later", { sessionUpdate: "x" }));
    assert.deepEqual(heard.updates, [{ sessionUpdate: "x", n: 1 }, unknown, { sessionUpdate: "x", n: 3 }]);
    assert.deepEqual(others, ["other", "later"]);
  });

  it("gives the listener the history of a session that is loaded, and forgets it when that is refused", async () => {
    const { client, agent } = await clientOf({ "session/load": () => undefined });
    const [heard, lost] = [new Heard(), new Heard()];
    const opening = client.loadSession("one", setup, heard);
    client.fromAgent.notify(update("one", { sessionUpdate: "user_message_chunk" }));
    agent.open[0]?.reply(Outcome.of({ modes: { currentModeId: "ask" } }));
    assert.equal((await opening).opened.modes?.currentModeId, "ask");
    assert.deepEqual(heard.updates, [{ sessionUpdate: "user_message_chunk" }]);
    const failing = client.loadSession("two", setup, lost);
    agent.open[0]?.reply(Outcome.error(RpcError.internal("Gone.")));
    await assert.rejects(failing, /Gone/);
    assert.deepEqual([lost.isOver, client.sessions.map(({ id }) => id)], [true, ["one"]]);
  });

  it("sends further folders only where the agent takes them", async () => {
    const capable = { agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } } };
    for (const [initialize, sent] of [
      [capable, ["/more"]],
      [{}, undefined],
    ] as const) {
      const { client, agent } = await clientOf({ initialize, "session/new": { sessionId: "one" } });
      await client.newSession(
        { ...setup, additionalDirectories: ["/more"], members: { _meta: { a: 1 } } },
        new Heard(),
      );
      const params = agent.received.at(-1)?.params?.object;
      assert.deepEqual(params?.["additionalDirectories"], sent);
      assert.deepEqual(params?.["_meta"], { a: 1 });
    }
  });
});

describe("what an agent asks its client", () => {
  const who: AgentClientOptions<Heard>["requests"] = {
    who: ({ session }) => ({ id: session?.id ?? null }),
    "session/request_permission": ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve({ outcome: "cancelled" }))),
    exact: () => Promise.reject(new RequestFailure(RpcError.invalidParams("a path"))),
    broken: () => {
      throw new Error("It broke.");
    },
  };
  const answer = async (client: AgentClient<Heard>, method: string, params: object): Promise<unknown> =>
    (await ask(client.fromAgent, Request.of(method, params))).json.value;

  it("is answered with an error where nobody knows it, and where its handler fails", async () => {
    const { client } = await clientOf({}, { requests: who });
    assert.deepEqual(await answer(client, "toString", {}), {
      code: -32601,
      message: "Method not found: toString",
      data: { method: "toString" },
    });
    assert.deepEqual(await answer(client, "broken", {}), { code: -32603, message: "It broke." });
    assert.deepEqual(await answer(client, "exact", {}), { code: -32602, message: "Invalid params: a path" });
  });

  it("waits while the session is being opened that it is for", async () => {
    const { client, agent } = await clientOf({ "session/new": () => undefined }, { requests: who });
    const opening = client.newSession(setup, new Heard());
    const asked = answer(client, "who", { sessionId: "one" });
    agent.open[0]?.reply(Outcome.of({ sessionId: "one" }));
    await opening;
    assert.deepEqual(await asked, { id: "one" });
  });

  it("belongs to the session that has a sub-session of that id, or to whom the client's owner says", async () => {
    const { client, agent } = await clientOf(
      { "session/new": { sessionId: "one" } },
      { requests: who, ownerOf: (id, sessions) => (id === "stranger" ? sessions[0] : undefined) },
    );
    const heard = new Heard();
    const session = await client.newSession(setup, heard);
    const announced = { sessionUpdate: "subagent_update", sessionId: "child" };
    client.fromAgent.notify(Notification.of("session/update", { sessionId: "one", update: announced }));
    const ids = ["child", "stranger", "nobody"].map((sessionId) => answer(client, "who", { sessionId }));
    assert.deepEqual(await Promise.all(ids), [{ id: "one" }, { id: "one" }, { id: null }]);
    const ofChild: unknown[] = [];
    const listener = Object.assign(heard, { childUpdate: (id: string) => ofChild.push(id) });
    client.fromAgent.notify(Notification.of("session/update", { sessionId: "child", update: { sessionUpdate: "x" } }));
    session.cancelChild("child");
    assert.deepEqual([ofChild, listener.updates.length], [["child"], 1]);
    assert.equal(agent.received.at(-1)?.params?.text, '{"sessionId":"child"}');
  });

  it("is given up with the sub-agent that asks when this one alone is stopped", async () => {
    const { client } = await clientOf({ "session/new": { sessionId: "one" } }, { requests: who });
    const session = await client.newSession(setup, new Heard());
    for (const sessionId of ["a", "b"]) {
      client.fromAgent.notify(update("one", { sessionUpdate: "subagent_update", sessionId }));
    }
    const [first, second, own] = ["a", "b", "one"].map((sessionId) =>
      answer(client, "session/request_permission", { sessionId }),
    );
    const answered: string[] = [];
    void second?.then(() => answered.push("b"));
    void own?.then(() => answered.push("one"));
    session.cancelChild("a");
    assert.deepEqual(await first, { outcome: "cancelled" });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(answered, []);
    session.forget();
    await Promise.all([second, own]);
  });

  it("is given up when the turn is cancelled, and when the agent is gone", async () => {
    const { client } = await clientOf(
      { "session/new": { sessionId: "one" }, "session/prompt": () => undefined },
      { requests: who },
    );
    const heard = new Heard();
    const session = await client.newSession(setup, heard);
    const turn = session.prompt([]);
    const first = answer(client, "session/request_permission", { sessionId: "one" });
    void turn.cancel(0);
    assert.deepEqual(await first, { outcome: "cancelled" });
    const second = answer(client, "session/request_permission", { sessionId: "one" });
    client.close();
    assert.deepEqual([await second, heard.isOver], [{ outcome: "cancelled" }, true]);
  });
});

describe("a prompt turn", () => {
  it("says that an agent ignores its cancellation, and still ends by its answer", async () => {
    const { client, agent } = await clientOf({
      "session/new": { sessionId: "one" },
      "session/prompt": () => undefined,
    });
    const session = await client.newSession(setup, new Heard());
    const turn = session.prompt([{ type: "text", text: "work" }], { _meta: { a: 1 } });
    assert.equal(await turn.cancel(1), false);
    agent.open[0]?.reply(Outcome.of({ stopReason: "end_turn" }));
    assert.equal(await turn.cancel(1_000), true);
    assert.equal((await turn.result).stopReason, "end_turn");
    assert.deepEqual(agent.methods.slice(2), ["session/prompt", "session/cancel"]);
  });
});

describe("closing a session", () => {
  it("asks an agent that can, waits no longer than it may, and drops what comes later", async () => {
    const { client, agent } = await clientOf({
      initialize: { agentCapabilities: { sessionCapabilities: { close: {} } } },
      "session/new": { sessionId: "one" },
      "session/close": () => undefined,
    });
    const heard = new Heard();
    const session = await client.newSession(setup, heard);
    await session.close(1);
    client.fromAgent.notify(update("one", { sessionUpdate: "x" }));
    assert.deepEqual([heard.updates, heard.isOver, agent.methods.at(-1)], [[], true, "session/close"]);
  });
});
