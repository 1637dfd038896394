import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { removeSession } from "../../../../src/sessions/conversations/node/session-folder.js";
import { SuppliedSessions } from "../../../../src/sessions/conversations/supplied-sessions.js";
import { Outcome, Request } from "../../../../src/base/rpc/message.js";
import { ask } from "../../../../src/base/rpc/peer.js";
import { RpcError } from "../../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import {
  samplePlans,
  sampleToolCalls,
  stableUpdates,
  unknownUpdates,
  unstableUpdates,
} from "../../../../testing/sample-updates.js";
import { SuppliedStage } from "./supplied-stage.js";

const lacking = new Set(["available_commands_update", "config_option_update", "current_mode_update", "usage_update"]);
const samples = [...samplePlans, ...sampleToolCalls, ...stableUpdates, ...unstableUpdates, ...unknownUpdates].filter(
  ({ sessionUpdate }) => !lacking.has(String(sessionUpdate)),
);
const everything = {
  loadSession: true,
  sessionCapabilities: { list: {}, resume: {}, fork: {}, delete: {}, close: {} },
};

function userSays(sessionId: string, text: string): string {
  return JSON.stringify({
    sessionId,
    update: { sessionUpdate: "user_message_chunk", content: { type: "text", text } },
  });
}

describe("SuppliedSessions", function () {
  this.timeout(60_000);

  it("announces what the agent lacks, and nothing where it lacks nothing", async () => {
    await using stage = await SuppliedStage.open();
    await stage.connect({ capabilities: { promptCapabilities: { image: true }, sessionCapabilities: { close: {} } } });
    const supplied = { close: {}, list: {}, resume: {}, fork: {}, delete: {} };
    assert.deepEqual(JSON.parse(stage.initialized), {
      protocolVersion: 1,
      agentCapabilities: { promptCapabilities: { image: true }, loadSession: true, sessionCapabilities: supplied },
    });
    await stage.connect({ capabilities: everything });
    assert.equal(stage.initialized, JSON.stringify({ protocolVersion: 1, agentCapabilities: everything }));
  });

  it("announces nothing, and shows nothing, where conversations are not kept", async () => {
    await using stage = await SuppliedStage.open(false);
    await stage.connect();
    assert.equal(stage.initialized, '{"protocolVersion":1,"agentCapabilities":{}}');
    const { isError, json } = await stage.ask("session/load", stage.setup("other"));
    assert.deepEqual([isError, json.object?.["code"]], [true, -32601]);
  });

  it("replays what the editor was shown, whatever it was", async () => {
    const updates = fc.array(fc.constantFrom(...samples), { maxLength: 30 });
    const property = fc.asyncProperty(updates, fc.array(fc.string({ unit: "binary" })), async (sent, texts) => {
      await using stage = await SuppliedStage.open();
      await stage.connect();
      const id = await stage.open();
      await stage.prompt(id, "A question");
      for (const text of texts) stage.says(id, text);
      for (const update of sent) {
        // A call that never ends gets an end, which is not what was shown.
        const status = "toolCallId" in update && { status: "completed" };
        stage.sends(id, { ...update, ...status });
      }
      const live = stage.shown;
      await stage.connect();
      await stage.result("session/load", stage.setup(id));
      assert.deepEqual(stage.shown, [userSays(id, "A question"), ...live].map(withoutTerminals));
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it("loads a session as a new one of the agent, which goes on with the kept one", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect();
    const loaded = await stage.result("session/load", stage.setup(id));
    assert.deepEqual(loaded, { modes: { currentModeId: "a", availableModes: [] } });
    assert.deepEqual(stage.continued, await stage.kept());
    await stage.prompt(id, "Go on");
    stage.says("agent-2", "On and on");
    await stage.prompt(id, "And on");
    const ids = stage.agent.received.map(({ params }) => params?.object?.["sessionId"]);
    assert.deepEqual(ids, [undefined, undefined, "agent-2", "agent-2"]);
    assert.match(stage.shown.at(-1) ?? "", /^\{"sessionId":"agent-1".*On and on/);
    assert.deepEqual(await stage.listed(), [id]);
    await stage.connect();
    await stage.result("session/load", stage.setup(id));
    const texts = stage.editor.updates.map(({ content }) => (content as { text: string }).text);
    assert.deepEqual(texts, ["A question", "An answer", "Another", "Go on", "On and on", "And on"]);
  });

  it("forks a session into a copy, which is listed, and loads by itself", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect();
    const fork = String((await stage.result("session/fork", stage.setup(id)))["sessionId"]);
    assert.deepEqual([...(await stage.listed())].sort(), [id, fork].sort());
    assert.deepEqual(stage.continued, (await stage.kept()).slice(-1));
    await stage.prompt(fork, "Otherwise");
    await stage.connect();
    await stage.result("session/load", stage.setup(fork));
    assert.equal(stage.shown[0], userSays(fork, "A question"));
    assert.equal(stage.shown.at(-1), userSays(fork, "Otherwise"));
    await stage.result("session/load", stage.setup(id));
    assert.equal(stage.shown.at(-1), userSays(id, "Another"));
  });

  it("lists by folder, deletes, and knows nothing of it then", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect();
    assert.deepEqual(await stage.listed({ cwd: stage.root }), [id]);
    assert.deepEqual(await stage.listed({ cwd: "/elsewhere" }), []);
    await stage.result("session/delete", { sessionId: id });
    assert.deepEqual(await stage.listed(), []);
    for (const method of ["session/load", "session/resume", "session/fork", "session/delete"]) {
      const { json } = await stage.ask(method, stage.setup(id));
      assert.equal(json.object?.["code"], -32002, method);
    }
    assert.deepEqual(stage.agent.methods, ["initialize"]);
  });

  it("lets go of a session that its agent cannot close, so that it can be deleted", async () => {
    await using stage = await SuppliedStage.open();
    await stage.connect();
    const id = await stage.open();
    await stage.prompt(id, "A question");
    await stage.result("session/close", { sessionId: id });
    assert.deepEqual(await stage.listed(), [id]);
    const [kept = ""] = await stage.kept();
    assert.equal(await removeSession(join(stage.root, "sessions"), kept), true);
    assert.deepEqual([await stage.kept(), stage.agent.methods.includes("session/close")], [[], false]);
  });

  it("ends the turn of a session that its agent cannot close, and tells the agent of no other session", async () => {
    await using stage = await SuppliedStage.open();
    await stage.connect({ answers: { "session/prompt": () => undefined } });
    const [running, idle] = [await stage.open(), await stage.open()];
    const turn = stage.prompt(running, "A long task");
    for (const sessionId of [idle, running]) await stage.result("session/close", { sessionId });
    const told = stage.agent.received.filter(({ kind }) => kind === "notification");
    assert.deepEqual(
      told.map(({ method, params }) => [method, params?.object?.["sessionId"]]),
      [["session/cancel", running]],
    );
    stage.agent.open[0]?.reply(Outcome.of({ stopReason: "cancelled" }));
    assert.deepEqual(await turn, { stopReason: "cancelled" });
    await stage.result("session/close", { sessionId: running });
    assert.equal(stage.agent.received.filter(({ method }) => method === "session/cancel").length, 1);
  });

  it("leaves to the agent what it can do, and takes over what it cannot bring back", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    const lost = Outcome.error(RpcError.internal("No previous sessions found for this project"));
    await stage.connect({
      capabilities: { loadSession: true },
      answers: { "session/load": ({ params }) => (params?.object?.["sessionId"] === id ? lost : { native: true }) },
    });
    assert.deepEqual(await stage.result("session/load", stage.setup("its own")), { native: true });
    await stage.result("session/load", stage.setup(id));
    assert.equal(stage.shown.length, 3);
    const { json } = await stage.ask("session/load", stage.setup("neither's"));
    assert.equal(json.text, '{"native":true}');
    await stage.connect({ capabilities: { loadSession: true }, answers: { "session/load": lost } });
    assert.equal((await stage.ask("session/load", stage.setup("neither's"))).json.text, lost.json.text);
  });

  it("keeps the agent's own memory where it has one: load resumes, resume loads", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect({
      capabilities: { sessionCapabilities: { resume: {} } },
      answers: { "session/resume": { resumed: true } },
    });
    assert.deepEqual(await stage.result("session/load", stage.setup(id)), { resumed: true });
    assert.equal(stage.shown.length, 3);
    assert.deepEqual(stage.continued, []);
    await stage.connect({
      capabilities: { loadSession: true },
      answers: {
        "session/load": () => {
          stage.says(id, "as the agent remembers it");
          return { loaded: true };
        },
      },
    });
    assert.deepEqual(await stage.result("session/resume", stage.setup(id)), { loaded: true });
    assert.deepEqual(stage.shown, []);
    stage.says(id, "news");
    assert.equal(stage.editor.text, "news");
  });

  it("answers a session that the agent has resumed, also where what is kept of it cannot be read", async () => {
    const fault = (): Promise<never> => Promise.reject(new Error("EIO"));
    const supplied = new SuppliedSessions({
      isAnnounced: true,
      store: {
        keeps: () => Promise.resolve(true),
        list: fault,
        find: fault,
        hidden: fault,
        hide: fault,
        standIn: fault,
      },
      agent: "test-agent",
      pause: () => Promise.resolve(),
    });
    const agentCapabilities = { sessionCapabilities: { resume: {} } };
    const agent = new RecordingPeer({ initialize: { agentCapabilities }, "session/resume": { resumed: true } });
    const peer = supplied.towardAgent(agent);
    await ask(peer, Request.of("initialize", {}));
    const { json } = await ask(peer, Request.of("session/load", { sessionId: "one" }));
    assert.equal(json.text, '{"resumed":true}');
  });

  it("shows all of a session that it has brought back, also where the agent can load the end of it", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect({
      capabilities: { loadSession: true },
      answers: {
        "session/load": ({ params }) => {
          const sessionId = String(params?.object?.["sessionId"]);
          if (sessionId === id) return Outcome.error(RpcError.internal("lost"));
          stage.says(sessionId, "the end alone");
          return { loaded: true };
        },
      },
    });
    await stage.result("session/load", stage.setup(id));
    await stage.prompt(id, "Go on");
    await stage.result("session/close", { sessionId: id });
    const before = stage.shown.length;
    assert.deepEqual(await stage.result("session/load", stage.setup(id)), { loaded: true });
    const texts = stage.editor.updates.slice(before).map(({ content }) => (content as { text: string }).text);
    assert.deepEqual(texts, ["A question", "An answer", "Another", "Go on"]);
  });

  it("hands on what agents send of other sessions while one is brought back", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    await stage.connect({
      capabilities: { sessionCapabilities: { fork: {} } },
      answers: {
        "session/fork": { sessionId: "forked" },
        "session/new": () => {
          stage.says("forked", "at once");
          stage.says("nobody's yet", "soon");
          stage.says("child", ", also its child, ");
          return { sessionId: "agent-9" };
        },
      },
    });
    await stage.result("session/fork", stage.setup(id));
    stage.sends("forked", { sessionUpdate: "subagent_update", sessionId: "child" });
    await stage.result("session/resume", stage.setup(id));
    assert.deepEqual(stage.editor.text, "at once, also its child, soon");
  });

  it("brings back the session of the folder that the editor names, where several have its id", async () => {
    await using stage = await SuppliedStage.open();
    const answers = { "session/new": { sessionId: "one" } };
    for (const folder of ["first", "second"]) {
      await stage.connect({ answers });
      await stage.result("session/new", { cwd: join(stage.root, folder), mcpServers: [] });
      await stage.prompt("one", `In the ${folder}`);
    }
    await stage.connect();
    await stage.result("session/load", { sessionId: "one", cwd: join(stage.root, "first"), mcpServers: [] });
    assert.deepEqual(stage.shown, [userSays("one", "In the first")]);
  });

  it("shows a prompt once that the agent has repeated, and what else the user said", async () => {
    await using stage = await SuppliedStage.open();
    const said = (text: string): object => ({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
    await stage.connect({
      answers: {
        "session/prompt": () => {
          for (const text of ["Go ", "on"]) stage.sends("agent-1", said(text));
          stage.says("agent-1", "Yes");
          stage.sends("agent-1", said("Go"));
          return { stopReason: "end_turn" };
        },
      },
    });
    const id = await stage.open();
    await stage.prompt(id, "Go on");
    await stage.connect();
    await stage.result("session/load", stage.setup(id));
    const texts = stage.editor.updates.map(({ content }) => (content as { text: string }).text);
    assert.deepEqual(texts, ["Go on", "Yes", "Go"]);
  });

  it("asks for a sign-in where the agent does", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    const refusal = Outcome.error(new RpcError(-32000, "Authentication required"));
    await stage.connect({ capabilities: { loadSession: true }, answers: { "session/load": refusal } });
    assert.equal((await stage.ask("session/load", stage.setup(id))).json.text, refusal.json.text);
    await stage.connect({ answers: { "session/new": refusal } });
    assert.equal((await stage.ask("session/load", stage.setup(id))).json.text, refusal.json.text);
    assert.deepEqual(stage.shown, []);
  });

  it("shows under the session's own id what an agent says of the new one before it answers", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    const commands = { sessionUpdate: "available_commands_update", availableCommands: [] };
    await stage.connect({
      answers: {
        "session/new": () => {
          stage.sends("agent-9", commands);
          return { sessionId: "agent-9" };
        },
      },
    });
    await stage.result("session/resume", stage.setup(id));
    assert.deepEqual(stage.shown, [JSON.stringify({ sessionId: id, update: commands })]);
  });

  it("hides from an agent's own list what was deleted here, and the sessions behind those that are shown", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    const listed = ["its own", id, "agent-2"].map((sessionId) => ({ sessionId, cwd: "/w" }));
    const lost = Outcome.error(RpcError.internal("lost"));
    const agent = {
      capabilities: { loadSession: true, sessionCapabilities: { list: {} } },
      answers: { "session/list": { sessions: listed, more: 1.5 }, "session/load": lost },
    };
    await stage.connect(agent);
    assert.deepEqual(await stage.result("session/list", {}), { sessions: listed, more: 1.5 });
    await stage.result("session/load", stage.setup(id));
    assert.deepEqual(await stage.listed(), ["its own", id]);
    await stage.result("session/delete", { sessionId: id });
    await stage.connect(agent);
    assert.deepEqual(await stage.listed(), ["its own"]);
  });

  it("tells of an agent that could not delete a session, and keeps what it has of it as long as the agent has it, too", async () => {
    await using stage = await SuppliedStage.open();
    const id = await stage.conversation();
    const capabilities = { sessionCapabilities: { list: {}, delete: {} } };
    const locked = Outcome.error(RpcError.internal("the database is locked"));
    const deletes = (sessions: readonly object[]): object => ({
      capabilities,
      answers: { "session/delete": locked, "session/list": { sessions } },
    });
    await stage.connect(deletes([{ sessionId: id, cwd: "/w" }]));
    const refused = await stage.ask("session/delete", { sessionId: id });
    assert.match(refused.json.text, /the database is locked/);
    await stage.connect();
    assert.deepEqual(await stage.listed(), [id]);
    await stage.connect(deletes([]));
    await stage.result("session/delete", { sessionId: id });
    await stage.connect();
    assert.deepEqual(await stage.listed(), []);
  });

  it("ends the calls whose turn was cut off, names those that were only asked about, and shows no lost terminals", async () => {
    await using stage = await SuppliedStage.open();
    await stage.connect();
    const id = await stage.open();
    await stage.prompt(id, "Run it");
    const content = [{ type: "terminal", terminalId: "t" }];
    stage.sends(id, { sessionUpdate: "tool_call", toolCallId: "open", title: "Run", status: "in_progress", content });
    const toolCall = { toolCallId: "asked", kind: "edit", status: "completed" };
    await stage.requests(Request.of("session/request_permission", { sessionId: id, toolCall, options: [] }));
    await stage.connect();
    await stage.result("session/load", stage.setup(id));
    const text = { type: "content", content: { type: "text", text: "(This was shown in a terminal.)" } };
    assert.deepEqual(stage.editor.updates.slice(1), [
      { sessionUpdate: "tool_call", toolCallId: "open", title: "Run", status: "in_progress", content: [text] },
      { title: "asked", ...toolCall, sessionUpdate: "tool_call" },
      { sessionUpdate: "tool_call_update", toolCallId: "open", status: "failed" },
    ]);
  });
});

/** As a replay has it: terminals of the editor are gone. */
function withoutTerminals(params: string): string {
  return params.replace(
    /\{"type":"terminal","terminalId":"[^"]*"\}/g,
    '{"type":"content","content":{"type":"text","text":"(This was shown in a terminal.)"}}',
  );
}
