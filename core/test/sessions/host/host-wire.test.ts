import assert from "node:assert/strict";
import { readBridgeLine, readBridgeRequest, readHello, readHostLine } from "../../../src/sessions/host/host-wire.js";

describe("the first line of a connection to the host", () => {
  const client = { kind: "client", token: "t", words: ["zed", "run", "--agent", "a"], cwd: "/w", env: { A: "1" } };

  it("is read for each kind, without what the host does not know", () => {
    assert.deepEqual(readHello(JSON.stringify({ ...client, more: 1 })), client);
    assert.deepEqual(readHello(`{"kind":"stop","token":"t"}`), { kind: "stop", token: "t" });
    const stop = { kind: "stop-session", token: "t", sessionId: "s", cwd: "/w" };
    assert.deepEqual(readHello(JSON.stringify(stop)), stop);
    assert.deepEqual(readHello(JSON.stringify({ ...stop, ends: true, more: 1 })), { ...stop, ends: true });
    assert.equal(readHello(JSON.stringify({ ...stop, cwd: undefined })), undefined);
  });

  it("says whether the client is on another machine", () => {
    const away = { ...client, remote: { folder: "/srv" } };
    assert.deepEqual(readHello(JSON.stringify({ ...away, remote: { folder: "/srv", more: 1 } })), away);
    assert.deepEqual(readHello(JSON.stringify({ ...client, remote: {} })), { ...client, remote: {} });
  });

  it("is another one to a bridge, which tells its version first", () => {
    const request = { kind: "client", words: ["run"], folder: "project" };
    assert.deepEqual(readBridgeRequest(JSON.stringify({ ...request, env: {} })), request);
    assert.deepEqual(readBridgeRequest(`{"kind":"status"}`), { kind: "status" });
    const stop = { kind: "stop-session", sessionId: "s", cwd: "/w" };
    assert.deepEqual(readBridgeRequest(JSON.stringify({ ...stop, token: "t" })), stop);
    assert.deepEqual([readBridgeRequest("{}"), readBridgeRequest(`{"kind":"stop"}`)], [undefined, undefined]);
    const lines = [`\0{"kind":"bridge","version":"1.2.3"}`, `{"kind":"bridge","version":"1.2.3"}`, "Welcome!"];
    const first = { kind: "bridge", version: "1.2.3", isCopy: false };
    assert.deepEqual(lines.map(readBridgeLine), [first, undefined, undefined]);
    assert.equal(readBridgeLine(`\0${JSON.stringify({ ...first, isCopy: true })}`)?.isCopy, true);
    assert.deepEqual(readBridgeLine(`\u001b]0;build\u0007Welcome! ${lines[0]}`), first);
  });

  it("is refused without a token, for other subcommands and for what is no JSON", () => {
    const { token: _token, ...anonymous } = client;
    for (const line of [anonymous, { ...client, words: ["zed", "install"] }, { ...client, words: ["chat"] }]) {
      assert.equal(readHello(JSON.stringify(line)), undefined);
    }
    assert.deepEqual([readHello("GET / HTTP/1.1"), readHello("")], [undefined, undefined]);
  });

  it("is answered by lines that the client reads", () => {
    assert.deepEqual(readHostLine(`{"kind":"exit","code":3,"reason":"over"}`), {
      kind: "exit",
      code: 3,
      reason: "over",
    });
    assert.deepEqual(readHostLine(`{"kind":"later"}`), undefined);
  });
});
