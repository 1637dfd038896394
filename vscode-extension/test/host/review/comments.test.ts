import assert from "node:assert/strict";
import * as vscode from "vscode";
import { CommentThreads } from "../../../src/features/review/comments/comment-threads.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { programWriter } from "../../../src/features/review/turns/writer-id.js";

describe("comments on changes, in the extension host", () => {
  it("are edited also where the user presses on one that another has taken the place of since", () => {
    const threads = new CommentThreads({
      book: new ReviewBook(),
      delivery: { tabFor: () => undefined, send: () => Promise.resolve("Eliza") },
      isMarked: () => true,
      changed: () => undefined,
    });
    // Thread in the form that VS Code passes with a reply.
    const thread = { uri: vscode.Uri.file("/p/a.ts"), range: new vscode.Range(0, 0, 0, 0), comments: [] };
    const shown = thread as Partial<vscode.CommentThread> as vscode.CommentThread;
    threads.add({ thread: shown, text: "the first" });
    const [drawn] = shown.comments;
    threads.add({ thread: shown, text: "the second" });
    threads.edit(drawn);
    assert.deepEqual(
      shown.comments.map(({ body, mode }) => [body, mode]),
      [
        ["the first", vscode.CommentMode.Editing],
        ["the second", vscode.CommentMode.Preview],
      ],
    );
    threads.dispose();
  });

  it("say whose change they are on, which need not be an agent's", () => {
    const book = new ReviewBook();
    book.agentChanged(programWriter, "/p/a.ts", "one\n", "two\n");
    const threads = new CommentThreads({
      book,
      delivery: { tabFor: () => undefined, send: () => Promise.resolve("Eliza") },
      isMarked: () => true,
      changed: () => undefined,
    });
    const thread = { uri: vscode.Uri.file("/p/a.ts"), range: new vscode.Range(0, 0, 0, 0), comments: [] };
    const shown = thread as Partial<vscode.CommentThread> as vscode.CommentThread;
    threads.add({ thread: shown, text: "why?" });
    assert.equal(shown.label, "On a change by another program");
    threads.dispose();
  });
});
