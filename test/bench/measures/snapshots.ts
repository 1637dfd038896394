import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { Snapshots } from "#extension/features/snapshots/snapshots.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";
import { makeLargeFolder, snapshotScript } from "./large-folder.js";

const changedCount = 10;
const maxRounds = 3;
const filesOfFolder = 100;

/** Measures the review's snapshots: the first one of a large folder, and those of each turn. */
export async function measureSnapshots(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  let changedBytes = 0;
  let storedBytes = 0;
  await using folder = await createRunFolder("bench");
  const { root, files, nextText } = await makeLargeFolder(join(folder.root, "work"));
  for (let round = 0; round < Math.min(run.scale.stops, maxRounds); round++) {
    const stores = join(folder.root, `stores ${round}`);
    const onProblem = (reason: string): never => {
      throw new Error(reason);
    };
    const script = snapshotScript;
    await using snapshots = new Snapshots({ stores, script, isWanted: () => true, included: () => [], onProblem });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    samples.add("first", await timed(() => snapshots.take(root)));
    delay.disable();
    samples.add("blocked", delay.max / 1e6);
    const before = await bytesOf(stores);
    for (let turn = 0; turn < changedCount; turn++) {
      for (let index = 0; index < changedCount; index++) {
        const text = nextText();
        changedBytes += text.length;
        await writeFile(files[index * filesOfFolder + turn] ?? "", text);
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

async function bytesOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const stats = await stat(join(folder, name));
    if (stats.isFile()) bytes += stats.size;
  }
  return bytes;
}
