import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { AllChanges } from "../../../src/features/review/all-changes/find-unreported-changes.js";
import { DiskFiles } from "../../../src/features/review/files/disk-files.js";
import type { FileText } from "../../../src/features/review/hunks/file-review.js";
import { splitLines } from "../../../src/features/review/hunks/hunks.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import type { TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";
import { gitWriter } from "../../../src/features/review/turns/writer-id.js";
import { planMerge } from "../../../src/features/worktrees/merge-plan.js";
import { reviewWithoutTurns, snapshotsIn } from "./review-stage.js";

const names = ["one.txt", "two.txt"];
const before = Array.from({ length: 12 }, (_, line) => `line ${line}\r\n`).join("");

const edit = fc.record({ at: fc.nat(12), removed: fc.nat(3), added: fc.nat(3) });
const answer = fc.record({ isKept: fc.boolean(), rank: fc.nat() });
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

let words = 0;
function edited(text: string, who: string, { at, removed, added }: Edit): string {
  const lines = splitLines(text);
  lines.splice(at, removed, ...Array.from({ length: added }, () => `${who} ${words++}\n`));
  return lines.join("");
}

/** Files that nothing but the answers changes, from now on. */
function filesIn(contents: Map<string, FileText>): TrueFiles {
  return {
    truth: (path) => Promise.resolve({ text: contents.get(path) ?? null, isTorn: false }),
    canWrite: () => Promise.resolve(true),
    setAttributes: () => Promise.resolve(false),
    write: (path, text, expected) => {
      if ((contents.get(path) ?? null) !== expected) return Promise.resolve(false);
      contents.set(path, text);
      return Promise.resolve(true);
    },
  };
}

/** Returns the files after a book's hunks were answered in the order of `ranks`. */
async function ended(
  from: ReviewBook,
  contents: ReadonlyMap<string, FileText>,
  answers: readonly Answer[],
  ranks: (answer: Answer) => number,
): Promise<Map<string, FileText>> {
  const end = new Map(contents);
  const book = new ReviewBook();
  for (const stored of from.store()) book.restore(stored, stored.current);
  const given = new ReviewAnswers(book, filesIn(end), (path, { text }) => book.userChanged(path, text));
  const all = book.files().flatMap(({ path, review }) => review.hunks.map(({ id }) => ({ path, id })));
  const chosen = all.map((hunk, index) => ({
    ...hunk,
    ...(answers[index % answers.length] ?? { isKept: true, rank: 0 }),
  }));
  for (const { path, id, isKept } of chosen.sort((a, b) => ranks(a) - ranks(b)))
    await (isKept ? given.keep(path, id) : given.undo(path, id));
  return end;
}

/** Keep all leaves the bytes, undo all brings `was` back, and the order of answers says nothing of the end. */
async function checkAnswers(
  book: ReviewBook,
  contents: ReadonlyMap<string, FileText>,
  was: ReadonlyMap<string, FileText>,
  answers: readonly Answer[],
): Promise<void> {
  const order = ({ rank }: Answer): number => rank;
  const all = (isKept: boolean): Answer[] => answers.map(({ rank }) => ({ isKept, rank }));
  assert.deepEqual(await ended(book, contents, all(true), order), contents);
  assert.deepEqual(await ended(book, contents, all(false), order), was);
  assert.deepEqual(
    await ended(book, contents, answers, order),
    await ended(book, contents, answers, (one) => -order(one)),
  );
}

describe("changes under review, whoever wrote them", function () {
  this.timeout(300_000);

  it("are kept and undone byte for byte, in any order, by git, another program and VS Code", async () => {
    const writer = fc.constantFrom("git", "program", "editor");
    const steps = fc.array(fc.record({ writer, name: fc.constantFrom(...names), edit }), {
      minLength: 1,
      maxLength: 6,
    });
    const answers = fc.array(answer, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, answers, async (all, given) => {
        const base = realpathSync(mkdtempSync(join(tmpdir(), "symposium any writer ")));
        const root = join(base, "work");
        mkdirSync(root);
        for (const name of names) writeFileSync(join(root, name), before);
        const onProblem = (problem: unknown): void => assert.fail(String(problem));
        const snapshots = snapshotsIn(base);
        const disk = new DiskFiles();
        const book = new ReviewBook();
        const ofGit = new Set<string>();
        const changes = new AllChanges({
          storeFile: join(base, "all-changes.json"),
          roots: () => [root],
          snapshots,
          files: {
            look: (path) => disk.look(path),
            truth: async (path) => ({ ...(await disk.look(path)), isTorn: false }),
            asLink: (path) => disk.asLink(path),
            wasMarked: (path, text) => disk.wasMarked(path, text),
            isUnsaved: () => false,
            typed: () => undefined,
          },
          git: {
            writers: () => Promise.resolve(new Map([...ofGit].map((path) => [path, gitWriter("checkout")] as const))),
            isAtWork: () => Promise.resolve(false),
          },
          review: reviewWithoutTurns(book),
          onSwitched: () => undefined,
          onProblem,
        });
        try {
          assert.equal(await changes.switchOn(), true);
          for (const { writer: by, name, edit: one } of all) {
            const path = join(root, name);
            const was = readFileSync(path, "utf8");
            const is = edited(was, by, one);
            writeFileSync(path, is);
            if (by === "git") ofGit.add(path);
            else ofGit.delete(path);
            if (by === "editor") changes.edited({ path, before: was, after: is });
            void changes.noticed();
            await changes.settled();
          }
          const contents = new Map(names.map((name) => [join(root, name), readFileSync(join(root, name), "utf8")]));
          const was = new Map(names.map((name) => [join(root, name), before]));
          await checkAnswers(book, contents, was, given);
        } finally {
          changes[Symbol.dispose]();
          await changes.flush();
          await snapshots[Symbol.asyncDispose]();
          rmSync(base, { recursive: true });
        }
      }),
      { numRuns: 15 },
    );
  });

  it("are kept and undone byte for byte, in any order, where they were merged from a worktree", async () => {
    const side = fc.array(edit, { maxLength: 3 });
    const answers = fc.array(answer, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(side, side, answers, async (mine, theirs, given) => {
        const changed = (who: string, edits: readonly Edit[]): string =>
          edits.reduce((text, one) => edited(text, who, one), before);
        const path = join("/project", "one.txt");
        const [ours, worktree] = [changed("user", mine), changed("agent", theirs)];
        const contents = new Map<string, FileText>([[path, ours]]);
        const { files } = await planMerge([{ path: "one.txt", kind: "file", wasThere: true }], {
          top: "/project",
          base: () => Promise.resolve(before),
          theirs: () => Promise.resolve(worktree),
          ours: () => Promise.resolve({ text: ours, isTorn: false }),
        });
        const book = new ReviewBook();
        const review = new ReviewAnswers(book, filesIn(contents), (at, { text }) => book.userChanged(at, text));
        assert.deepEqual(await review.restore("tab", files), []);
        await checkAnswers(book, contents, new Map([[path, ours]]), given);
      }),
    );
  });
});
