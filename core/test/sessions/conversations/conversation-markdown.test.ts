import assert from "node:assert/strict";
import { conversationMarkdown } from "../../../src/sessions/conversations/conversation-markdown.js";
import { Talk } from "./talk.js";

describe("a conversation as Markdown", () => {
  const notesOf = (talk: Talk): readonly string[] =>
    [...conversationMarkdown(talk.records)].join("").match(/^_.*_$/gm) ?? [];

  it("says which turns have no recorded end, and nothing of the others", () => {
    assert.deepEqual(notesOf(new Talk().prompt("Begin").say("Done").end()), []);
    assert.deepEqual(notesOf(new Talk().prompt("Begin").say("Half").prompt("Go on").say("Half")), [
      "_This turn was cut off: its end isn't recorded._",
      "_The end of this turn isn't recorded: it was cut off, or is still running._",
    ]);
  });
});
