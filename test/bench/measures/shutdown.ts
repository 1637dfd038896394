import type { BenchRun } from "../bench-run.js";
import type { Lane } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** How long a conductor may take; one that takes longer is ended and has no figure. */
const limitMs = 10_000;

/** From the end of the input to the exit of the process; notes whose processes outlive it. */
export async function measureShutdown(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const { lanes, scale } = run;
  const samples = new Samples();
  const left = new Map<string, number>();
  const measured: Readonly<Record<string, Lane | undefined>> = {
    direct: lanes.direct(),
    ours: lanes.ours(),
    rust: lanes.rust?.(),
    "ours, stubborn": lanes.ours(0, "--ignore-eof"),
    "rust, stubborn": lanes.rust?.(0, "--ignore-eof"),
  };
  for (let round = 0; round < scale.stops; round++) {
    for (const [name, lane] of Object.entries(measured)) {
      if (!lane) continue;
      await using client = await run.open(lane);
      const ms = await client.endInput(limitMs);
      if (ms === undefined) continue;
      samples.add(name, ms);
      const survivors = await run.countProcesses();
      if (survivors > 0) left.set(name, (left.get(name) ?? 0) + 1);
    }
  }
  for (const [name, times] of left)
    note(`shutdown, ${name}: processes were left running in ${times} of ${scale.stops} runs`);
  return [
    {
      measure: "shutdown, agent ends with its input",
      unit: "ms",
      direct: samples.median("direct"),
      ours: samples.median("ours"),
      rust: samples.median("rust"),
    },
    {
      measure: "shutdown, agent ignores the end of its input",
      unit: "ms",
      ours: samples.median("ours, stubborn"),
      rust: samples.median("rust, stubborn"),
    },
  ];
}
