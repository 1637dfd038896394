import { performance } from "node:perf_hooks";
import type { BenchRun } from "../bench-run.js";
import { residentMemory, treeMemory } from "../process-memory.js";
import { bareNode, npmPackage, releaseLanes } from "../release/release-lanes.js";
import { formatReleaseTable } from "../release/release-table.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/**
 * Every form of the command as an editor starts it: without arguments, in a home folder without configuration, from the
 * start of the process to the answer to `initialize`, and what is resident then.
 */
export async function measureRelease(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const lanes = await releaseLanes(note);
  const samples = new Samples();
  const warmUps = 1;
  for (let round = -warmUps; round < run.scale.starts; round++) {
    for (const { name, words, env, isWrapped } of lanes) {
      const start = performance.now();
      await using client = run.start(words, env);
      await client.initialize();
      const ms = performance.now() - start;
      const memory = await (isWrapped === true ? treeMemory(client.pid) : residentMemory(client.pid));
      if (round < 0) continue;
      samples.add(name, ms);
      if (memory !== undefined) samples.add(`${name} memory`, memory);
    }
  }
  note(`${formatReleaseTable(lanes, samples)}\n`);
  return [
    ...lanes.map(({ name }): Row => ({ measure: `initialize, ${name}`, unit: "ms", ours: samples.median(name) })),
    {
      measure: `initialize, ${npmPackage}, added to ${bareNode}`,
      unit: "ms",
      isAdded: true,
      direct: samples.median(bareNode),
      ours: samples.difference(npmPackage, bareNode),
      target: { atMost: 25 },
    },
  ];
}
