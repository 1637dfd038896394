import assert from "node:assert/strict";
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import { Json } from "../../../../src/base/rpc/json.js";
import { listsKey } from "../../../../src/context/servers/server-hub.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import { call, never, result, text, toolNames } from "../called-server.js";
import { HubStage, odd, program } from "./hub-stage.js";
import { McpHttpServer } from "./mcp-http-server.js";

type Members = Readonly<Record<string, unknown>>;

describe("the user's servers in sessions", function () {
  this.timeout(60_000);
  let stage: HubStage;
  beforeEach(() => {
    stage = new HubStage();
  });
  afterEach("no server survives its session", () => stage[Symbol.asyncDispose]());

  for (const [kind, era] of [
    ["older revisions", "legacy"],
    ["the stateless revision", "modern"],
  ] as const) {
    describe(`over stdio, of ${kind}`, () => {
      const args = [era];

      it("run where their entry says, with its environment", async () => {
        const launch = { ...odd("x", {}, args).launch, cwd: tmpdir() };
        const server = await stage.only(odd("x", { launch }));
        assert.match(await text(server, "where"), new RegExp(`^${await realpath(tmpdir())} x `));
      });

      it("say what they are, and list tools, prompts and resources", async () => {
        const server = await stage.only(odd("x", {}, args));
        const { serverInfo, capabilities, instructions } = await server.describe(never);
        assert.deepEqual(
          [serverInfo["name"], Object.keys(capabilities).sort(), instructions],
          ["odd", ["logging", "prompts", "resources", "tools"], "Ask it where it is."],
        );
        assert.ok((await toolNames(server)).includes("where"));
        const { resources } = await result(server, "resources/list");
        assert.deepEqual((resources as Members[])[0]?.["uri"], "note://1");
        const { contents } = await result(server, "resources/read", { uri: "note://1" });
        assert.deepEqual((contents as Members[])[0]?.["text"], "noted");
      });

      it("ask the user by the editor's form, of which the answer goes back", async () => {
        const client = new RecordingPeer({ "elicitation/create": { action: "accept", content: { tea: "green" } } });
        const server = await stage.only(odd("x", {}, args), { client, capabilities: { elicitation: { form: {} } } });
        assert.equal(await text(server, "ask"), "tea: green");
        const { requestedSchema, ...params } = client.received[0]?.params?.object ?? {};
        assert.deepEqual(params, { mode: "form", sessionId: "s1", message: "x: Which tea?" });
        assert.deepEqual((requestedSchema as Members)["properties"], { tea: { type: "string" } });
      });

      it("are told that they may not ask where the editor has no forms", async () => {
        const client = new RecordingPeer();
        const server = await stage.only(odd("x", {}, args), { client });
        assert.match(JSON.stringify((await call(server, "ask")).value), /elicitation|capabilit/i);
        assert.deepEqual(client.received, []);
      });

      it("hear of the session's folders", async () => {
        const server = await stage.only(odd("x", {}, args));
        const roots = (JSON.parse(await text(server, "roots")) as { roots: { uri: string }[] }).roots;
        assert.deepEqual(
          roots.map(({ uri }) => uri),
          [pathToFileURL(stage.folder).href, pathToFileURL(tmpdir()).href],
        );
      });

      it("report progress under the token of whoever asked", async () => {
        const server = await stage.only(odd("x", {}, args));
        const params = Json.of({ name: "progress", arguments: {}, _meta: { progressToken: "mine" } });
        const { signal, abort } = cancellable();
        const note = await new Promise((resolve) => {
          void server.call("tools/call", params, { signal, notify: (_method, sent) => resolve(sent?.value) });
        });
        assert.deepEqual(note, { progressToken: "mine", progress: 1, total: 2 });
        abort();
      });

      it("give a call up that its caller gave up, and go on", async () => {
        const server = await stage.only(odd("x", {}, args));
        const controller = new AbortController();
        const hanging = server.call("tools/call", Json.of({ name: "hang" }), {
          signal: controller.signal,
          notify: () => undefined,
        });
        controller.abort();
        assert.equal((await hanging).isError, true);
        assert.match(await text(server, "where"), / x /);
      });
    });
  }

  it("change their list in the middle of a turn, and say so", async () => {
    const server = await stage.only(odd("x"));
    const told = new Promise<string>((resolve) => server.subscribe?.(resolve));
    await text(server, "grow");
    assert.equal(await told, "notifications/tools/list_changed");
    assert.ok((await toolNames(server)).includes("grown"));
    assert.equal(await text(server, "grown"), "grown");
  });

  it("show the tools that their entry lets through, and refuse others", async () => {
    const server = await stage.only(odd("x", { tools: ["w*", "grow"], excludeTools: ["gr*"] }));
    assert.deepEqual(await toolNames(server), ["where"]);
    const refused = await call(server, "grow");
    assert.deepEqual(refused.value, { code: -32602, message: 'MCP server "x" has no tool "grow".' });
  });

  it("are listed at once as last time, before they are up", async () => {
    await stage.only(odd("x"));
    await stage.hub[Symbol.asyncDispose]();
    await stage.restart();
    stage.started.splice(0);
    const server = await stage.only(odd("x"));
    assert.deepEqual(stage.started, []);
    assert.ok((await toolNames(server)).includes("where"));
    assert.match(await text(server, "where"), / x /);
    assert.equal(stage.started.length, 1);
  });

  it("correct what was listed last time once they are up", async () => {
    await stage.only(odd("x"));
    const key = JSON.stringify(["stdio", process.execPath, [program], ["FIXTURE"], null]);
    await stage.hub[Symbol.asyncDispose]();
    const kept = await stage.lists.read(key);
    assert.ok(kept);
    await stage.lists.write(key, { ...kept, tools: [{ name: "gone", inputSchema: { type: "object" } }] });
    await stage.restart();
    const added = await stage.hub.open(stage.session(), [odd("x")]);
    const [server] = added.servers;
    assert.ok(server);
    assert.deepEqual(await toolNames(server), ["gone"]);
    const told = new Promise<string>((resolve) => server.subscribe(resolve));
    added.opened();
    assert.equal(await told, "notifications/tools/list_changed");
    assert.ok((await toolNames(server)).includes("where"));
  });

  it("leave a session that has begun to its first prompt, and come up when it is called for", async () => {
    await stage.only(odd("x"));
    await stage.restart({ startDelayMs: 2_000_000 });
    const added = await stage.hub.open(stage.session(), [odd("x"), odd("y")]);
    added.opened();
    const [server] = added.servers;
    assert.ok(server);
    assert.match(await text(server, "where"), / x /);
    assert.equal(stage.started.length, 1);
  });

  it("come up although others before them hang", async () => {
    await stage.only(odd("x"));
    await stage.hub[Symbol.asyncDispose]();
    const kept = await stage.lists.read(listsKey(odd("x")));
    assert.ok(kept);
    const hanging = ["a", "b"].map((name) => odd(name, {}, ["silent", name]));
    for (const one of hanging) await stage.lists.write(listsKey(one), kept);
    await stage.restart({ startDelayMs: 0 });
    const added = await stage.hub.open(stage.session(), [...hanging, odd("x")]);
    assert.deepEqual(stage.started, []);
    added.opened();
    await stage.until(() => stage.hub.statuses.list().some(({ state }) => state.kind === "ready"));
    const states = stage.hub.statuses.list().map(({ name, state }) => `${name} ${state.kind}`);
    assert.deepEqual(states, ["a starting", "b starting", "x ready"]);
  });

  it("of which one dies say how, and are started again", async () => {
    const server = await stage.only(odd("x"));
    const first = await text(server, "where");
    const died = await call(server, "die");
    assert.equal((died.value as Members)["isError"], true);
    assert.match(JSON.stringify(died.value), /MCP server \\"x\\" exited with code 7\. It wrote: out of tea/);
    const outage = await call(server, "where");
    assert.match(JSON.stringify(outage.value), /exited with code 7.*Symposium tries again in 60 s/);
    stage.hub.statuses.restart("x");
    await stage.until(() => stage.hub.statuses.list()[0]?.state.kind === "ready");
    assert.notEqual(await text(server, "where"), first);
  });

  for (const [tool, reason] of [
    ["flood", /sends unrequested messages/],
    ["long", /sent a line of 2000000 bytes/],
  ] as const) {
    it(`of which one breaks the rules by "${tool}" harm themselves alone`, async () => {
      const { servers } = await stage.hub.open(stage.session(), [odd("bad"), odd("good")]);
      const [bad, good] = servers;
      assert.ok(bad && good);
      await call(bad, tool);
      await stage.until(() => stage.hub.statuses.list().some(({ state }) => state.kind === "failed"));
      const { state } = stage.hub.statuses.list().find(({ name }) => name === "bad") ?? {};
      assert.match(state?.kind === "failed" ? state.reason : "", reason);
      assert.match(await text(good, "where"), / good /);
    });
  }

  it("are there although a secret of another one cannot be read, which says so", async () => {
    const launch = { type: "stdio", command: "unreadable", args: [], env: {} } as const;
    const { servers } = await stage.hub.open(stage.session(), [odd("bad", { launch }), odd("good")]);
    const names = servers.map(({ name }) => name);
    assert.deepEqual(names, ["good"]);
    const { state } = stage.hub.statuses.list().find(({ name }) => name === "bad") ?? {};
    assert.equal(state?.kind === "failed" && state.reason, "The key store is locked.");
  });

  it("go on after garbage", async () => {
    assert.equal(await text(await stage.only(odd("x")), "garbage"), "after garbage");
  });

  it("have an end when they are silent for longer than their entry allows", async () => {
    const server = await stage.only(odd("x", { callTimeoutMs: 3_000 }));
    assert.match(await text(server, "hang"), /^MCP server "x" has not answered tools\/call for 3 s\./);
    assert.match(await text(server, "where"), / x /);
  });

  it("that never answer at their start do not hold a session up for ever", async () => {
    const server = await stage.only(odd("x", { startTimeoutMs: 300 }, ["silent"]));
    assert.deepEqual(await toolNames(server), []);
    assert.match(await text(server, "where"), /MCP server "x" .* cannot be used: .*timed out/);
  });

  it("that never answer at their start are waited for by one session, and started in the background for others", async () => {
    await stage.restart({ startDelayMs: 0, firstWaitMs: 1 });
    const silent = odd("x", {}, ["silent"]);
    await stage.only(silent);
    assert.equal(stage.started.length, 1);
    const added = await stage.hub.open(stage.session(), [silent]);
    assert.deepEqual(
      added.servers.map((server) => server.status().state),
      [{ kind: "stopped" }],
    );
    added.opened();
    await stage.until(() => stage.hub.statuses.list().every(({ state }) => state.kind === "starting"));
  });

  for (const era of ["modern", "legacy"] as const) {
    it(`over http, ${era}, are reached again once they are back`, async () => {
      const web = await McpHttpServer[era]();
      const { url } = web;
      const launch = { type: "http", url, headers: { "X-Key": "1" } } as const;
      const server = await stage.only(odd("web", { launch }));
      assert.equal(await text(server, "era"), era);
      await web[Symbol.asyncDispose]();
      const outage = await call(server, "era");
      assert.match(JSON.stringify(outage.value), /MCP server \\"web\\" .* cannot be used: .*Check its entry/);
      await using _back = await McpHttpServer[era](Number(new URL(url).port));
      stage.hub.statuses.restart("web");
      await stage.until(() => stage.hub.statuses.list()[0]?.state.kind === "ready");
      assert.equal(await text(server, "era"), era);
    });
  }
});

function cancellable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
