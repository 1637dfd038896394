import assert from "node:assert/strict";
import {
  sampleContent,
  sampleToolCalls,
  stableUpdates,
  unknownUpdates,
  unstableUpdates,
} from "@symposium-dev/core/testing";
import { type Requirement, transcript, updateTexts } from "../requirement.js";

const stringify = (value: unknown): string => JSON.stringify(value);

/** The updates of one command arrive as the agent sent them, all of them before the answer. */
function arriving(
  { id, tier, title }: Pick<Requirement, "id" | "tier" | "title">,
  command: string,
  expected: readonly unknown[],
): Requirement {
  return {
    id,
    tier,
    title,
    async check(client) {
      const sessionId = await client.newSession();
      const { receivedBefore } = await client.prompt(sessionId, command);
      const texts = updateTexts(client, sessionId);
      assert.equal(receivedBefore, texts.length);
      const wanted = expected.map(stringify);
      assert.deepEqual(
        texts.filter((text) => wanted.includes(text)),
        wanted,
      );
      return transcript(client, sessionId);
    },
  };
}

const contentChunks = sampleContent.map((content) => ({ sessionUpdate: "agent_message_chunk", content }));

/** Requirements for the agent's updates during a turn. */
export const updates: readonly Requirement[] = [
  arriving({ id: "ACP-UPDATE-001", tier: "mandatory", title: "carries every stable kind" }, "updates", stableUpdates),
  arriving(
    { id: "ACP-UPDATE-002", tier: "advisory", title: "carries every unstable kind" },
    "updates",
    unstableUpdates,
  ),
  arriving(
    { id: "ACP-UPDATE-003", tier: "mandatory", title: "carries unknown kinds, unknown members and _meta" },
    "updates",
    unknownUpdates,
  ),
  arriving(
    { id: "ACP-UPDATE-004", tier: "mandatory", title: "carries every kind of content" },
    "content",
    contentChunks,
  ),
  arriving(
    { id: "ACP-UPDATE-005", tier: "mandatory", title: "carries every kind of tool call" },
    "tool_calls",
    sampleToolCalls,
  ),
  arriving({ id: "ACP-UPDATE-006", tier: "mandatory", title: "carries a plan as it proceeds" }, "plan", []),
  {
    id: "ACP-UPDATE-007",
    tier: "mandatory",
    title: "keeps the order of 2000 updates, and the answer behind them",
    async check(client) {
      const sessionId = await client.newSession();
      const { receivedBefore } = await client.prompt(sessionId, "stream 2000 40");
      assert.equal(receivedBefore, 2000);
      const numbers = updateTexts(client, sessionId).map((text) => Number(/"text":"(\d+) /.exec(text)?.[1]));
      assert.deepEqual(
        numbers,
        Array.from({ length: 2000 }, (_, index) => index + 1),
      );
    },
  },
];
