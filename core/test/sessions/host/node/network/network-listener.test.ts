import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { methods, type Stream } from "@agentclientprotocol/sdk";
import { type ClientOptions, WebSocket } from "ws";
import { authorized, NetworkStage } from "./network-stage.js";

const initialize = `{ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } }`;
const streamed = { Accept: "text/event-stream" };
const cwd = "/w";

describe("the host's listener", () => {
  let stage: NetworkStage;
  beforeEach(async () => (stage = await NetworkStage.open()));
  afterEach(() => stage[Symbol.asyncDispose]());

  const transports: Readonly<Record<string, () => Stream>> = {
    "Streamable HTTP": () => stage.http(),
    WebSocket: () => stage.webSocket(),
  };
  for (const [name, open] of Object.entries(transports)) {
    it(`serves the SDK's client over ${name}: a turn, its question, and a second client`, async () => {
      const [first, second]: [string[], string[]] = [[], []];
      const { agent } = await stage.join(open(), first);
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
      const turn = agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
      await stage.host.conductor.peer.waitFor("session/prompt");
      const { conductor } = stage.host;
      conductor.say("one\u2028two");
      const { heard } = conductor.askPermission();
      const other = await stage.join(open(), second);
      await other.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
      while (heard.length === 0) await pass();
      conductor.say("three");
      conductor.endTurn();
      assert.deepEqual(await turn, { stopReason: "end_turn" });
      while (first.length < 2 || second.length < 2) await pass();
      assert.deepEqual(
        [heard, first, second],
        [[{ outcome: { outcome: "selected", optionId: "yes" } }], ["one\u2028two", "three"], ["one\u2028two", "three"]],
      );
    });

    it(`leaves the host when a client over ${name} closes, and the session continues`, async () => {
      const connection = await stage.join(open());
      const { agent } = connection;
      const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
      const turn = agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "go" }] });
      await stage.host.conductor.peer.waitFor("session/prompt");
      connection.close();
      await assert.rejects(turn);
      await stage.hasClients(0);
      assert.deepEqual(
        [...stage.host.host.sessions()].map(({ state }) => state),
        ["working"],
      );
    });
  }

  it("refuses requests without the token, from web pages and by other names of this machine", async () => {
    const origin = { Origin: "https://other.example" };
    const statuses = [
      (await fetch(stage.url, { method: "POST" })).status,
      (await stage.post(initialize, { Authorization: `Bearer ${"b".repeat(64)}` })).status,
      (await stage.post(initialize, { Authorization: "" })).status,
      (await stage.post(initialize, origin)).status,
      (await fetch(stage.url, { method: "OPTIONS", headers: origin })).status,
      (await fetch(`${stage.url}x`, { headers: authorized })).status,
      await statusFor({ ...authorized, Host: "127.0.0.2" }),
      await statusFor({ ...authorized, Host: "rebound.example" }),
      await refusedUpgrade({ headers: {} }),
      await refusedUpgrade({ headers: { ...authorized, ...origin } }),
      await refusedUpgrade({ headers: { ...authorized, Host: "rebound.example" } }),
    ];
    assert.deepEqual(statuses, [401, 401, 401, 403, 403, 404, 406, 403, 401, 403, 403]);
    assert.equal(stage.host.host.clientCount, 0);
    const elsewhere = await fetch(`${stage.url}x`);
    assert.equal(elsewhere.headers.get("connection"), "close");
  });

  it("lets a listed web page connect and read the answers", async () => {
    const headers = { Origin: "https://app.example" };
    const asked = await fetch(stage.url, { method: "OPTIONS", headers });
    const answer = await stage.post(initialize, headers);
    assert.deepEqual(
      [asked, answer].map((one) => [one.status, one.headers.get("access-control-allow-origin")]),
      [
        [204, headers.Origin],
        [200, headers.Origin],
      ],
    );
  });

  it("answers malformed requests with the RFD's statuses", async () => {
    const first = await stage.post(initialize);
    const id = { "Acp-Connection-Id": first.headers.get("acp-connection-id") ?? "" };
    const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`;
    const get = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(stage.url, { headers: { ...authorized, ...headers } });
    const answers: readonly [string, number, () => Response | Promise<Response>][] = [
      ["a first request", 200, () => first],
      ["a second initialize", 400, () => stage.post(initialize, id)],
      ["no connection", 400, () => stage.post(cancel)],
      ["an unknown connection", 404, () => stage.post(cancel, { "Acp-Connection-Id": "x" })],
      ["a batch", 501, () => stage.post(`[${cancel}]`, id)],
      ["half a message", 400, () => stage.post("{", id)],
      ["another type", 415, () => stage.post(cancel, { ...id, "Content-Type": "text/plain" })],
      ["too much", 413, () => stage.post(`{"a":"${"x".repeat(1024 * 1024)}"}`, id)],
      ["no session header", 400, () => stage.post(cancel, id)],
      ["another session's header", 400, () => stage.post(cancel, { ...id, "Acp-Session-Id": "s2" })],
      ["the session's header", 202, () => stage.post(cancel, { ...id, "Acp-Session-Id": "s1" })],
      ["an answer to nothing", 202, () => stage.post(`{"jsonrpc":"2.0","id":"x","result":{}}`, id)],
      ["no stream wanted", 406, () => get(id)],
      ["a stream of no connection", 400, () => get(streamed)],
      ["a stream of an unknown connection", 404, () => get({ ...streamed, "Acp-Connection-Id": "x" })],
      ["the connection's stream", 200, () => get({ ...streamed, ...id })],
      ["the same stream", 409, () => get({ ...streamed, ...id })],
      ["another method", 405, () => fetch(stage.url, { method: "PUT", headers: authorized })],
      ["the end", 202, () => fetch(stage.url, { method: "DELETE", headers: { ...authorized, ...id } })],
      ["a second end", 404, () => fetch(stage.url, { method: "DELETE", headers: { ...authorized, ...id } })],
    ];
    for (const [what, expected, answer] of answers) assert.equal((await answer()).status, expected, what);
  });

  it("keeps a session's messages for its stream, and passes their text unchanged", async () => {
    const first = await stage.post(initialize);
    const id = { "Acp-Connection-Id": first.headers.get("acp-connection-id") ?? "" };
    await stage.post(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, id);
    await stage.host.conductor.peer.waitFor("session/new");
    stage.host.conductor.update({ sessionUpdate: "x", number: 12 });
    const session = { ...streamed, ...authorized, ...id, "Acp-Session-Id": "s1" };
    const stream = await fetch(stage.url, { headers: session });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("number")) text += (await reader?.read())?.value ?? "";
    assert.match(
      text,
      /^: open\n\n(?:data: .*\n\n)*data: \{"jsonrpc":"2.0","method":"session\/update","params":\{"sessionId":"s1","update":\{"sessionUpdate":"x","number":12\}\}\}\n\n$/,
    );
    await reader?.cancel();
  });

  it("ends a client without an event stream, and a client whose connection to the host ends", async () => {
    await using brief = await NetworkStage.open({ goneMs: 20 });
    const lost = await brief.post(initialize);
    await brief.hasClients(0);
    const id = { "Acp-Connection-Id": lost.headers.get("acp-connection-id") ?? "" };
    assert.equal((await brief.post(initialize, id)).status, 404);
    const socket = new WebSocket(stage.url, { headers: authorized });
    await once(socket, "open");
    socket.send(initialize);
    await once(socket, "message");
    stage.host.conductor.hooks.ended("killed");
    assert.equal((await once(socket, "close"))[0], 1001);
  });

  it("keeps messages in the host while a client doesn't read, and lets a client send only what the host takes", async () => {
    const first = await stage.post(initialize);
    const id = { "Acp-Connection-Id": first.headers.get("acp-connection-id") ?? "" };
    await stage.post(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, id);
    await stage.host.conductor.peer.waitFor("session/new");
    for (let count = 0; count < 20; count++) stage.host.conductor.say("x".repeat(100_000));
    assert.equal(stage.pauses, 1);
    stage.isCongested = true;
    let isDone = false;
    const posted = stage
      .post(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`, id)
      .finally(() => (isDone = true));
    for (let turn = 0; turn < 100; turn++) await pass();
    assert.equal(isDone, false);
    stage.drain();
    assert.equal((await posted).status, 202);
  });

  function statusFor(headers: Readonly<Record<string, string>>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      request(stage.url, { headers }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
  }

  async function refusedUpgrade(options: ClientOptions): Promise<number> {
    const socket = new WebSocket(stage.url, options);
    const [error] = (await once(socket, "error").catch((thrown: unknown) => [thrown])) as [Error];
    return Number(/\d{3}$/.exec(error.message)?.[0]);
  }
});

function pass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
