import assert from "node:assert/strict";
import { applyChange, type Item, newTabState, newTranscript, type Transcript } from "../../../protocol/index.js";
import { toJson, toMarkdown } from "../../../src/features/history/transcript-export.js";

const items: readonly Item[] = [
  {
    kind: "user",
    id: "u",
    text: "Fix it",
    attachments: [{ type: "file", uri: "file:///main.ts", label: "main.ts" }],
    sentAt: 1,
  },
  { kind: "thought", id: "h", text: "Let me see.\nYes.", startedAt: 1, endedAt: 2 },
  {
    kind: "tool",
    id: "t",
    title: "Edit main.ts",
    toolKind: "edit",
    status: "completed",
    locations: [],
    content: [
      { type: "diff", path: "main.ts", patch: "-a\n+b", added: 1, removed: 1, isNewFile: false, isCut: false },
      { type: "content", block: { type: "text", text: "```ts\nb\n```" } },
    ],
    startedAt: 1,
    endedAt: 2,
  },
  { kind: "text", id: "a", text: "Done.\n" },
  { kind: "turn-end", id: "e", stopReason: "end_turn" },
];

function transcript(): Transcript {
  const made = newTranscript({ ...newTabState({ id: "eliza", name: "Eliza" }), title: "A fix" });
  for (const item of items) applyChange(made, { op: "put", item });
  applyChange(made, { op: "terminal", terminalId: "shell", text: "ok\n", exit: { code: 0, signal: null } });
  return made;
}

describe("an exported session", () => {
  it("reads as Markdown, with fences that their content does not end", () => {
    const expected = [
      "# A fix",
      "Agent: Eliza",
      "## You\n\nFix it\n\n- main.ts",
      "> Thought: Let me see.\n> Yes.",
      "### Edit main.ts (edit, completed)",
      "main.ts",
      "```diff\n-a\n+b\n```",
      "````\n```ts\nb\n```\n````",
      "## Eliza\n\nDone.\n",
    ];
    assert.equal(toMarkdown(transcript()), expected.join("\n\n"));
  });

  it("is whole as JSON", () => {
    assert.deepEqual(JSON.parse(toJson(transcript())), {
      title: "A fix",
      agentId: "eliza",
      agentName: "Eliza",
      items,
      terminals: [{ terminalId: "shell", text: "ok\n", dropped: 0, exit: { code: 0, signal: null } }],
    });
  });
});
