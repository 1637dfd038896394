import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { DiskFiles, type KeptFiles } from "../../../src/features/review/files/disk-files.js";
import { attributesId } from "../../../src/features/review/hunks/file-attributes.js";
import { splitLines } from "../../../src/features/review/hunks/hunks.js";
import { parseOpaque } from "../../../src/features/review/hunks/opaque-text.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { SnapshotTurn } from "../../../src/features/review/turns/snapshot-turn.js";
import type { TrueFiles } from "../../../src/features/review/files/compare-and-write-contract.js";
import type { Snapshots } from "../../../src/features/snapshots/snapshots.js";
import { snapshotsIn } from "./review-stage.js";

const names = ["one.txt", "two.sh"];
const lines = Array.from({ length: 8 }, (_, line) => `line ${line}\n`).join("");
const modes = [0o644, 0o755, 0o600] as const;

/** A file as the disk has it: its bytes and permission bits, or where a link leads. */
type State = { readonly bytes: string; readonly mode: number } | { readonly target: string } | undefined;

const edit = fc.record({ at: fc.nat(8), removed: fc.nat(2), added: fc.nat(2) });
const change = fc.record({
  name: fc.constantFrom(...names),
  /** A tool call tells the review of it. */
  isTold: fc.boolean(),
  edits: fc.array(edit, { maxLength: 2 }),
  mode: fc.constantFrom(null, ...modes),
  mark: fc.constantFrom(null, true, false),
  ends: fc.constantFrom(null, null, "\n", "\r\n"),
  whole: fc.constantFrom(null, null, null, null, "gone", "link", "binary"),
});
const turn = fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 4 }), isRestarted: fc.boolean() });
const first = fc.record({ mode: fc.constantFrom(...modes), hasMark: fc.boolean(), end: fc.constantFrom("\n", "\r\n") });
const answer = fc.record({ isKept: fc.boolean(), rank: fc.nat() });
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

let words = 0;
function changed(was: string, { edits, mark, ends }: Change): string {
  const hasMark = was.startsWith("\ufeff");
  let text = hasMark ? was.slice(1) : was;
  if (ends !== null) text = text.replaceAll(/\r?\n/g, ends);
  for (const { at, removed, added } of edits) {
    const all = splitLines(text);
    all.splice(at, removed, ...Array.from({ length: added }, () => `agent ${words++}\n`));
    text = all.join("");
  }
  return `${(mark ?? hasMark) ? "\ufeff" : ""}${text}`;
}

