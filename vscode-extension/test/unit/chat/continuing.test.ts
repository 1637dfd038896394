import assert from "node:assert/strict";
import { type Draft, type Item, newTabState, newTranscript, type TabState } from "../../../protocol/index.js";
import { ChatTab } from "../../../src/features/chat/chat-tab.js";
import { continuedTab } from "../../../src/features/chat/continuing.js";
import { type TabRecord, TabTranscript } from "../../../src/features/chat/tab-transcript.js";

const other = { id: "other", name: "Other" };
const user = (id: string, text: string): Item => ({ kind: "user", id, text, attachments: [], sentAt: 1 });
const end = (id: string, stopReason: string): Item => ({ kind: "turn-end", id, stopReason });
const answered: readonly Item[] = [
  user("u1", "the word is violet"),
  { kind: "text", id: "t1", text: "Noted." },
  end("e1", "end_turn"),
];

function tabWith(items: readonly Item[], record: Partial<TabRecord> = {}, state: Partial<TabState> = {}): ChatTab {
  const transcript = new TabTranscript(
    newTranscript({ ...newTabState({ id: "scripted", name: "Scripted" }), ...state }),
  );
  for (const item of items) transcript.publish({ op: "put", item });
  return new ChatTab(
    transcript,
    { tabId: "tab", createdAt: 1, ...record },
    {
      converse: () => Promise.reject(new Error("No agent is needed here.")),
      isUpToDate: () => Promise.resolve(true),
      recordChanged: () => undefined,
    },
  );
}

const draftOf = (tab: ChatTab): Draft | undefined => continuedTab(tab, other, "new").record.draft;

describe("a tab in which another agent goes on", () => {
  it("shows what was said, says who goes on, and knows under which session all of it is kept", () => {
    const tab = tabWith(
      answered,
      { sessionId: "s1", isKept: true, folder: "/work" },
      { title: "Violet", folder: "work", options: [{ id: "model", name: "Model", value: "small" }] },
    );
    const { record, transcript } = continuedTab(tab, other, "new");
    const { createdAt: _createdAt, ...rest } = record;
    const from = { agentName: "Scripted", kept: "s1" };
    assert.deepEqual(rest, { tabId: "new", folder: "/work", branch: { isWhole: true, from, options: [] } });
    const { items, state } = transcript.transcript;
    assert.deepEqual(items.slice(0, 3), answered);
    const [notice] = items.slice(3);
    assert.equal(notice?.kind === "notice" && notice.title, "Continuing with Other");
    assert.equal(notice?.kind === "notice" && notice.agentBefore, "Scripted");
    const { agentId, agentName, title, folder, options, phase } = state;
    assert.deepEqual(
      [agentId, agentName, title, folder, options, phase],
      ["other", "Other", "Violet", "work", [], "ready"],
    );
  });

  it("is named after its own agent where the conversation has no title", () => {
    assert.equal(continuedTab(tabWith(answered), other, "new").transcript.transcript.state.title, "Other");
  });

  it("does not look up what is kept only in part, or what another conversation became", () => {
    const part = continuedTab(tabWith(answered, { sessionId: "s1" }), other, "new");
    assert.deepEqual(part.record.branch?.from, { agentName: "Scripted" });
    const from = { agentName: "First", kept: "s0" };
    const unspoken = tabWith(answered, { branch: { isWhole: true, from, options: [] } });
    assert.deepEqual(continuedTab(unspoken, other, "new").record.branch?.from, from);
  });

  it("begins anew where nothing was asked of an agent", () => {
    const { record, transcript } = continuedTab(tabWith([], { sessionId: "s1", isKept: true }), other, "new");
    assert.deepEqual([record.branch, record.sessionId, record.isKept], [undefined, undefined, undefined]);
    assert.deepEqual(transcript.transcript.items, []);
  });

  it("has the prompt that failed, runs or waits as its draft, unless something else is being written", () => {
    const failed = [...answered, user("u2", "fix it"), end("e2", "error")];
    const queue = [{ messageId: "q", text: "later", attachments: [] }];
    const draft = { text: "half a thou", attachments: [] };
    assert.equal(draftOf(tabWith(answered)), undefined);
    assert.equal(draftOf(tabWith(failed))?.text, "fix it");
    assert.equal(draftOf(tabWith([...failed, user("u3", "again"), end("e3", "end_turn")])), undefined);
    assert.equal(draftOf(tabWith([], {}, { queue, phase: "failed" }))?.text, "later");
    assert.deepEqual(draftOf(tabWith(failed, { draft })), draft);
    const running = tabWith(
      [...answered, user("u2", "run it"), { kind: "text", id: "t2", text: "So" }],
      {},
      { phase: "running" },
    );
    const { record, transcript } = continuedTab(running, other, "new");
    assert.equal(record.draft?.text, "run it");
    assert.deepEqual(transcript.transcript.items.slice(0, -1), answered);
  });

  it("offers nothing that only the other agent can do", () => {
    const card: Item = {
      kind: "notice",
      id: "card",
      severity: "error",
      title: "Scripted could not answer",
      actions: [{ id: "retry", label: "Try again" }],
    };
    const signIn: Item = {
      kind: "authentication",
      id: "a",
      agentName: "Scripted",
      reason: "Who?",
      methods: [],
      state: "waiting",
    };
    const { items } = continuedTab(tabWith([...answered, card, signIn]), other, "new").transcript.transcript;
    assert.deepEqual(items[3], { ...card, actions: [] });
    assert.ok(!items.some(({ kind }) => kind === "authentication"));
  });
});
