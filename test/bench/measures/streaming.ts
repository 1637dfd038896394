import type { BenchClient } from "../bench-client.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const kinds = [
  { label: "5,000 x 40 B", prompt: "stream 5000 40", count: 5_000, hasTargets: true },
  { label: "500 x 4 KB", prompt: "stream 500 4096", count: 500, hasTargets: false },
  { label: "5,000 x 40 B in blocks", prompt: "blocks 5000 40", count: 5_000, hasTargets: false },
] as const;

const chains = [
  { name: "0 proxies", ours: "ours", rust: "rust", target: { atLeast: 150_000 } },
  { name: "3 in-process proxies", ours: "in process 3", rust: "rust 3", target: { atLeast: 120_000 } },
  { name: "all built-in proxies and the store", ours: "built-in", rust: undefined, target: { atLeastRatio: 0.4 } },
  { name: "1 external proxy", ours: "ours 1", rust: "rust 1", target: { atLeast: 50_000 } },
  { name: "3 external proxies", ours: "ours 3", rust: "rust 3", target: undefined },
] as const;

/** Updates a second from prompt to answer. Targets are for an agent that writes every update by itself. */
export async function measureStreaming(run: BenchRun): Promise<Row[]> {
  const { lanes, scale } = run;
  const warm = new Samples();
  const cold = new Samples();
  for (let launch = 0; launch < scale.launches; launch++) {
    const sessions = {
      direct: lanes.direct(),
      ours: lanes.ours(),
      "in process 3": lanes.inProcess(3),
      "built-in": lanes.builtIn(),
      "ours 1": lanes.ours(1),
      "ours 3": lanes.ours(3),
      rust: lanes.rust?.(),
      "rust 1": lanes.rust?.(1),
      "rust 3": lanes.rust?.(3),
    };
    await run.withSessions(sessions, (open) => streamAll(open, scale.warmUpStreams, scale.streams, warm, cold));
  }
  return [...kinds.flatMap((kind) => rowsOf(kind.label, warm, kind.hasTargets)), coldRow(cold)];
}

async function streamAll(
  sessions: ReadonlyMap<string, BenchClient>,
  warmUps: number,
  rounds: number,
  warm: Samples,
  cold: Samples,
): Promise<void> {
  for (const { label, prompt, count, hasTargets } of kinds) {
    for (let round = -warmUps; round < rounds; round++) {
      for (const [name, session] of sessions) {
        const { ms, updates } = await session.prompt(prompt, count);
        const rate = (updates / ms) * 1_000;
        if (round >= 0) warm.add(`${label} ${name}`, rate);
        else if (round === -warmUps && hasTargets) cold.add(name, rate);
      }
    }
  }
}

function rowsOf(label: string, samples: Samples, hasTargets: boolean): Row[] {
  return chains.map(({ name, ours, rust, target }) => ({
    measure: `stream ${label}, ${name}`,
    unit: "updates/s",
    direct: samples.median(`${label} direct`),
    ours: samples.median(`${label} ${ours}`),
    rust: rust === undefined ? undefined : samples.median(`${label} ${rust}`),
    ...(hasTargets && target && { target }),
  }));
}

function coldRow(samples: Samples): Row {
  return {
    measure: "stream 5,000 x 40 B, 0 proxies, first of a process",
    unit: "updates/s",
    direct: samples.median("direct"),
    ours: samples.median("ours"),
    rust: samples.median("rust"),
  };
}
