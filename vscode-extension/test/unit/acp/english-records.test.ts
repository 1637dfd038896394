import * as l10n from "@vscode/l10n";
import assert from "node:assert/strict";
import { applyChange, type Item, newTabState, newTranscript, type Transcript } from "../../../protocol/index.js";
import { transcriptLines } from "../../../src/acp/transcript-records.js";

const form = { kind: "elicitation", message: "Who?", mode: "form" } as const;
const request = {
  kind: "permission",
  agentName: "Agent",
  toolCallId: "call",
  toolKind: "execute",
} as const;
const details = { locations: [], content: [], warnings: [] };
const options = [{ optionId: "once", name: "Once", kind: "allow_once" }];

const items: readonly Item[] = [
  {
    kind: "user",
    id: "u",
    text: "Look.",
    attachments: [
      { type: "problems", label: "Probleme" },
      { type: "git-diff", label: "Änderungen" },
      { type: "text", label: "Alle Änderungen", title: "All changes", text: "x" },
    ],
    sentAt: 1,
  },
  { ...request, ...details, id: "p1", title: "npm test", options, answer: { label: "Einmal", optionId: "once" } },
  { ...request, ...details, id: "p2", title: "npm ci", options, answer: { label: "Abgebrochen" } },
  { ...form, id: "f1" },
  { ...form, id: "f2", answer: { action: "accept", summary: "Gesendet: name", fields: ["name"] } },
  { ...form, id: "f3", answer: { action: "decline", summary: "Abgelehnt" } },
  { ...form, id: "f4", answer: { action: "cancel", summary: "Die Sitzung ist beendet" } },
  { ...form, id: "f5", mode: "url", answer: { action: "accept", summary: "Fertig" } },
  { kind: "turn-end", id: "e", stopReason: "end_turn" },
];

function transcript(): Transcript {
  const made = newTranscript(newTabState({ id: "agent", name: "Agent" }));
  for (const item of items) applyChange(made, { op: "put", item });
  return made;
}

describe("a transcript whose texts are translated", () => {
  before(() => l10n.config({ contents: { "Not answered": "Nicht beantwortet", Cancelled: "Abgebrochen" } }));
  after(() => l10n.config({ contents: {} }));

  it("is stored in English", () => {
    const lines = [...transcriptLines(transcript(), { session: "s", cwd: "/", agent: "Agent", started: 0 })];
    const records = lines.map((line) => JSON.parse(line) as Record<string, Record<string, Record<string, unknown>>>);
    const titles = records.flatMap(({ prompt }) => Object.values(prompt ?? {}).map(({ text }) => text));
    assert.deepEqual(titles, ["Look.", "Problems:\n", "Changes:\n", "All changes:\nx"]);
    const notices = records.flatMap(({ update }) => update?.["update"]?.["description"] ?? []);
    assert.deepEqual(notices, ["Not answered", "Sent: name", "Declined", "Cancelled", "Opened in the browser"]);
  });
});
