import assert from "node:assert/strict";
import { ReviewBook } from "../../../src/features/review/review-book.js";

describe("the book of reviews", () => {
  it("forgets the files without changes that were changed first, and none that waits for an answer", () => {
    const book = new ReviewBook();
    const path = (at: number): string => `/work/${at}.txt`;
    for (let at = 0; at < 700; at++) {
      book.agentChanged("tab", path(at), "before\n", "after\n");
      if (at >= 10) book.keep(path(at));
    }
    // This one is the latest again.
    book.agentChanged("tab", path(210), "after\n", "once more\n");
    book.keep(path(210));
    book.agentChanged("tab", path(700), "before\n", "after\n");
    const all = Array.from({ length: 701 }, (_, at) => path(at));
    assert.deepEqual(new Set(book.paths()), new Set([...all.slice(0, 10), path(210), ...all.slice(212)]));
    assert.deepEqual(
      book.files().map((file) => file.path),
      [...all.slice(0, 10), path(700)],
    );
  });

  it("names only those who made the changes that wait, after earlier ones were kept or undone", () => {
    const book = new ReviewBook();
    const path = "/work/a.txt";
    const writers = (): string[] => book.files().flatMap(({ tabIds }) => [...tabIds]);
    book.agentChanged("agent", path, "a\n", "b\n");
    book.keep(path);
    book.agentChanged("program", path, "b\n", "c\n");
    const afterKeep = writers();
    book.undo(path);
    book.agentChanged("agent", path, "b\n", "d\n");
    const afterUndo = writers();
    book.keep(path);
    const [before, after] = [{ mode: 0o644 }, { mode: 0o755 }];
    book.attributesChanged("program", path, "d\n", { before, after, changedAtMs: undefined });
    assert.deepEqual([afterKeep, afterUndo, writers()], [["program"], ["agent"], ["program"]]);
  });

  it("undoes to the text before a deletion also where it is told twice that something came in its place", () => {
    const book = new ReviewBook();
    book.agentChanged("tab", "/work/a.txt", "before\n", null);
    for (let told = 0; told < 2; told++) book.agentChanged("tab", "/work/a.txt", null, "\0link elsewhere");
    assert.equal(book.undo("/work/a.txt")?.text, "before\n");
  });
});
