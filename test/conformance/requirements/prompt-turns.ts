import assert from "node:assert/strict";
import { sampleContent } from "@symposium-dev/core/testing";
import { type Requirement, saidLines, transcript } from "../requirement.js";

/** A turn of these commands, whose answer and updates must be as they are without us. */
function turn(
  id: string,
  title: string,
  commands: readonly string[],
  expected: { isError?: boolean; text: RegExp },
): Requirement {
  return {
    id,
    tier: "mandatory",
    title,
    async check(client) {
      const sessionId = await client.newSession();
      const { isError, text } = await client.prompt(sessionId, ...commands);
      assert.equal(isError, expected.isError ?? false, text);
      assert.match(text, expected.text);
      return [text, ...transcript(client, sessionId)];
    },
  };
}

/** Content blocks of every kind, one unknown, and a text with a command. */
const blocks = [
  ...sampleContent.filter(({ type }) => type !== "text"),
  { type: "_test_hologram", depth: 3 },
  { type: "text", text: "echo arrived", annotations: { audience: ["user"], priority: 0.5 }, _meta: { a: 1 } },
];

/** Requirements for the content of prompts and the end of turns. */
export const promptTurns: readonly Requirement[] = [
  turn("ACP-PROMPT-001", "ends a turn with its stop reason, after its updates", ["echo hello"], { text: /"end_turn"/ }),
  turn("ACP-PROMPT-002", "gives back the token usage of a turn", ["usage"], { text: /"usage":\{"totalTokens":30/ }),
  turn("ACP-PROMPT-003", "gives back an error with its data", ["error -32000 Authentication required"], {
    isError: true,
    text: /^\{"code":-32000,"message":"Authentication required","data":\{/,
  }),
  turn("ACP-PROMPT-004", "gives back an error of a code that nobody knows", ["error 7 odd"], {
    isError: true,
    text: /^\{"code":7,"message":"odd","data":\{/,
  }),
  turn("ACP-PROMPT-005", "gives back a null result", ["null_result"], { text: /^null$/ }),
  turn("ACP-PROMPT-006", "gives back the agent's refusal of a prompt", ["no-such-command"], {
    isError: true,
    text: /^\{"code":-32602,/,
  }),
  {
    id: "ACP-PROMPT-007",
    tier: "mandatory",
    title: "carries content blocks of every kind byte for byte",
    async check(client) {
      const sessionId = await client.newSession();
      const params = JSON.stringify({ sessionId, prompt: blocks, messageId: "m-1", _meta: { trace: "t" } });
      const { text } = await client.request("session/prompt", params);
      assert.equal(text, '{"stopReason":"end_turn"}');
      assert.deepEqual(saidLines(client, sessionId), ["arrived"]);
      assert.ok((await client.receivedByAgent()).includes(`"method":"session/prompt","params":${params}}`));
    },
  },
  {
    id: "ACP-PROMPT-008",
    tier: "mandatory",
    title: "takes one turn after another in a session",
    async check(client) {
      const sessionId = await client.newSession();
      for (const word of ["one", "two", "three"]) await client.prompt(sessionId, `echo ${word}`);
      assert.deepEqual(saidLines(client, sessionId), ["one", "two", "three"]);
    },
  },
];
