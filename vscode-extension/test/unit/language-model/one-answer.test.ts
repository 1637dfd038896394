import assert from "node:assert/strict";
import { AgentRefusal, type LmPart, type ResponseParams, type ResponseResult } from "@symposium-dev/core";
import { Answers } from "../../../src/features/language-model/one-answer.js";

const agent = { id: "a", name: "An Agent", spec: "agent --acp", configOptions: { model: "small" } };
const never = new AbortController().signal;

function answers(respond: (params: ResponseParams, part: (part: LmPart) => void) => Promise<ResponseResult>): Answers {
  const nothing = (): Promise<void> => Promise.resolve();
  return new Answers({ respond, restart: nothing, [Symbol.asyncDispose]: nothing });
}

describe("a single answer", () => {
  it("comes from a session of its own without tools, and is the text alone", async () => {
    let asked: ResponseParams | undefined;
    await using one = answers((params, part) => {
      asked = params;
      for (const value of ["Hello ", "there."]) part({ type: "text", value });
      part({ type: "thinking", value: "hm" });
      return Promise.resolve({ stopReason: "end_turn" });
    });
    assert.equal(await one.ask({ agent, prompt: "Hi", folder: "/p" }, never), "Hello there.");
    const { conversationId = "", ...rest } = asked ?? {};
    assert.notEqual(conversationId, "");
    assert.deepEqual(rest, {
      modelId: "a",
      agent: "agent --acp",
      messages: [{ role: "user", content: [{ type: "text", value: "Hi" }] }],
      folder: "/p",
      exposure: "raw",
      configOptions: { model: "small" },
    });
  });

  it("is nothing where the user cancels", async () => {
    const cancel = new AbortController();
    await using one = answers((_params, part) => {
      part({ type: "text", value: "Half of" });
      cancel.abort();
      return Promise.resolve({ stopReason: "cancelled" });
    });
    assert.equal(await one.ask({ agent, prompt: "Hi", folder: "/p" }, cancel.signal), undefined);
  });

  it("fails where it is not whole, or the agent wants a sign-in", async () => {
    await using cut = answers((_params, part) => {
      part({ type: "text", value: "Half of" });
      return Promise.resolve({ stopReason: "max_tokens" });
    });
    await assert.rejects(cut.ask({ agent, prompt: "Hi", folder: "/p" }, never), {
      message: "An Agent stopped before its answer was complete (max_tokens).",
    });
    await using signedOut = answers(() => Promise.reject(new AgentRefusal({ code: -32000, message: "no" })));
    await assert.rejects(signedOut.ask({ agent, prompt: "Hi", folder: "/p" }, never), {
      message: "An Agent wants you to sign in.",
    });
  });
});
