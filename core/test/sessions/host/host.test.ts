import assert from "node:assert/strict";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { HostStage } from "./host-stage.js";

const terminals = { capabilities: { terminal: true, fs: { readTextFile: true } } };

describe("the host", () => {
  it("shares a conductor among clients that start with the same words, folder, environment and abilities", async () => {
    const stage = new HostStage();
    await stage.connect();
    await stage.connect();
    await stage.connect({}, { env: { SHLVL: "2", _: "/usr/bin/node" } });
    await stage.connect({}, { env: { KEY: "1" } });
    await stage.connect({}, { words: ["run", "--log=debug"] });
    await stage.connect({}, { capabilities: { terminal: true } });
    assert.equal(stage.conductors.length, 4);
    assert.deepEqual(stage.conductor.peer.methods, ["initialize"]);
  });

  it("announces that it lists, loads, resumes and closes sessions", async () => {
    const stage = new HostStage({ conductor: { initialize: { protocolVersion: 1, agentCapabilities: {} } } });
    const client = await stage.connect();
    const { json } = await client.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    assert.deepEqual(json.object?.["agentCapabilities"], {
      loadSession: true,
      sessionCapabilities: { close: {}, resume: {}, list: {} },
    });
    const refused = await client.load("unknown");
    assert.match(String(refused.json.object?.["message"]), /^Resource not found: unknown\./);
  });

  it("asks the conductor again when its first initialize failed", async () => {
    const answers: unknown[] = [Outcome.error(RpcError.internal("no agent")), { protocolVersion: 1 }];
    const stage = new HostStage({ conductor: { initialize: () => answers.shift() } });
    const client = await stage.connect();
    const again = await client.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    assert.equal(again.isError, false);
  });

  it("attaches clients of other conductors to a session, by its id and folder", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    stage.conductor.say("one");
    const other = await stage.connect({}, { env: { EDITOR: "other" } });
    await other.load();
    void other.prompt("work");
    assert.deepEqual([first.texts, other.texts], [["one", "> work"], ["one"]]);
    const elsewhere = await stage.connect({}, { env: { EDITOR: "third" } });
    await elsewhere.load("s1", "/other");
    assert.deepEqual(elsewhere.texts, []);
    assert.equal(stage.conductors[2]?.peer.methods.at(-1), "session/load");
  });

  it("lists live sessions with their state, those of other clients first", async () => {
    const listed = {
      sessions: [
        { sessionId: "s1", cwd: "/w" },
        { sessionId: "old", cwd: "/w" },
      ],
      nextCursor: "more",
    };
    const stage = new HostStage({ conductor: { "session/list": listed } });
    const other = await stage.open({}, { env: { EDITOR: "other" } });
    await other.ask("session/new", { cwd: "/w", mcpServers: [] });
    void other.prompt("Fix the build", "s2");
    void (await stage.open()).prompt("Write a test");
    const client = await stage.connect();
    const states = async (params: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const { sessions } = (await client.ask("session/list", params)).json.object ?? {};
      const entries = sessions as readonly Readonly<Record<string, unknown>>[];
      return entries.map(({ sessionId, title, _meta }) => [sessionId, title, _meta]);
    };
    const live = ["s1", undefined, { symposium: { state: "working" } }];
    const old = ["old", undefined, undefined];
    assert.deepEqual(await states({ cwd: "/w" }), [
      ["s2", "Fix the build", { symposium: { state: "working" } }],
      live,
      old,
    ]);
    assert.deepEqual(await states({ cursor: "more" }), [live, old]);
  });

  it("refuses a prompt of a client that is not attached", async () => {
    const stage = new HostStage();
    await stage.open();
    const second = await stage.connect();
    const { json } = await second.prompt("hello");
    assert.equal(json.object?.["message"], "Resource not found: s1. Load or resume the session first.");
  });

  it("answers what waits, and ends its clients, when a conductor crashes", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const other = await stage.connect({}, { env: { EDITOR: "other" } });
    await other.load();
    stage.conductor.hooks.ended("it was killed");
    assert.deepEqual([first.closedWith, other.closedWith], ["it was killed", undefined]);
    await other.load();
    assert.equal(stage.conductors[1]?.peer.methods.at(-1), "session/load");
  });

  it("closes a session that nobody has needed for the idle time, then its conductor, then itself", async () => {
    const stage = new HostStage({ idleMs: 1_000 });
    const client = await stage.open();
    void client.prompt("work");
    client.hostClient.leave();
    stage.time = 5_000;
    assert.equal(stage.host.tidy(), 1_000);
    stage.conductor.endTurn();
    stage.time = 5_400;
    assert.equal(stage.host.tidy(), 600);
    assert.equal(stage.conductor.isEnded, false);
    stage.time = 6_000;
    assert.equal(stage.host.tidy(), undefined);
    assert.equal(stage.conductor.isEnded, true);
  });

  it("stops a session that has no client: first its turn with the question, then the session", async () => {
    const stage = new HostStage();
    const client = await stage.open();
    void client.prompt("work");
    const { heard } = stage.conductor.askPermission();
    client.hostClient.leave();
    stage.host.stop({ sessionId: "s1", cwd: "/other" });
    assert.deepEqual(heard, []);
    stage.host.stop({ sessionId: "s1", cwd: "/w" });
    assert.deepEqual(heard, [{ outcome: { outcome: "cancelled" } }]);
    assert.equal(stage.conductor.peer.methods.at(-1), "session/cancel");
    stage.conductor.endTurn("cancelled");
    assert.equal(stage.conductor.isEnded, false);
    stage.host.stop({ sessionId: "s1", cwd: "/w" });
    assert.equal(stage.conductor.peer.methods.at(-1), "session/close");
    assert.equal(stage.conductor.isEnded, true);
  });

  it("ends a quiet session that a client has open only if asked to", async () => {
    const stage = new HostStage();
    const client = await stage.open();
    const turn = client.prompt("work");
    stage.conductor.endTurn();
    await turn;
    stage.host.stop({ sessionId: "s1", cwd: "/w" });
    assert.equal(stage.conductor.peer.methods.at(-1), "session/cancel");
    stage.host.stop({ sessionId: "s1", cwd: "/w", ends: true });
    assert.equal(stage.conductor.peer.methods.at(-1), "session/close");
  });

  it("ends a conductor at once in whose sessions nothing was said", async () => {
    const stage = new HostStage();
    const client = await stage.open();
    client.hostClient.leave();
    assert.equal(stage.conductor.isEnded, true);
  });

  it("keeps the successor of a conductor whose process ends late", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    first.hostClient.leave();
    const second = await stage.open();
    stage.conductors[0]?.hooks.ended("exit code 0");
    assert.equal(second.closedWith, undefined);
    assert.equal([...stage.host.sessions()].length, 1);
  });

  it("keeps a session that is being resumed while another client leaves", async () => {
    const stage = new HostStage({ conductor: { "session/load": () => undefined } });
    const [client, other] = [await stage.connect(), await stage.connect()];
    const resumed = client.ask("session/resume", { sessionId: "old", cwd: "/w", mcpServers: [] });
    other.hostClient.leave();
    stage.conductor.peer.open[0]?.reply(Outcome.of({}));
    assert.equal((await resumed).isError, false);
    assert.equal([...stage.host.sessions()][0]?.isAttached, true);
  });

  it("does not attach a client that has left while the session was being loaded", async () => {
    const stage = new HostStage({ conductor: { "session/load": () => undefined } });
    const [client, other] = [await stage.connect(), await stage.connect()];
    const loads = [client.load("old"), other.load("old")];
    other.hostClient.leave();
    stage.conductor.peer.open[0]?.reply(Outcome.of({}));
    const [first, second] = await Promise.all(loads);
    assert.deepEqual([first?.isError, second?.isError], [false, true]);
    client.hostClient.leave();
    assert.deepEqual([...stage.host.sessions()], []);
  });

  it("stays while a question waits", async () => {
    const stage = new HostStage({ idleMs: 1_000 });
    const client = await stage.open();
    void client.prompt("work");
    stage.conductor.askPermission();
    client.hostClient.leave();
    stage.time = 100_000;
    assert.notEqual(stage.host.tidy(), undefined);
    assert.equal(stage.conductor.isEnded, false);
  });

  it("pauses a conductor only while all of its readers are congested", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    first.isCongested = true;
    assert.equal(stage.conductor.isPaused, false);
    second.isCongested = true;
    assert.equal(stage.conductor.isPaused, true);
    first.isCongested = false;
    assert.equal(stage.conductor.isPaused, false);
  });

  it("stops reading its clients while their conductor is congested, and prints what that prints", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const other = await stage.connect({}, { env: { EDITOR: "other" } });
    stage.conductor.hooks.printed("a warning");
    stage.conductor.isCongested = true;
    assert.deepEqual([first.isPaused, other.isPaused], [true, false]);
    stage.conductor.isCongested = false;
    assert.deepEqual([first.isPaused, first.printed, other.printed], [false, ["a warning"], []]);
  });

  it("reads and writes files on the disk when the client that sent the prompt is gone", async () => {
    const stage = new HostStage();
    const files = { "fs/read_text_file": { content: "of the editor" } };
    const first = await stage.open(files, terminals);
    await stage.attach(files, terminals);
    void first.prompt("work");
    const read = async (): Promise<unknown> => {
      const request = Request.of("fs/read_text_file", { sessionId: "s1", path: "/w/a" });
      return new Promise((resolve) => stage.conductor.client.request(request, ({ json }) => resolve(json.value)));
    };
    assert.deepEqual(await read(), { content: "of the editor" });
    first.hostClient.leave();
    assert.deepEqual(await read(), { content: "of the disk" });
  });

  it("reads files on the disk for a client that doesn't serve files", async () => {
    const stage = new HostStage();
    const client = await stage.open({ "fs/read_text_file": { content: "of the client" } });
    void client.prompt("work");
    const request = Request.of("fs/read_text_file", { sessionId: "s1", path: "/w/a" });
    assert.deepEqual((await ask(stage.conductor.client, request)).json.value, { content: "of the disk" });
    assert.equal(client.peer.methods.includes("fs/read_text_file"), false);
  });

  it("refuses files and terminals without an open session, without asking a client or the disk", async () => {
    const stage = new HostStage();
    const methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"];
    const client = await stage.open(Object.fromEntries(methods.map((method) => [method, {}])), terminals);
    void client.prompt("work");
    const before = client.peer.received.length;
    for (const method of methods) {
      for (const session of [{}, { sessionId: "unknown" }, { sessionId: 1 }]) {
        const { isError, json } = await ask(stage.conductor.client, Request.of(method, { ...session, path: "/w/a" }));
        const message = `Invalid params: "sessionId" of ${method} must name an open session`;
        assert.deepEqual([isError, json.value], [true, { code: -32602, message }]);
      }
    }
    assert.deepEqual([client.peer.received.length, stage.disk], [before, []]);
  });

  it("reports a terminal as exited when its client is gone, and shows it to no other", async () => {
    const stage = new HostStage();
    const answers = { "terminal/create": { terminalId: "t1" }, "terminal/output": { output: "running" } };
    const first = await stage.open(answers, terminals);
    const second = await stage.attach();
    void first.prompt("work");
    const call = (method: string): unknown => {
      let value: unknown;
      const params = { sessionId: "s1", ...(method !== "terminal/create" && { terminalId: "t1" }) };
      stage.conductor.client.request(Request.of(method, params), ({ json }) => (value = json.value));
      return value;
    };
    assert.deepEqual(call("terminal/create"), { terminalId: "t1" });
    const content = [{ type: "terminal", terminalId: "t1" }];
    stage.conductor.update({ sessionUpdate: "tool_call", toolCallId: "call-1", content });
    assert.deepEqual(call("terminal/output"), { output: "running" });
    first.hostClient.leave();
    const exitStatus = { exitCode: null, signal: "SIGHUP" };
    assert.deepEqual(call("terminal/output"), { output: "", truncated: true, exitStatus });
    assert.deepEqual(call("terminal/wait_for_exit"), exitStatus);
    assert.deepEqual(call("terminal/release"), {});
    const text = { type: "text", text: "(Shown in a terminal in another window.)" };
    assert.deepEqual(
      [first, second].map(({ peer }) => peer.updates.at(-1)?.["content"]),
      [content, [{ type: "content", content: text }]],
    );
  });

  it("sends MCP messages to the client whose server it is", async () => {
    const stage = new HostStage();
    const servers = { "mcp/message": { from: "second" } };
    await stage.open();
    const second = await stage.connect(servers);
    const server = { type: "acp", name: "tools", serverId: "server-2" };
    await second.ask("session/new", { cwd: "/w", mcpServers: [server] });
    const heard: unknown[] = [];
    const ask = (): void => {
      const request = Request.of("mcp/message", { serverId: "server-2", method: "tools/list" });
      stage.conductor.client.request(request, ({ json }) => heard.push(json.object?.["from"] ?? json.object?.["code"]));
    };
    ask();
    void second.prompt("a turn keeps the session", "s2");
    second.hostClient.leave();
    ask();
    assert.deepEqual(heard, ["second", -33002]);
  });

  it("lets a client that attaches take over the servers that it shares by name", async () => {
    const stage = new HostStage();
    const entry = (serverId: string, name = "tools"): object => ({ type: "acp", name, serverId });
    const first = await stage.connect({ "mcp/message": () => undefined });
    await first.ask("session/new", { cwd: "/w", mcpServers: [entry("one")] });
    const heard: unknown[] = [];
    const ask = (): void => {
      const request = Request.of("mcp/message", { serverId: "one", method: "tools/list" });
      stage.conductor.client.request(request, ({ json }) => heard.push(json.object?.["message"] ?? json.value));
    };
    void first.prompt("a turn keeps the session");
    ask();
    first.hostClient.leave();
    first.peer.open[0]?.reply(Outcome.error(RpcError.internal("The client disconnected.")));
    const away =
      'The machine that runs the MCP server "tools" isn\'t connected. ' +
      "Its tools work again when a client on that machine attaches to this session.";
    assert.deepEqual(heard, [away]);
    const other = await stage.connect({ "mcp/message": { from: "other" } });
    await other.ask("session/load", { sessionId: "s1", cwd: "/w", mcpServers: [entry("two", "others")] });
    ask();
    assert.deepEqual(heard.slice(1), [away]);
    const again = await stage.connect({ "mcp/message": { from: "again" } });
    await again.ask("session/load", { sessionId: "s1", cwd: "/w", mcpServers: [entry("three")] });
    ask();
    assert.deepEqual(heard.slice(2), [{ from: "again" }]);
    assert.equal(again.peer.received.at(-1)?.params?.object?.["serverId"], "three");
    await again.ask("session/close", { sessionId: "s1" });
    ask();
    assert.deepEqual(heard.slice(3), [away]);
  });

  it("keeps a server of one session when another session with the same server closes", async () => {
    const stage = new HostStage();
    const first = await stage.connect({ "mcp/message": { from: "first" } });
    const second = await stage.connect({ "mcp/message": { from: "second" } });
    const mcpServers = [
      { type: "acp", name: "tools", serverId: "same" },
      { type: "http", name: "old", url: "acp:same" },
    ];
    await first.ask("session/new", { cwd: "/w", mcpServers });
    await second.ask("session/new", { cwd: "/w", mcpServers });
    const ask = async (member: object): Promise<unknown> => {
      const request = Request.of("mcp/message", { ...member, method: "tools/list" });
      return new Promise((resolve) => {
        stage.conductor.client.request(request, ({ json }) => resolve(json.object?.["from"] ?? json.object?.["code"]));
      });
    };
    assert.equal(await ask({ serverId: "same" }), "second");
    await second.ask("session/close", { sessionId: "s2" });
    assert.equal(await ask({ serverId: "same" }), "first");
    assert.equal(await ask({ acp_url: "acp:same" }), "first");
    await first.ask("session/close", { sessionId: "s1" });
    assert.equal(await ask({ serverId: "same" }), -33001);
  });
});
