import {
  missingSignals,
  type Recording,
  recordings,
  reportOf,
  shortLength,
} from "../extensions/cargo/cargo-recordings.js";
import { tableOf } from "./text-table.js";

/** Prints how much of each recorded run the cargo tools tell, and in how many bytes; exits with 1 when a planted signal is lost. */
function main(): void {
  const rows = recordings.map(rowOf);
  process.stdout.write(`${tableOf([header, ...rows.map(({ cells }) => cells)])}\n`);
  for (const { name, missing } of rows) {
    for (const signal of missing) process.stdout.write(`${name} does not tell ${String(signal)}\n`);
  }
  process.exitCode = rows.some(({ missing }) => missing.length > 0) ? 1 : 0;
}

/** `raw` is what people read of the run, `short -q` cargo's own short form; all in bytes, the ratio is ours to raw. */
const header = ["fixture", "raw", "short -q", "ours", "ratio", "signals"] as const;

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
  readonly missing: readonly (string | RegExp)[];
}

function rowOf(recording: Recording): Row {
  const { name, signals } = recording;
  const { text, log } = reportOf(recording);
  const [raw, ours] = [Buffer.byteLength(log), Buffer.byteLength(text)];
  const missing = missingSignals(recording, text);
  const short = shortLength(recording) ?? "-";
  const found = `${signals.length - missing.length}/${signals.length}`;
  return { name, missing, cells: [name, `${raw}`, `${short}`, `${ours}`, (ours / raw).toFixed(2), found] };
}

main();
