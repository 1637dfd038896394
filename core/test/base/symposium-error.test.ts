import assert from "node:assert/strict";
import { messageOf, SymposiumError } from "../../src/base/symposium-error.js";

describe("SymposiumError", () => {
  it("joins message and hint where one line is shown", () => {
    const cause = new Error("cause");
    const error = new SymposiumError("unknown-proxy", 'No proxy "x".', "Use y.", { cause });
    assert.deepEqual(
      [error.name, error.code, error.message, error.text, error.cause, new SymposiumError("invalid-config", "m").text],
      ["SymposiumError", "unknown-proxy", 'No proxy "x".', 'No proxy "x". Use y.', cause, "m"],
    );
  });
});

describe("messageOf", () => {
  it("has a text for anything that was thrown", () => {
    const thrown = [new SymposiumError("invalid-config", "m", "h"), new TypeError("t"), "text", undefined];
    assert.deepEqual(thrown.map(messageOf), ["m h", "t", "text", "undefined"]);
  });
});
