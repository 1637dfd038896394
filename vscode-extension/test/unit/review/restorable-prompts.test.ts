import assert from "node:assert/strict";
import { applyChange, type Change, newTabState, newTranscript } from "../../../protocol/index.js";
import type { AbilitySession } from "../../../src/acp/client-abilities.js";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import { RestorablePrompts } from "../../../src/features/review/restore/restorable-prompts.js";

const restore = { id: "restore-checkpoint", label: "Restore files", style: "secondary" };

/** A tab with prompts of these ids, and what is published in it. */
function tabWith(...prompts: readonly string[]): { readonly session: AbilitySession; readonly published: Change[] } {
  const transcript = newTranscript(newTabState({ id: "a", name: "A" }));
  const published: Change[] = [];
  for (const id of prompts)
    applyChange(transcript, { op: "put", item: { kind: "user", id, text: id, attachments: [] } });
  const publish = (change: Change): void => {
    published.push(change);
    applyChange(transcript, change);
  };
  const agent = { id: "a", name: "A" };
  return { session: { tabId: "tab", sessionId: "s", agent, roots: [], folders: [], transcript, publish }, published };
}

function offered({ transcript }: AbilitySession): unknown[] {
  return transcript.items.map((item) => [item.id, item.kind === "user" ? item.actions : undefined]);
}

describe("prompts that can be gone back to", () => {
  it("are those after which files were changed", () => {
    const checkpoints = new Checkpoints();
    const { session } = tabWith("first", "second", "third");
    for (const id of ["first", "second"]) checkpoints.promptStarted("tab", id);
    checkpoints.changed("tab", "/file", "before", "after");
    checkpoints.promptStarted("tab", "third");
    new RestorablePrompts(checkpoints).turnEnded(session);
    assert.deepEqual(offered(session), [
      ["first", [restore]],
      ["second", [restore]],
      ["third", undefined],
    ]);
  });

  it("are told once, and no longer when their files are not known any more", () => {
    const checkpoints = new Checkpoints();
    const { session, published } = tabWith("first");
    checkpoints.promptStarted("tab", "first");
    checkpoints.changed("tab", "/file", "before", "after");
    const prompts = new RestorablePrompts(checkpoints);
    prompts.turnEnded(session);
    prompts.turnEnded(session);
    assert.equal(published.length, 1);
    checkpoints.tabClosed("tab");
    prompts.turnEnded(session);
    assert.deepEqual(offered(session), [["first", undefined]]);
  });

  it("offer to undo that their files were put back, as long as that can be done", () => {
    const { session } = tabWith("first", "second");
    let restoredTo: string | undefined = "first";
    const prompts = new RestorablePrompts(new Checkpoints(), () => restoredTo);
    prompts.offer(session);
    const undo = { id: "undo-restore", label: "Undo Restore", style: "secondary" };
    assert.deepEqual(offered(session), [
      ["first", [undo]],
      ["second", undefined],
    ]);
    restoredTo = undefined;
    prompts.offer(session);
    assert.deepEqual(offered(session), [
      ["first", undefined],
      ["second", undefined],
    ]);
  });
});
