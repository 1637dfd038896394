import { performance } from "node:perf_hooks";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** From the start of the process to the answer to `initialize`. */
export async function measureStartUp(run: BenchRun): Promise<Row[]> {
  const { lanes, scale } = run;
  const samples = new Samples();
  const measured = {
    direct: lanes.direct(),
    ours: lanes.ours(),
    "ours 1": lanes.ours(1),
    rust: lanes.rust?.(),
    "rust 1": lanes.rust?.(1),
  };
  const warmUps = 1;
  for (let round = -warmUps; round < scale.starts; round++) {
    for (const [name, lane] of Object.entries(measured)) {
      if (!lane) continue;
      const start = performance.now();
      await using client = run.start(lane);
      await client.initialize();
      if (round >= 0) samples.add(name, performance.now() - start);
    }
  }
  const added = (measure: string, ours: string, rust: string, atMost?: number): Row => ({
    measure: `initialize, ${measure}, added`,
    unit: "ms",
    isAdded: true,
    direct: samples.median("direct"),
    ours: samples.difference(ours, "direct"),
    rust: samples.difference(rust, "direct"),
    ...(atMost !== undefined && { target: { atMost } }),
  });
  return [added("0 proxies", "ours", "rust", 80), added("1 external proxy", "ours 1", "rust 1")];
}
