import assert from "node:assert/strict";
import fc from "fast-check";
import { FileReview } from "../../../src/features/review/hunks/file-review.js";
import { splitLines } from "../../../src/features/review/hunks/hunks.js";

const original = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

function ids(review: FileReview): string[] {
  return review.hunks.map(({ id }) => id);
}

/** The nth change, which a test knows to be there. */
function hunkId(review: FileReview, index: number): string {
  const id = ids(review)[index];
  assert.ok(id !== undefined, `there is a change ${index}`);
  return id;
}

describe("a file under review", () => {
  it("shows each change of the agent with its lines", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n2\n").replace("nine\n", ""));
    assert.deepEqual(
      review.hunks.map(({ start, removed, added }) => ({ start, removed, added })),
      [
        { start: 1, removed: ["two\n"], added: ["TWO\n", "2\n"] },
        { start: 9, removed: ["nine\n"], added: [] },
      ],
    );
    assert.deepEqual(review.counts, { added: 2, removed: 2 });
  });

  it("undoes one change and leaves the other", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n").replace("nine\n", "NINE\n"));
    assert.equal(review.undo(hunkId(review, 0)).text, original.replace("nine\n", "NINE\n"));
    assert.equal(review.hunks.length, 1);
  });

  it("keeps one change so that undoing all leaves it in", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n").replace("nine\n", "NINE\n"));
    assert.equal(review.keep(hunkId(review, 0)), true);
    assert.equal(review.undo().text, original.replace("two\n", "TWO\n"));
    assert.equal(review.isReviewed, true);
  });

  it("keeps the id of a change while the file grows above it", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("nine\n", "NINE\n"));
    const [before] = ids(review);
    review.userChanged(`zero\n${review.current ?? ""}`);
    assert.deepEqual(ids(review), [before]);
  });

  it("refuses the second of two answers to one of several equal changes: the others are not meant", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "two\nnew\n").replace("nine\n", "nine\nnew\n"));
    const first = hunkId(review, 0);
    const answers = [review.undo(first).undone, review.undo(first).undone, review.keep(first)];
    assert.deepEqual([answers, review.current], [[1, 0, false], original.replace("nine\n", "nine\nnew\n")]);
  });

  it("refuses an answer to a change that has changed meanwhile", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n"));
    const old = hunkId(review, 0);
    review.agentChanged(original.replace("two\n", "Two\n"));
    const { undone, refused } = review.undo(old);
    assert.deepEqual([undone, refused], [0, 0]);
    assert.equal(review.keep(old), false);
  });

  it("does not take back what the user wrote elsewhere", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n2\n"));
    review.userChanged((review.current ?? "").replace("eight\n", "EIGHT\n8\n").replace("four\n", ""));
    assert.equal(review.hunks.length, 1);
    assert.equal(review.undo().text, original.replace("eight\n", "EIGHT\n8\n").replace("four\n", ""));
  });

  it("makes a user's edit inside a change part of that change", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n2\n"));
    review.userChanged((review.current ?? "").replace("2\n", "zwei\n"));
    assert.deepEqual(
      review.hunks.map(({ added }) => added),
      [["TWO\n", "zwei\n"]],
    );
  });

  it("refuses to undo a change that holds words of the user's, and undoes the others", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n2\n").replace("nine\n", "NINE\n"));
    review.userChanged((review.current ?? "").replace("2\n", "zwei\n"));
    const { text, undone, refused } = review.undo();
    assert.deepEqual(
      [text, undone, refused, review.hunks.map(({ isMixed }) => isMixed)],
      [original.replace("two\n", "TWO\nzwei\n"), 1, 1, [true]],
    );
  });

  it("undoes a change with the user's words in it when the user wants both undone, and leaves the others", () => {
    const review = new FileReview("one\ntwo\nthree\nfour\nfive\n");
    review.agentChanged("ONE\ntwo\nthree\nfour\nFIVE\n");
    review.userChanged("ONE mine\ntwo\nthree\nfour\nFIVE\n");
    const [mixed] = review.hunks;
    const { text, undone, refused } = review.undo(mixed?.id, true);
    assert.deepEqual([text, undone, refused], ["one\ntwo\nthree\nfour\nFIVE\n", 1, 0]);
    assert.deepEqual([review.undo().text, review.isReviewed], ["one\ntwo\nthree\nfour\nfive\n", true]);
  });

  it("undoes a change right beside lines of the user's and keeps these", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "two\nagent\n"));
    review.userChanged((review.current ?? "").replace("agent\n", "above\nagent\nbelow\n"));
    assert.equal(review.undo().text, original.replace("two\n", "two\nabove\nbelow\n"));
  });

  it("refuses to bring deleted lines back where the user wrote in their place", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", ""));
    review.userChanged((review.current ?? "").replace("one\n", "one\nmine\n"));
    assert.equal(review.undo().refused, 1);
  });

  it("undoes a change of which the user deleted lines, and leaves the user's other deletions", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n2\n"));
    review.userChanged((review.current ?? "").replace("2\nthree\n", ""));
    assert.equal(review.undo().text, original.replace("three\n", ""));
  });

  it("refuses to remove a new file, or to bring back a deleted one, over what the user wrote there", () => {
    const created = new FileReview(null);
    created.agentChanged("agent\n");
    created.userChanged("agent\nmine\n");
    const deleted = new FileReview("was\n");
    deleted.agentChanged(null);
    deleted.userChanged("mine\n");
    assert.deepEqual(
      [created, deleted].map((review) => [review.undo().refused, review.current]),
      [
        [1, "agent\nmine\n"],
        [1, "mine\n"],
      ],
    );
  });

  it("gives the user's words back when a change of the agent's that overwrote them is undone", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n"));
    review.userChanged((review.current ?? "").replace("TWO\n", "TWO mine\n"));
    review.agentChanged(original.replace("two\n", "TWO again\n"));
    assert.equal(review.undo().text, original.replace("two\n", "TWO mine\n"));
  });

  it("goes on with a file that the user removed once it comes back, with other words besides", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n"));
    review.userChanged(null);
    assert.equal(review.isReviewed, true);
    review.userChanged(original.replace("two\n", "TWO\n").replace("nine\n", "mine\n"));
    assert.equal(review.undo().text, original.replace("nine\n", "mine\n"));
  });

  it("leaves for review what nobody knows the author of, and undoes only what it knows", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n"));
    review.unknownChanged((review.current ?? "").replace("nine\n", "NINE\n"));
    const { text, refused } = review.undo();
    assert.deepEqual([text, refused], [original.replace("nine\n", "NINE\n"), 1]);
  });

  it("is as it was when an undo could not be written", () => {
    const review = new FileReview(original);
    review.agentChanged(original.replace("two\n", "TWO\n"));
    review.undo().takeBack();
    assert.equal(review.undo().text, original);
  });

  it("keeps a mixed change beside another one without taking the user's words for the agent's", () => {
    const review = new FileReview("a\nb\nc\n");
    review.agentChanged("X\n");
    review.userChanged("U\nb\nV\n");
    review.keep(hunkId(review, 0));
    assert.equal(review.undo().text, "U\nb\nV\n");
  });

  it("offers a change again when the editor's undo brings it back", () => {
    const review = new FileReview(original);
    const changed = original.replace("two\n", "TWO\n");
    review.agentChanged(changed);
    assert.equal(review.undo().text, original);
    review.userChanged(changed);
    assert.equal(review.hunks.length, 1);
    assert.equal(review.undo().text, original);
  });

  it("undoes a new file by having no file, and a deletion by having it again", () => {
    const created = new FileReview(null);
    created.agentChanged("text\n");
    assert.equal(created.state, "created");
    assert.equal(created.undo(hunkId(created, 0)).text, null);
    const deleted = new FileReview("text\n");
    deleted.agentChanged(null);
    assert.equal(deleted.state, "deleted");
    assert.equal(deleted.undo(hunkId(deleted, 0)).text, "text\n");
  });

  it("shows a missing newline at the end, and CRLF, as they are", () => {
    const review = new FileReview("a\r\nb\r\n");
    review.agentChanged("a\r\nb");
    assert.deepEqual(
      review.hunks.map(({ removed, added }) => [removed, added]),
      [[["b\r\n"], ["b"]]],
    );
    assert.equal(review.undo().text, "a\r\nb\r\n");
  });

  it("compares a very large file as a whole", () => {
    const large = "x".repeat(4_000_001);
    const review = new FileReview("small\n");
    review.agentChanged(large);
    assert.equal(review.hunks.length, 1);
    assert.equal(review.undo(hunkId(review, 0)).text, "small\n");
  });
});