describe("all that agents change of files", function () {
  this.timeout(300_000);
  let base: string;
  let root: string;
  let snapshots: Snapshots;
  let disk: DiskFiles;
  let book: ReviewBook;

  before(function () {
    // Windows knows no permission bits.
    if (process.platform === "win32") this.skip();
  });

  const kept: KeptFiles = {
    content: (hash) => snapshots.content(hash),
    lastMode: async (path) => {
      const entry = await snapshots.lastKnown(path);
      return entry?.kind === "file" ? entry.mode : undefined;
    },
  };

  function stateOf(path: string): State {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isSymbolicLink()) return { target: readlinkSync(path) };
    return { bytes: readFileSync(path).toString("latin1"), mode: stats.mode & 0o777 };
  }

  function put(path: string, state: State): void {
    rmSync(path, { force: true });
    if (!state) return;
    if ("target" in state) symlinkSync(state.target, path);
    else {
      writeFileSync(path, Buffer.from(state.bytes, "latin1"));
      chmodSync(path, state.mode);
    }
  }

  function make(path: string, one: Change): void {
    const was = stateOf(path);
    const mode = one.mode ?? (was && "mode" in was ? was.mode : 0o644);
    if (one.whole === "gone") rmSync(path, { force: true });
    else if (one.whole === "link") put(path, { target: "elsewhere" });
    else {
      const text = was && "bytes" in was ? Buffer.from(was.bytes, "latin1").toString() : lines;
      put(path, {
        bytes: Buffer.from(one.whole === "binary" ? `\0${words++}` : changed(text, one)).toString("latin1"),
        mode,
      });
    }
  }

  const files: TrueFiles = {
    truth: async (path) => ({ ...(await disk.look(path)), isTorn: false }),
    canWrite: async (text) => {
      const opaque = parseOpaque(text);
      return opaque?.kind !== "file" || (await snapshots.content(opaque.hash)) !== undefined;
    },
    setAttributes: (path, wanted, expected) => disk.setAttributes(path, wanted, expected),
    write: async (path, text, expected, attributes) => {
      const onDisk = await disk.look(path);
      if (onDisk.text !== expected) return false;
      if (text === expected) return true;
      if (parseOpaque(text) || parseOpaque(expected)) return disk.place(path, text, onDisk, { kept, attributes });
      if (text === null) rmSync(path);
      else if (expected === null) {
        writeFileSync(path, disk.bytesOf(path, text, attributes?.hasMark));
        chmodSync(path, attributes?.mode ?? (await kept.lastMode(path)) ?? 0o644);
      } else return disk.replace(path, text, expected, attributes !== undefined);
      return true;
    },
  };

  /** Replaces the review by its stored state, as a new window does. */
  async function restart(from: ReviewBook): Promise<void> {
    const stored = from.store();
    disk = new DiskFiles();
    book = new ReviewBook();
    for (const { path, baseline, current } of stored)
      if ([baseline, current].some((text) => parseOpaque(text)?.kind === "link")) disk.asLink(path);
    for (const one of stored) {
      const { text } = await disk.look(one.path);
      book.restore(one, text === undefined ? one.current : text);
    }
  }

  async function takeTurn(changes: readonly Change[]): Promise<void> {
    const begun = await SnapshotTurn.begin([root], snapshots, disk);
    const known = new Set<string>();
    const isToldOf = new Map(changes.map(({ name, isTold }) => [name, isTold]));
    for (const one of changes) {
      const path = join(root, one.name);
      // Reports all of a file's changes in a turn or none, because the review doesn't attribute unreported earlier ones to the agent.
      const isTold = isToldOf.get(one.name) === true;
      const { text: was } = isTold ? await disk.look(path) : {};
      make(path, one);
      const { text: is } = isTold ? await disk.look(path) : {};
      if (was === undefined || is === undefined || was === is) continue;
      known.add(path);
      book.agentChanged("tab", path, was, is);
    }
    const { found } = await begun.end((path) => known.has(path));
    for (const { path, before, after, attributes } of found) {
      if (before !== after) book.agentChanged("tab", path, before, after);
      if (attributes) book.attributesChanged("tab", path, after, attributes);
    }
  }

  /** Answers all pending changes in the order of the ranks. Returns the resulting files, and then restores the earlier ones. */
  async function ended(from: ReviewBook, given: readonly Answer[], rank: (one: Answer) => number): Promise<State[]> {
    const before = names.map((name) => stateOf(join(root, name)));
    await restart(from);
    const answers = new ReviewAnswers(book, files, (path, { text }) => book.userChanged(path, text));
    const all = book
      .files()
      .flatMap(({ path, review, attributes }) => [
        ...review.hunks.map(({ id }) => ({ path, id })),
        ...(attributes?.isReviewed === false ? [{ path, id: attributesId }] : []),
      ]);
    const chosen = all.map((one, index) => ({
      ...one,
      given: given[index % given.length] ?? { isKept: true, rank: 0 },
    }));
    for (const { path, id, given: one } of chosen.sort((a, b) => rank(a.given) - rank(b.given))) {
      if (one.isKept) await answers.keep(path, id);
      else assert.equal((await answers.undo(path, id)).refusal, undefined);
    }
    const after = names.map((name) => stateOf(join(root, name)));
    for (const [index, name] of names.entries()) put(join(root, name), before[index]);
    return after;
  }

  it("is kept and undone byte for byte and bit by bit, in any order, also after a restart", async () => {
    const runs = fc.asyncProperty(
      fc.array(first, { minLength: 2, maxLength: 2 }),
      fc.array(turn, { minLength: 1, maxLength: 3 }),
      fc.array(answer, { minLength: 1, maxLength: 8 }),
      async (begins, turns, given) => {
        base = realpathSync(mkdtempSync(join(tmpdir(), "symposium any order ")));
        root = join(base, "work");
        mkdirSync(root);
        disk = new DiskFiles();
        book = new ReviewBook();
        snapshots = snapshotsIn(base);
        try {
          for (const [index, { mode, hasMark, end }] of begins.entries())
            put(join(root, names[index] ?? ""), {
              bytes: Buffer.from(`${hasMark ? "\ufeff" : ""}${lines.replaceAll("\n", end)}`).toString("latin1"),
              mode,
            });
          const was = names.map((name) => stateOf(join(root, name)));
          for (const { changes, isRestarted } of turns) {
            await takeTurn(changes);
            if (isRestarted) await restart(book);
          }
          const is = names.map((name) => stateOf(join(root, name)));
          const all = (isKept: boolean): Answer[] => given.map(({ rank }) => ({ isKept, rank }));
          const [whole, order] = [book, ({ rank }: Answer): number => rank];
          assert.deepEqual(await ended(whole, all(true), order), is, "all kept");
          assert.deepEqual(await ended(whole, all(false), order), was, "all undone");
          assert.deepEqual(await ended(whole, given, order), await ended(whole, given, (one) => -order(one)), "mixed");
        } finally {
          await snapshots[Symbol.asyncDispose]();
          rmSync(base, { recursive: true });
        }
      },
    );
    const { SYMPOSIUM_RUNS: numRuns = "15" } = process.env;
    await fc.assert(runs, { numRuns: Number(numRuns) });
  });
});
