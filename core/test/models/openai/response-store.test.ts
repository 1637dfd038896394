import assert from "node:assert/strict";
import type { ChatMessage } from "../../../src/models/openai/chat-message.js";
import { ErrorResponse } from "../../../src/models/openai/error-response.js";
import { ResponseStore } from "../../../src/models/openai/response-store.js";

function said(text: string): readonly ChatMessage[] {
  return [{ role: "user", parts: [{ kind: "text", text }] }];
}

function keptIn(store: ResponseStore, ...ids: readonly string[]): readonly string[] {
  return ids.filter((id) => {
    try {
      store.messagesOf(id);
      return true;
    } catch (failure) {
      assert.ok(failure instanceof ErrorResponse);
      assert.deepEqual([failure.status, failure.code], [400, "previous_response_not_found"]);
      return false;
    }
  });
}

describe("the answers that requests may go on from", () => {
  it("have the messages that led to them", () => {
    const store = new ResponseStore();
    store.keep("a", said("Hello"));
    assert.deepEqual(store.messagesOf("a"), said("Hello"));
  });

  it("are bounded in number: the oldest are forgotten", () => {
    const store = new ResponseStore({ mostAnswers: 2, mostCharacters: 100 });
    for (const id of ["a", "b", "c"]) store.keep(id, said(id));
    assert.deepEqual(keptIn(store, "a", "b", "c"), ["b", "c"]);
  });

  it("are bounded in size, images included", () => {
    const store = new ResponseStore({ mostAnswers: 10, mostCharacters: 100 });
    store.keep("a", said("x".repeat(60)));
    store.keep("b", [{ role: "user", parts: [{ kind: "image", mimeType: "image/png", data: "A".repeat(50) }] }]);
    assert.deepEqual(keptIn(store, "a", "b"), ["b"]);
    store.keep("c", said("x".repeat(101)));
    assert.deepEqual(keptIn(store, "b", "c"), []);
    store.keep("d", said("x".repeat(100)));
    assert.deepEqual(keptIn(store, "d"), ["d"]);
  });
});
