import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

/** The least that a sandbox takes: namespaces and one mount, for a program that ends at once. */
const bareSandbox = [
  ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--disable-userns"],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--", "/bin/true"],
];

/** From the start of the process to the answer to `initialize`, with the agent in a sandbox and without, in turns. */
export async function measureSandboxStart(run: BenchRun): Promise<Row[]> {
  const { lanes, scale } = run;
  const samples = new Samples();
  const measured = { rules: lanes.guarded("rules"), sandbox: lanes.guarded("sandbox") };
  const warmUps = 1;
  for (let round = -warmUps; round < scale.starts; round++) {
    for (const [name, lane] of Object.entries(measured)) {
      const start = performance.now();
      await using client = run.start(lane);
      await client.initialize();
      if (round >= 0) samples.add(name, performance.now() - start);
    }
    const start = performance.now();
    const { status, stderr } = spawnSync("bwrap", bareSandbox, { encoding: "utf8" });
    if (status !== 0) throw new Error(`bwrap does not start here: ${stderr}`);
    if (round >= 0) samples.add("bare", performance.now() - start);
  }
  return [
    {
      measure: "initialize, the agent in a sandbox, added to the same without",
      unit: "ms",
      isAdded: true,
      direct: samples.median("rules"),
      ours: samples.difference("sandbox", "rules"),
      target: { atMost: 100 },
    },
    { measure: "start of a bare sandbox, without the product", unit: "ms", ours: samples.median("bare") },
  ];
}
