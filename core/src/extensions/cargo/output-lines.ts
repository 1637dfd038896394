import { BoundedLines } from "../runs/bounded-lines.js";

interface TidyOutput {
  readonly lines: readonly string[];
  /** Number of dropped backtrace lines and hints about backtraces. */
  readonly dropped: number;
}

const hint = /^\s*note: (?:run with `RUST_BACKTRACE=|Some details are omitted, run with|To improve backtraces)/;
const frame = /^\s*(?:\d+: |at |\[\.\.\.|\[\d+ frames? omitted)/;

/** Detects backtraces and hints about them, line by line. */
export class BacktraceFilter {
  dropped = 0;
  #isInBacktrace = false;

  keeps(line: string): boolean {
    if (/^\s*[Ss]tack backtrace:$/.test(line)) this.#isInBacktrace = true;
    else if (this.#isInBacktrace && !frame.test(line)) this.#isInBacktrace = false;
    const isDropped = this.#isInBacktrace || hint.test(line);
    if (isDropped) this.dropped++;
    return !isDropped;
  }
}

/** Drops backtraces and their hints. Also drops leading, trailing and repeated blank lines. */
export function tidyOutput(lines: readonly string[]): TidyOutput {
  const filter = new BacktraceFilter();
  const kept: string[] = [];
  for (const line of lines) {
    if (filter.keeps(line) && (line.trim() !== "" || kept.at(-1)?.trim())) kept.push(line);
  }
  while (kept.at(-1)?.trim() === "") kept.pop();
  return { lines: kept, dropped: filter.dropped };
}

/** Shortens printed compiler errors: drops the quoted source and puts the place first, then message and help. */
export function withoutSource(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const place = /^\s*--> (.+)$/.exec(line)?.[1];
    const headline = kept.at(-1);
    if (place !== undefined && headline !== undefined && /^\s*(?:error|warning)/.test(headline)) {
      kept[kept.length - 1] = `${place}: ${headline.trimStart()}`;
    } else if (
      /^For more information about (?:this|an) error|^error: aborting due to|^Couldn't compile the test/.test(line)
    ) {
      continue;
    } else if (/^\s*\d* \|/.test(line)) {
      const label = /^\s*\|[\s|_]*[\^]+ (\S.*)$/.exec(line)?.[1];
      if (label !== undefined && headline !== undefined) kept[kept.length - 1] = `${headline}: ${label}`;
    } else {
      kept.push(line);
    }
  }
  return kept;
}

const length = { head: 40, tail: 60 };

/** A test's output, limited in length and without backtraces. */
export class CapturedOutput {
  readonly #lines = new BoundedLines(length.head, length.tail);
  readonly #filter = new BacktraceFilter();

  push(line: string): void {
    if (this.#filter.keeps(line)) this.#lines.push(line);
  }

  /** The retained lines, without a mark in place of the `omitted` ones. */
  get lines(): readonly string[] {
    return [...this.#lines.head, ...this.#lines.tail];
  }

  get omitted(): number {
    return this.#lines.omitted;
  }

  get backtrace(): number {
    return this.#filter.dropped;
  }
}
