import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Checkpoints } from "#extension/features/review/restore/checkpoints.js";
import { DiskFiles } from "#extension/features/review/files/disk-files.js";
import { GatheredChanges } from "#extension/features/review/turns/gathered-changes.js";
import { ReviewAnswers } from "#extension/features/review/review-answers.js";
import { ReviewBook } from "#extension/features/review/review-book.js";
import { ReviewStore } from "#extension/features/review/store/review-store.js";
import { ReviewTurns } from "#extension/features/review/turns/review-turns.js";
import { Snapshots } from "#extension/features/snapshots/snapshots.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";
import { type LargeFolder, makeLargeFolder, snapshotScript } from "./large-folder.js";

const changedCount = 500;
const tab = "tab";

/** How long a review of many files takes to open: from the end of a turn whose command changed them to their list, and until it is stored. */
export async function measureReview(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  await using folder = await createRunFolder("bench");
  const large = await makeLargeFolder(join(folder.root, "work"));
  for (let round = 0; round < Math.max(run.scale.stops, 3); round++)
    await measureTurn(large, join(folder.root, String(round)), samples);
  const row = (measure: string, ours: number | undefined, atMost: number): Row => {
    return { measure, unit: "ms", ours, target: { atMost } };
  };
  return [
    row("review of 500 changed files opens, in 10,000 files", samples.median("opens"), 500),
    row("the same, until it is stored", samples.median("stored"), 1_000),
    row("the same, the event loop blocked at most", samples.median("blocked"), 50),
  ];
}

async function measureTurn(large: LargeFolder, state: string, samples: Samples): Promise<void> {
  const onProblem = (problem: unknown): never => {
    throw problem instanceof Error ? problem : new Error(String(problem));
  };
  await using snapshots = new Snapshots({
    stores: join(state, "stores"),
    script: snapshotScript,
    isWanted: () => true,
    included: () => [],
    onProblem,
  });
  const disk = new DiskFiles();
  const book = new ReviewBook();
  const checkpoints = new Checkpoints();
  const store = new ReviewStore(join(state, "review.json"), onProblem);
  let list: string[] = [];
  const gathered = new GatheredChanges(() => {
    list = book.files(tab).map(({ path, review }) => `${path} +${review.counts.added} -${review.counts.removed}`);
    if (list.length === 0) return;
    store.save(() => ({ reviews: book.store(), checkpoints: checkpoints.storeAll(), restores: {}, comments: [] }));
  });
  book.onChange = () => gathered.changed();
  const texts = {
    look: (path: string) => disk.look(path),
    read: async (path: string) => (await disk.look(path)).text,
    truth: async (path: string) => ({ ...(await disk.look(path)), isTorn: false }),
    asLink: (path: string) => disk.asLink(path),
    wasMarked: (path: string, text: string) => disk.wasMarked(path, text),
    setAttributes: () => Promise.resolve(false),
    canWrite: () => Promise.resolve(false),
    write: () => Promise.resolve(false),
  };
  const answers = new ReviewAnswers(book, texts, (path, { text }) => book.userChanged(path, text));
  const turns = new ReviewTurns({
    openTurnsFile: join(state, "open-turns.json"),
    book,
    checkpoints,
    restored: { forget: () => undefined },
    texts,
    gathered,
    snapshots,
    learnAll: (isKnown) => answers.learnAll(isKnown),
    stored: () => store.flush().then(() => true),
    onUnseen: () => undefined,
    onProblem,
  });
  await snapshots.take(large.root);
  await turns.begin(tab, "prompt", [large.root]);
  turns.toolCall(tab, { id: "call", kind: "execute", status: "in_progress", paths: [], edits: [] });
  for (let index = 0; index < changedCount; index++) {
    const at = index * Math.floor(large.files.length / changedCount);
    const lines = (large.texts[at] ?? "").split("\n");
    const changed = lines.map((line, number) => (number % 10 === 0 ? `${line} ${state.length}` : line));
    large.texts[at] = changed.join("\n");
    await writeFile(large.files[at] ?? "", large.texts[at]);
  }
  turns.toolCall(tab, { id: "call", kind: "execute", status: "completed", paths: [], edits: [] });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await turns.end(tab);
  samples.add("opens", performance.now() - start);
  if (list.length !== changedCount) throw new Error(`${list.length} files are listed, not ${changedCount}.`);
  await store.flush();
  samples.add("stored", performance.now() - start);
  delay.disable();
  samples.add("blocked", delay.max / 1e6);
}
