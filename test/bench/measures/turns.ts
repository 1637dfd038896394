import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const inProcessProxies = 3;

/** Measures the time that the conductor adds to a prompt turn with one update. */
export async function measureTurns(run: BenchRun): Promise<Row[]> {
  const { lanes, scale } = run;
  const samples = new Samples();
  for (let launch = 0; launch < scale.launches; launch++) {
    const sessions = {
      direct: lanes.direct(),
      ours: lanes.ours(),
      "in process 0": lanes.inProcess(0),
      "in process 3": lanes.inProcess(inProcessProxies),
      "ours 1": lanes.ours(1),
      rust: lanes.rust?.(),
      "rust 1": lanes.rust?.(1),
    };
    await run.withSessions(sessions, async (open) => {
      const warmUps = 5;
      for (let round = -warmUps; round < scale.turnRounds; round++) {
        for (const [name, session] of open) {
          for (let turn = 0; turn < scale.turnsPerRound; turn++) {
            const { ms } = await session.prompt("stream 1 40", 1);
            if (round >= 0) samples.add(name, ms);
          }
        }
      }
    });
  }
  return rowsOf(samples);
}

function rowsOf(samples: Samples): Row[] {
  const added = (measure: string, ours: string, rust: string, percent: number, atMost?: number): Row => ({
    measure: `turn, ${measure}, added p${percent}`,
    unit: "ms",
    isAdded: true,
    direct: samples.percentile("direct", percent),
    ours: samples.difference(ours, "direct", percent),
    rust: samples.difference(rust, "direct", percent),
    ...(atMost !== undefined && { target: { atMost } }),
  });
  const threeMore = samples.difference("in process 3", "in process 0");
  return [
    added("0 proxies", "ours", "rust", 50, 0.25),
    added("0 proxies", "ours", "rust", 99),
    {
      measure: "turn, each in-process proxy, added p50",
      unit: "ms",
      ours: threeMore === undefined ? undefined : threeMore / inProcessProxies,
      target: { atMost: 0.05 },
      rust: samples.difference("rust 1", "rust"),
    },
    added("1 external proxy", "ours 1", "rust 1", 50),
    added("1 external proxy", "ours 1", "rust 1", 99),
  ];
}
