import { performance } from "node:perf_hooks";
import type { BenchRun } from "../bench-run.js";
import type { Lane } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** From the start of the process to the answer to `initialize`. */
export async function measureStartUp(run: BenchRun): Promise<Row[]> {
  const { lanes, scale } = run;
  const samples = new Samples();
  const measure = async (measured: Readonly<Record<string, Lane | undefined>>): Promise<void> => {
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
  };
  await measure({
    direct: lanes.direct(),
    ours: lanes.ours(),
    "ours 1": lanes.ours(1),
    rust: lanes.rust?.(),
    "rust 1": lanes.rust?.(1),
  });
  // The first session creates the folder in which later starts find their compiled code.
  await (await run.open(lanes.ours()))[Symbol.asyncDispose]();
  await measure({ "direct later": lanes.direct(), "ours later": lanes.ours(), "rust later": lanes.rust?.() });
  const added = (title: string, [direct, ours, rust]: readonly [string, string, string], atMost?: number): Row => ({
    measure: `initialize, ${title}, added`,
    unit: "ms",
    isAdded: true,
    direct: samples.median(direct),
    ours: samples.difference(ours, direct),
    rust: samples.difference(rust, direct),
    ...(atMost !== undefined && { target: { atMost } }),
  });
  return [
    added("0 proxies", ["direct", "ours", "rust"], 80),
    added("0 proxies, after the first session", ["direct later", "ours later", "rust later"], 60),
    added("1 external proxy", ["direct", "ours 1", "rust 1"]),
  ];
}
