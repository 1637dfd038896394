import assert from "node:assert/strict";
import { namedSession } from "../../../../src/sessions/conversations/node/named-session.js";
import type { StoredSession } from "../../../../src/sessions/conversations/node/stored-session.js";
import { Outcome, type Request } from "../../../../src/base/rpc/message.js";
import { RpcError } from "../../../../src/base/rpc/rpc-error.js";
import { SuppliedStage } from "./supplied-stage.js";

/** Of an agent that has the sessions `ids`, and has lost all others. */
const has =
  (...ids: readonly string[]) =>
  ({ params }: Request): Outcome => {
    const id = String(params?.object?.["sessionId"]);
    return ids.includes(id) ? Outcome.of({}) : Outcome.error(RpcError.internal(`no ${id}`));
  };

describe("SuppliedSessions, when a session comes back again", function () {
  this.timeout(60_000);

  for (const [what, capabilities, methods] of [
    ["resume", { sessionCapabilities: { resume: {} } }, ["session/resume"]],
    ["load", { loadSession: true }, ["session/load"]],
    ["load and list", { loadSession: true, sessionCapabilities: { list: {} } }, ["session/load"]],
  ] as const) {
    it(`goes on in the session in which its agent, which can ${what}, has gone on before`, async () => {
      await using stage = await SuppliedStage.open();
      const id = await stage.conversation();
      const lost = { capabilities, answers: { "session/resume": has(), "session/load": has() } };
      await stage.connect(lost);
      await stage.result("session/load", stage.setup(id));
      assert.deepEqual(stage.continued, await stage.kept());
      await stage.prompt(id, "A third");
      stage.says("agent-2", "Said in the second session");
      await stage.prompt(id, "A fourth");

      const back = has("agent-2");
      await stage.connect({ capabilities, answers: { "session/resume": back, "session/load": back } });
      await stage.result("session/load", stage.setup(id));
      assert.deepEqual(stage.continued, []);
      const asked = stage.agent.received.filter(({ method }) => method !== "initialize");
      assert.deepEqual(
        asked.map(({ method, params }) => [method, params?.object?.["sessionId"]]),
        [id, "agent-2"].map((session) => [methods[0], session]),
      );
      const whole = stage.shown.join("\n");
      assert.match(whole, /A question[^]*An answer[^]*A third[^]*Said in the second session[^]*A fourth/);
      await stage.prompt(id, "A fifth");
      assert.equal(stage.agent.received.at(-1)?.params?.object?.["sessionId"], "agent-2");

      await stage.connect(lost);
      await stage.result("session/resume", stage.setup(id));
      assert.deepEqual(stage.continued, await stage.kept());
    });
  }
});

describe("session/list of kept conversations", function () {
  this.timeout(120_000);

  it("comes in pages, each of which begins behind the one before, and says what is no cursor of it", async () => {
    await using stage = await SuppliedStage.open();
    await stage.connect();
    const opened: string[] = [];
    for (let index = 0; index < 130; index++) {
      const id = await stage.open();
      await stage.prompt(id, `Prompt ${index}`);
      opened.push(id);
    }
    await stage.connect();
    const first = await stage.result("session/list", {});
    const cursor = first["nextCursor"];
    assert.equal(typeof cursor, "string");
    // What is used meanwhile moves to the front, and is not shown twice.
    const second = await stage.result("session/list", { cursor });
    const ids = [first, second].map(({ sessions }) =>
      (sessions as readonly { sessionId: string }[]).map(({ sessionId }) => sessionId),
    );
    assert.deepEqual([ids[0]?.length, ids[1]?.length, second["nextCursor"]], [100, 30, undefined]);
    assert.deepEqual([...new Set(ids.flat())].sort(), opened.sort());
    const { isError, json } = await stage.ask("session/list", { cursor: "elsewhere" });
    assert.deepEqual([isError, json.object?.["code"]], [true, -32602]);
    assert.match(json.text, /elsewhere.*Start without a cursor/);
  });

  it("follows the list of an agent that lists only sessions of its own process", async () => {
    await using stage = await SuppliedStage.open();
    const opened: string[] = [];
    await stage.connect();
    for (let index = 0; index < 102; index++) {
      const id = await stage.open();
      await stage.prompt(id, `Prompt ${index}`);
      opened.push(id);
    }
    const own = { sessionId: opened[101], cwd: stage.root, title: "The agent's title" };
    const other = { sessionId: "of-the-agent", cwd: stage.root };
    await stage.connect({
      capabilities: { sessionCapabilities: { list: {} } },
      answers: { "session/list": { sessions: [own, other] } },
    });
    const { sessions, nextCursor: cursor } = await stage.result("session/list", {});
    const [first, second, ...kept] = sessions as readonly { sessionId: string }[];
    const rest = await stage.result("session/list", { cursor });
    const ids = [...kept, ...(rest["sessions"] as typeof kept)].map(({ sessionId }) => sessionId);
    assert.deepEqual([first, second, rest["nextCursor"]], [own, other, undefined]);
    assert.deepEqual(ids.sort(), opened.slice(0, 101).sort());
  });
});

describe("namedSession", () => {
  const stored = (id: string, session: string, agent: string, cwd: string): StoredSession => {
    return { id, session, agent, cwd, title: "", turns: 1, tokens: 0, started: 1, updated: 1, bytes: 1 };
  };
  const all = [
    stored("5-a", "same", "one", "/p"),
    stored("4-b", "same", "two", "/p"),
    stored("3-c", "same", "one", "/q"),
    stored("2-d", "same", "one", "/q"),
    stored("1-e", "other", "two", "/q"),
  ];
  const idOf = (word: string, wanted?: Parameters<typeof namedSession>[2]): string | undefined =>
    namedSession(all, word, wanted)?.id;

  it("takes an editor's id by folder and agent, and the latest of these", () => {
    assert.equal(idOf("same", { cwd: "/p", agent: "two" }), "4-b");
    assert.equal(idOf("same", { cwd: "/q" }), "3-c");
    assert.equal(idOf("same", { agent: "two" }), "4-b");
    assert.equal(idOf("other", { cwd: "/elsewhere", agent: "three" }), "1-e");
  });

  it("names none where an editor's id is that of several agents or folders", () => {
    assert.deepEqual([idOf("same"), idOf("same", { cwd: "/p" }), idOf("")], [undefined, undefined, undefined]);
    assert.deepEqual([idOf("2-d"), idOf("d")], ["2-d", "2-d"]);
  });
});
