import type { InstallProgress } from "../../../base/node/archives/install-progress.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { byteCount } from "../../../agents/registry/download-size.js";

interface ProgressOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const barWidth = 20;
const eraseLine = "\r\u001b[K";

/** Displays installation progress: a single updated line in a terminal, otherwise one line per step. Disposing erases the line. */
export class ProgressDisplay implements Disposable {
  #last = "";

  constructor(private readonly output: ProgressOutput) {}

  show(progress: InstallProgress): void {
    const { isTTY, columns = 80 } = this.output;
    if (isTTY === true && progress.step === "done") {
      this.clear();
      return;
    }
    const line = isTTY === true ? progressLine(progress, columns - 1) : plainText(progress.text);
    if (line === this.#last) return;
    this.#last = line;
    this.output.write(isTTY === true ? `${eraseLine}${line}` : `${line}\n`);
  }

  clear(): void {
    if (this.output.isTTY === true && this.#last !== "") this.output.write(eraseLine);
    this.#last = "";
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/** Formats a step as one line of at most `width` characters, with a bar if the total is known and a byte count if available. */
export function progressLine({ text, bytes, totalBytes }: InstallProgress, width: number): string {
  return [...amountOf(bytes, totalBytes), plainText(text)].join("  ").slice(0, width);
}

function amountOf(bytes: number | undefined, totalBytes: number | undefined): string[] {
  if (bytes === undefined) return [];
  if (totalBytes === undefined || totalBytes === 0) return [byteCount(bytes)];
  const share = Math.min(1, bytes / totalBytes);
  const bar = "#".repeat(Math.round(share * barWidth)).padEnd(barWidth, "-");
  return [
    `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}%`,
    `${byteCount(bytes)} of ${byteCount(totalBytes)}`,
  ];
}
