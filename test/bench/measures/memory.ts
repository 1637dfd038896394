import type { BenchClient } from "../bench-client.js";
import type { BenchRun } from "../bench-run.js";
import { agentProgram, type Lane } from "../lanes.js";
import { peakMemory, residentMemory, treeMemory } from "../process-memory.js";
import type { Row } from "../row.js";
import { type Point, slopeOf } from "../statistics.js";

const turnsAtRest = 2_000;
/** Turns of a user who has just begun. */
const firstTurns = 20;
const slowChunk = 4_096;
const slowBytesPerSecond = 50_000_000;
const pollMs = 50;
/** Heaps that were never full grow once; what is flat after this many turns stays so. */
const flatMibPerThousandTurns = 0.5;

/** Measures the memory of the conductor's process after many turns, and while a reader is slower than the agent. */
export async function measureMemory(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const { lanes, scale } = run;
  const ours = await memoryOverTurns(run, lanes.inProcess(3), (client) => residentMemory(client.pid));
  note(`RSS with 3 in-process proxies, MiB after turns: ${describe(ours)}`);
  const rust =
    lanes.rust && (await memoryOverTurns(run, lanes.rust(3), (client) => treeMemory(client.pid, agentProgram)));
  const growth = (points: readonly Point[] | undefined): number | undefined =>
    points && slopeOf(points.filter(({ x }) => x >= Math.min(turnsAtRest, scale.memoryTurns / 2))) * 1_000;
  const at = (points: readonly Point[] | undefined): number | undefined => points?.find(({ x }) => x >= turnsAtRest)?.y;
  const megabytes = Math.round(scale.slowBytes / 1e6);
  return [
    {
      measure: `RSS, all built-in proxies, after ${firstTurns} turns (direct: the agent)`,
      unit: "MiB",
      direct: await memoryAtFirst(run, lanes.direct()),
      ours: await memoryAtFirst(run, lanes.builtIn()),
      target: { atMost: 55 },
    },
    {
      measure: "RSS, 3 in-process proxies, after 2,000 turns (Rust: 4 processes)",
      unit: "MiB",
      ours: at(ours),
      rust: at(rust),
      target: { atMost: 70 },
    },
    {
      measure: `RSS growth up to ${scale.memoryTurns.toLocaleString("en")} turns`,
      unit: "MiB per 1,000 turns",
      ours: growth(ours),
      rust: growth(rust),
      target: { atMost: flatMibPerThousandTurns },
    },
    {
      measure: `RSS peak, 0 proxies, ${megabytes} MB to a reader of 50 MB/s`,
      unit: "MiB",
      ours: await peakWithSlowReader(run, lanes.ours()),
      rust: lanes.rust && (await peakWithSlowReader(run, lanes.rust())),
      target: { atMost: 150 },
    },
    {
      measure: `RSS peak, 3 in-process proxies, the same`,
      unit: "MiB",
      ours: await peakWithSlowReader(run, lanes.inProcess(3)),
      target: { atMost: 150 },
    },
  ];
}

async function memoryAtFirst(run: BenchRun, lane: Lane): Promise<number | undefined> {
  await using client = await run.open(lane);
  for (let turn = 0; turn < firstTurns; turn++) await client.prompt("stream 1 40", 1);
  return await residentMemory(client.pid);
}

async function memoryOverTurns(
  run: BenchRun,
  lane: Lane,
  memoryOf: (client: BenchClient) => Promise<number | undefined>,
): Promise<Point[]> {
  const points: Point[] = [];
  await using client = await run.open(lane);
  for (let turn = 1; turn <= run.scale.memoryTurns; turn++) {
    await client.prompt("stream 1 40", 1);
    if (turn % run.scale.turnsPerSample !== 0) continue;
    const y = await memoryOf(client);
    if (y !== undefined) points.push({ x: turn, y });
  }
  return points;
}

async function peakWithSlowReader(run: BenchRun, lane: Lane): Promise<number | undefined> {
  await using client = await run.open(lane);
  const seen: number[] = [];
  const poll = setInterval(() => {
    void residentMemory(client.pid).then((mib) => {
      if (mib !== undefined) seen.push(mib);
    });
  }, pollMs);
  try {
    const { bytes, ms } = await client.promptSlowly(
      `blocks ${Math.ceil(run.scale.slowBytes / slowChunk)} ${slowChunk}`,
      slowBytesPerSecond,
    );
    if (bytes < run.scale.slowBytes) throw new Error(`Only ${bytes} bytes came, in ${Math.round(ms)} ms.`);
    const peak = await peakMemory(client.pid);
    return peak ?? (seen.length > 0 ? Math.max(...seen) : undefined);
  } finally {
    clearInterval(poll);
  }
}

function describe(points: readonly Point[]): string {
  return points.map(({ x, y }) => `${x.toLocaleString("en")}: ${y.toFixed(1)}`).join(", ");
}
