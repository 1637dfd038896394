import assert from "node:assert/strict";
import { changeDiff, commentsPrompt } from "../../../src/features/review/comments/comments-prompt.js";
import { FileReview } from "../../../src/features/review/hunks/file-review.js";
import { type CommentThread, ReviewComments } from "../../../src/features/review/comments/review-comments.js";

/** A file in which an agent changed the third line of four. */
function changedFile(): FileReview {
  const review = new FileReview("one\ntwo\nthree\nfour\n");
  review.agentChanged("one\ntwo\ndrei\nfour\n");
  return review;
}

function placeIn(review: FileReview) {
  const [hunk] = review.hunks;
  assert.ok(hunk);
  const { start } = hunk;
  return {
    path: "/p/a.ts",
    start,
    end: start,
    hunk: { id: hunk.id, offset: 0 },
    diff: changeDiff(hunk, start, start),
    tabIds: ["tab"],
  };
}

describe("comments on changes", () => {
  let changed: string[];
  let comments: ReviewComments;
  beforeEach(() => {
    changed = [];
    comments = new ReviewComments(
      (id) => changed.push(id),
      () => 1_000,
    );
  });

  const texts = (threads: readonly CommentThread[]): string[][] =>
    threads.map((thread) => thread.comments.map(({ text }) => text));

  it("are collected, changed and removed, and each time told", () => {
    const id = comments.begin(placeIn(changedFile()), "why?");
    comments.reply(id, "and how?");
    const [first, second] = comments.thread(id)?.comments ?? [];
    comments.edit(id, first?.id ?? "", "why German?");
    assert.deepEqual(texts(comments.unsent), [["why German?", "and how?"]]);
    comments.remove(id, second?.id);
    assert.deepEqual(texts(comments.unsent), [["why German?"]]);
    comments.remove(id, first?.id);
    assert.deepEqual([comments.threads, new Set(changed)], [[], new Set([id])]);
    assert.equal(changed.length, 5);
  });

  it("are sent once; what is written or changed meanwhile waits for the next time", () => {
    const id = comments.begin(placeIn(changedFile()), "first");
    comments.reply(id, "second");
    const sent = comments.unsent;
    comments.edit(id, sent[0]?.comments[1]?.id ?? "", "second, better");
    comments.reply(id, "third");
    comments.markSent(sent, "Eliza");
    assert.deepEqual(texts(comments.unsent), [["second, better", "third"]]);
    assert.equal(comments.thread(id)?.comments[0]?.sentTo, "Eliza");
    comments.edit(id, sent[0]?.comments[0]?.id ?? "", "first");
    assert.equal(comments.thread(id)?.comments[0]?.sentTo, "Eliza");
    comments.edit(id, sent[0]?.comments[0]?.id ?? "", "first, once more");
    assert.deepEqual(texts(comments.unsent), [["first, once more", "second, better", "third"]]);
  });

  it("move with their change, and stay where they were when it is gone", () => {
    const review = changedFile();
    const id = comments.begin(placeIn(review), "why?");
    review.userChanged(`mine\nmine\n${review.current ?? ""}`);
    comments.fileChanged("/p/a.ts", review);
    assert.deepEqual([comments.thread(id)?.start, comments.thread(id)?.end], [4, 4]);
    review.keepAll();
    comments.fileChanged("/p/a.ts", review);
    assert.deepEqual([comments.thread(id)?.start, texts(comments.unsent)], [4, [["why?"]]]);
  });

  it("end with the review of their file when they are sent", () => {
    const review = changedFile();
    comments.begin(placeIn(review), "why?");
    comments.markSent(comments.unsent, "Eliza");
    comments.fileChanged("/p/a.ts", review);
    assert.equal(comments.threads.length, 1);
    review.keepAll();
    comments.fileChanged("/p/a.ts", review);
    assert.deepEqual(comments.threads, []);
  });

  it("are taken up again as they were stored", () => {
    comments.begin(placeIn(changedFile()), "why?");
    const next = new ReviewComments(() => assert.fail("nothing has changed"));
    next.load(JSON.parse(JSON.stringify(comments.threads)) as CommentThread[]);
    assert.deepEqual(next.unsent, comments.unsent);
  });
});

describe("the prompt of comments on changes", () => {
  it("has the path, the lines, the change and the words of each, by file and line", () => {
    const comments = new ReviewComments(() => undefined);
    const place = placeIn(changedFile());
    comments.begin(
      { ...place, path: "/p/b.ts", start: 9, end: 11, diff: "@@ -9,0 +10,1 @@\n+```" },
      "no fence, please",
    );
    const id = comments.begin(place, "Why German?");
    comments.reply(id, "The others are English.");
    assert.equal(
      commentsPrompt(comments.unsent, (path) => path.slice("/p/".length)),
      [
        "My comments on your changes:",
        "### 1. a.ts, line 3",
        "```diff\n@@ -3,1 +3,1 @@\n-three\n+drei\n```",
        "Why German?",
        "The others are English.",
        "### 2. b.ts, lines 10 to 12",
        "````diff\n@@ -9,0 +10,1 @@\n+```\n````",
        "no fence, please",
      ].join("\n\n"),
    );
  });

  it("has the lines around the comment of a long change", () => {
    const review = new FileReview(null);
    review.agentChanged(Array.from({ length: 500 }, (_, at) => `line ${at + 1}\r\n`).join(""));
    const [hunk] = review.hunks;
    assert.ok(hunk);
    const lines = changeDiff(hunk, 299, 300).split("\n");
    assert.deepEqual(
      [lines[0], lines[1], lines.at(-2), lines.at(-1)],
      ["@@ -0,0 +295,12 @@", "+line 295", "+line 306", "\\ 488 more lines of this change"],
    );
  });
});
