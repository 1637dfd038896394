import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { Snapshots } from "#extension/features/snapshots/snapshots.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const script = fileURLToPath(import.meta.resolve("#extension/features/snapshots/snapshot-worker.js"));
const fileCount = 10_000;
const filesOfFolder = 100;
const fileBytes = 20_000;
const changedCount = 10;
const maxRounds = 3;
/** More of them than a compression finds again soon, as in sources. */
const words = Array.from({ length: 4_000 }, (_, index) => (index * 2_654_435_761).toString(36));

/** What the review's snapshots cost: the first of a large folder, and those of each turn. */
export async function measureSnapshots(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  let changedBytes = 0;
  let storedBytes = 0;
  await using folder = await createRunFolder("bench");
  const root = join(folder.root, "work");
  const texts = textsFrom(1);
  for (let index = 0; index < fileCount; index++) {
    if (index % filesOfFolder === 0) await mkdir(join(root, String(index / filesOfFolder)), { recursive: true });
    await writeFile(fileAt(root, index), texts());
  }
  for (let round = 0; round < Math.min(run.scale.stops, maxRounds); round++) {
    const stores = join(folder.root, `stores ${round}`);
    const onProblem = (reason: string): never => {
      throw new Error(reason);
    };
    await using snapshots = new Snapshots({ stores, script, isWanted: () => true, included: () => [], onProblem });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    samples.add("first", await timed(() => snapshots.take(root)));
    delay.disable();
    samples.add("blocked", delay.max / 1e6);
    const before = await bytesOf(stores);
    for (let turn = 0; turn < changedCount; turn++) {
      for (let index = 0; index < changedCount; index++) {
        const text = texts();
        changedBytes += text.length;
        await writeFile(fileAt(root, index * filesOfFolder + turn), text);
      }
      samples.add("later", await timed(() => snapshots.take(root)));
    }
    storedBytes += (await bytesOf(stores)) - before;
  }
  return [
    row("first snapshot of 10,000 files, 200 MB", samples.median("first"), 3_000),
    row("the same, the event loop blocked at most", samples.percentile("blocked", 100), 50),
    row("later snapshot of them, 10 changed files", samples.median("later"), 150),
    {
      measure: "what later snapshots add to the store (direct: the changed files)",
      unit: "bytes",
      direct: changedBytes,
      ours: storedBytes,
      target: { atMost: changedBytes * 1.2 },
    },
  ];
}

function row(measure: string, ours: number | undefined, atMost: number): Row {
  return { measure, unit: "ms", ours, target: { atMost } };
}

async function timed(take: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  if ((await take()) === undefined) throw new Error("There is no snapshot.");
  return performance.now() - start;
}

function fileAt(root: string, index: number): string {
  return join(root, String(Math.floor(index / filesOfFolder)), `${index}.txt`);
}

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const stats = await stat(join(folder, name));
    if (stats.isFile()) bytes += stats.size;
  }
  return bytes;
}

/** Other texts each time, and the same ones in each run. */
function textsFrom(seed: number): () => string {
  let state = seed;
  // xorshift32
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => {
    let text = "";
    while (text.length < fileBytes) text += `${words[next() % words.length]}${next() % 12 === 0 ? "\n" : " "}`;
    return text.slice(0, fileBytes);
  };
}
