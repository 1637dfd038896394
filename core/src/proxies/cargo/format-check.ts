/** Where one file differs from what rustfmt would write. */
interface UnformattedFile {
  readonly file: string;
  /** The first line of each difference, from 1. */
  readonly lines: readonly number[];
}

/** Takes the lines that are no difference: what rustfmt and cargo say in words. */
interface LineReader {
  line(line: string): void;
  close(): void;
}

/** Reads the differences that `cargo fmt --check` prints. */
export class FormatCheck {
  readonly #files = new Map<string, number[]>();
  #isInDiff = false;

  get files(): readonly UnformattedFile[] {
    return [...this.#files].map(([file, lines]) => ({ file, lines }));
  }

  line(line: string, others: LineReader): void {
    // Up to rustfmt 1.5 it said `at line N:`.
    const [, file, number] = /^Diff in (.+?)(?::| at line )(\d+):$/.exec(line) ?? [];
    if (file !== undefined) {
      const lines = this.#files.get(file) ?? [];
      this.#files.set(file, [...lines, Number(number)]);
      this.#isInDiff = true;
      others.close();
    } else if (/^(?:error|warning)(?:\[\w+\])?: /.test(line)) {
      this.#isInDiff = false;
      others.line(line);
    } else if (!this.#isInDiff || !/^(?:[ +-]|$)/.test(line)) {
      others.line(line);
    }
  }
}
