import assert from "node:assert/strict";
import { FileReview } from "../../../src/features/review/hunks/file-review.js";
import { anchorOf } from "../../../src/features/review/hunks/hunk-anchor.js";
import { type CommentThread, ReviewComments } from "../../../src/features/review/comments/review-comments.js";

const path = "/p/a.ts";
const places = ["one", "two", "three", "four"];

/** Text that each of the equal changes adds below its place. */
const change = "new\nlines\nof the agent\n";
const original = places.map((place) => `${place}\n\n`).join("");
const changed = places.map((place) => `${place}\n${change}\n`).join("");

/** A file with four equal changes, and a comment on the second line of each. */
class Commented {
  review = new FileReview(original);
  comments = new ReviewComments(() => undefined);

  constructor() {
    this.review.agentChanged(changed);
    for (const [at, hunk] of this.review.hunks.entries()) {
      const line = hunk.start + 1;
      const place = { path, start: line, end: line, hunk: anchorOf(hunk, line), diff: "", tabIds: [] };
      this.comments.begin(place, places[at] ?? "", places[at] ?? "", this.review);
    }
  }

  /** Keeps or undoes the change below a place. */
  answer(place: string, answer: "keep" | "undo"): void {
    const lines = this.lines;
    const hunk = this.review.hunks.find(({ start }) => lines[start - 1] === place);
    assert.ok(hunk, place);
    this.review[answer](hunk.id);
    this.comments.fileChanged(path, this.review);
  }

  edit(text: string): void {
    this.review.userChanged(text);
    this.comments.fileChanged(path, this.review);
  }

  /** What is stored is taken up again; `now` is the file then. */
  reload(now: string = this.text): void {
    const { baseline, current, written } = this.review;
    const threads = JSON.parse(JSON.stringify(this.comments.threads)) as CommentThread[];
    this.review = new FileReview(baseline, current, written);
    this.review.userChanged(now);
    this.comments = new ReviewComments(() => undefined);
    this.comments.load(threads, [{ path, baseline, current }]);
    this.comments.fileChanged(path, this.review);
  }

  get text(): string {
    return this.review.current ?? "";
  }

  get lines(): string[] {
    return this.text.split("\n");
  }

  /** The place above each comment, by the one that it was written for. */
  get commented(): Record<string, string | undefined> {
    return Object.fromEntries(this.comments.threads.map(({ id, start }) => [id, this.lines[start - 2]]));
  }
}

function orders<T>(of: readonly T[]): T[][] {
  return of.length === 0
    ? [[]]
    : of.flatMap((first) => orders(of.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}

/** Each comment whose change is still there is on it. */
function assertOwn(file: Commented, answered: readonly string[], said: string): void {
  const left = places.filter((place) => !answered.includes(place));
  const { commented } = file;
  assert.deepEqual(
    left.map((place) => commented[place]),
    left,
    said,
  );
}

describe("comments on equal changes", () => {
  it("stay each at its own, whichever are kept or undone, in any order, also when the window is reloaded", () => {
    for (const order of orders(places))
      for (let answers = 0; answers < 2 ** places.length; answers++) {
        const file = new Commented();
        for (const [at, place] of order.entries()) {
          const answer = (answers >> at) % 2 === 0 ? "keep" : "undo";
          file.answer(place, answer);
          if (at % 2 === 1) file.reload();
          assertOwn(file, order.slice(0, at + 1), `${order.join(" ")} ${answers.toString(2)}`);
        }
      }
  });

  it("stay each at its own when the user edits above, between and below them, at once or while the window is closed", () => {
    const edits = (text: string): string =>
      `mine\nmine\n${text}`.replace("three\n", "mine\n\nthree\n").replace(/$/u, "mine\n");
    for (const isClosed of [false, true])
      for (const place of places) {
        const file = new Commented();
        file.answer(place, "undo");
        if (isClosed) file.reload(edits(file.text));
        else file.edit(edits(file.text));
        assertOwn(file, [place], place);
        const [next = ""] = places.filter((one) => one !== place);
        file.answer(next, "keep");
        assertOwn(file, [place, next], `${place} ${next}`);
      }
  });

  it("stay each at its own when the user removes one, or writes into it, and go back when that is taken back", () => {
    for (const place of places)
      for (const instead of ["", change.replace("lines", "words")]) {
        const file = new Commented();
        const { commented } = file;
        file.edit(changed.replace(`${place}\n${change}`, `${place}\n${instead}`));
        assertOwn(file, [place], place);
        file.edit(changed);
        assert.deepEqual(file.commented, commented, place);
      }
  });

  it("stay each at its own when the agent makes one more, or takes one back", () => {
    const file = new Commented();
    file.review.agentChanged(`zero\n${change}\n${changed}`);
    file.comments.fileChanged(path, file.review);
    assertOwn(file, [], "more");
    file.review.agentChanged(changed.replace(`two\n${change}`, "two\n"));
    file.comments.fileChanged(path, file.review);
    assertOwn(file, ["two"], "less");
  });

  it("stay where they were when theirs is answered, also where an equal one comes to another place", () => {
    const file = new Commented();
    file.answer("one", "keep");
    const before = file.commented["one"];
    for (const place of ["two", "three", "four"]) file.answer(place, "undo");
    file.reload();
    file.review.agentChanged(`${file.text}five\n${change}\n`);
    file.comments.fileChanged(path, file.review);
    assert.deepEqual([before, file.commented["one"]], ["one", "one"]);
  });

  it("are found again by their order where an earlier version has stored them", () => {
    const file = new Commented();
    const threads = file.comments.threads.map(({ hunk, ...thread }) => ({
      ...thread,
      ...(hunk && { hunk: { id: hunk.id, offset: hunk.offset } }),
    }));
    file.review.userChanged(`mine\n${changed}`);
    file.comments = new ReviewComments(() => undefined);
    file.comments.load(threads);
    file.comments.fileChanged(path, file.review);
    assertOwn(file, [], "stored before");
    file.answer("one", "undo");
    assertOwn(file, ["one"], "answered then");
  });
});
