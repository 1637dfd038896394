import { performance } from "node:perf_hooks";
import { conductorWords, shellWords } from "../../support/conductor-command.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const updates = 50_000;
const outputs = ["text", "jsonl"] as const;

/** Updates a second that `chat PROMPT` prints to a pipe, from its first output to its end. */
export async function measureChatOutput(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  for (let round = -1; round < run.scale.launches; round++) {
    for (const output of outputs) {
      const rate = await printedPerSecond(run, output);
      if (round >= 0) samples.add(output, rate);
    }
  }
  return [
    {
      measure: `chat, ${updates.toLocaleString("en")} x 40 B: text (direct) and jsonl`,
      unit: "updates/s",
      direct: samples.median("text"),
      ours: samples.median("jsonl"),
      target: { atLeastRatio: 0.8 },
    },
  ];
}

async function printedPerSecond(run: BenchRun, output: (typeof outputs)[number]): Promise<number> {
  const agent = shellWords(run.lanes.direct());
  const prompt = `stream ${updates} 40`;
  await using chat = run.startProgram([
    ...conductorWords,
    "chat",
    "--agent",
    agent,
    "--output",
    output,
    "--timeout",
    "600",
    prompt,
  ]);
  let first: number | undefined;
  let bytes = 0;
  chat.process.stdout.on("data", (chunk: Buffer) => {
    first ??= performance.now();
    bytes += chunk.length;
  });
  const end = await chat.exited;
  if (first === undefined || bytes < updates * 40) throw new Error(`${bytes} bytes came; ${end} ${chat.stderrTail}`);
  return (updates / (performance.now() - first)) * 1_000;
}
