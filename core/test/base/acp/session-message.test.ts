import assert from "node:assert/strict";
import { sessionIdOf, updateKindOf } from "../../../src/base/acp/session-message.js";
import { Frame } from "../../../src/base/rpc/frame.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification } from "../../../src/base/rpc/message.js";

function received(params: string): Notification {
  const frame = Frame.scan(`{"jsonrpc":"2.0","method":"session/update","params":${params}}`);
  assert.ok(frame);
  return new Notification("session/update", undefined, frame);
}

describe("the kind of a session update", () => {
  it("is read off the text that came, however it is spaced", () => {
    const texts = [
      `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"plan"}}}`,
      `{ "update" : { "content" : [], "sessionUpdate" : "agent_message_chunk" }, "sessionId" : "s" }`,
    ];
    assert.deepEqual(
      texts.map((text) => updateKindOf(received(text))),
      ["agent_message_chunk", "agent_message_chunk"],
    );
  });

  it("is that of a message made here", () => {
    const update = { sessionUpdate: "plan", entries: [] };
    assert.equal(updateKindOf(Notification.of("session/update", { sessionId: "s", update })), "plan");
  });

  it("is not taken from what somebody says", () => {
    const text = JSON.stringify('"sessionUpdate":"plan"');
    assert.equal(updateKindOf(received(`{"update":{"content":{"text":${text}}}}`)), undefined);
  });

  it("is that of each message of a stream whose starts are alike", () => {
    const kinds = ["agent_message_chunk", "agent_message_chunk", "agent_message", "agent_message_chunk_2", "plan"];
    const updates = kinds.map((kind) => received(`{"sessionId":"s","update":{"sessionUpdate":"${kind}"}}`));
    assert.deepEqual(updates.map(updateKindOf), kinds);
    const ids = ["s", "s", "s2", "", "s"];
    const named = ids.map((id) => Json.of({ sessionId: id, update: {} }));
    assert.deepEqual(named.map(sessionIdOf), ids);
  });

  it("is missing where the update has none", () => {
    const texts = ["{}", `{"update":{"sessionUpdate":null}}`];
    assert.deepEqual(
      texts.map((text) => updateKindOf(received(text))),
      [undefined, undefined],
    );
  });
});

describe("the id of a session", () => {
  it("is found wherever it stands, and only where it is a string", () => {
    const texts = [`{"sessionId":"a"}`, `{"cwd":"/","sessionId":"b\\n"}`, `{"sessionId":1}`, "{}", "[]"];
    assert.deepEqual(
      texts.map((text) => sessionIdOf(Json.ofText(text))),
      ["a", "b\n", undefined, undefined, undefined],
    );
    assert.equal(sessionIdOf(undefined), undefined);
  });
});