const textOfFewLines = fc
  .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "}\n", "é\r\n"), { maxLength: 30 })
  .map((lines) => lines.join(""));

describe("a file under review, whatever is in it", () => {
  it("is its text again when all changes are undone one by one", () => {
    fc.assert(
      fc.property(textOfFewLines, textOfFewLines, (before, after) => {
        const review = new FileReview(before);
        review.agentChanged(after);
        for (let steps = 0; !review.isReviewed && steps < 100; steps++) review.undo(hunkId(review, 0));
        assert.equal(review.current, before);
      }),
    );
  });

  it("has nothing left to undo when all changes are kept one by one", () => {
    fc.assert(
      fc.property(textOfFewLines, textOfFewLines, (before, after) => {
        const review = new FileReview(before);
        review.agentChanged(after);
        for (let steps = 0; !review.isReviewed && steps < 100; steps++) review.keep(hunkId(review, 0));
        assert.equal(review.undo().text, after);
      }),
    );
  });

  it("keeps and undoes any mix, and ends with the lines that were chosen", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (choices) => {
        const lines = choices.flatMap((_, index) => [`line ${index}\n`, `between ${index}\n`]);
        const changed = lines.map((line, index) => (index % 2 === 0 ? `changed ${line}` : line));
        const review = new FileReview(lines.join(""));
        review.agentChanged(changed.join(""));
        for (const isKept of choices) {
          if (isKept) review.keep(hunkId(review, 0));
          else review.undo(hunkId(review, 0));
        }
        const chosen = lines.map((line, index) =>
          index % 2 === 0 && choices[index / 2] === true ? `changed ${line}` : line,
        );
        assert.equal(review.current, chosen.join(""));
        assert.equal(review.isReviewed, true);
      }),
    );
  });

  it("never undoes what the user changed away from the agent's lines", () => {
    // Every third line belongs to the agent, and the ones in the middle between two of those to the user.
    const owners = fc.array(
      fc.record({ agent: fc.boolean(), user: fc.constantFrom("none", "edit", "delete", "insert") }),
      {
        minLength: 1,
        maxLength: 10,
      },
    );
    fc.assert(
      fc.property(owners, (blocks) => {
        const build = (withAgent: boolean, withUser: boolean): string =>
          blocks
            .map(({ agent, user }, index) => {
              const agents = withAgent && agent ? `agent ${index}\nmore ${index}\n` : `original ${index}\n`;
              const users = {
                none: `mine ${index}\n`,
                edit: `edited ${index}\n`,
                delete: "",
                insert: `mine ${index}\nnew ${index}\n`,
              };
              const own = withUser ? users[user] : users.none;
              return `${agents}fence a${index}\n${own}fence b${index}\n`;
            })
            .join("");
        const review = new FileReview(build(false, false));
        review.agentChanged(build(true, false));
        review.userChanged(build(true, true));
        assert.equal(review.undo().text, build(false, true));
      }),
    );
  });

  it("joins its lines to the text they came from", () => {
    fc.assert(fc.property(fc.string(), (text) => assert.equal(splitLines(text).join(""), text)));
  });
});
