import { readIfThere } from "../../base/node/atomic-write.js";
import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GuardRecord } from "../guard-record.js";

/** Size in bytes at which the log is rotated. Only one older file is kept. */
const maxBytes = 1024 * 1024;

/** Logs the guard's decisions as JSON lines in `guard/log.jsonl` next to config.jsonc. Only the user can read the log. */
export class GuardLog {
  readonly file: string;
  #writing: Promise<unknown> = Promise.resolve();

  /** Creates a log without writing anything. `config` is the folder of config.jsonc. */
  constructor(config: string) {
    this.file = join(config, "guard", "log.jsonl");
  }

  /** Appends a record to the log. Rejects if writing fails, but later records are still written. */
  add(record: GuardRecord): Promise<void> {
    const written = this.#writing.then(() => this.#append(`${JSON.stringify(record)}\n`));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Returns the newest `count` records, newest last. Skips truncated lines. */
  async last(count: number): Promise<readonly GuardRecord[]> {
    const texts = await Promise.all([`${this.file}.1`, this.file].map(read));
    const records = texts.join("").split("\n").flatMap(recordOf);
    return records.slice(-count);
  }

  async #append(line: string): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const size = await stat(this.file).then(
      (stats) => stats.size,
      () => 0,
    );
    if (size > maxBytes) await rename(this.file, `${this.file}.1`);
    await appendFile(this.file, line, { mode: 0o600 });
  }
}

async function read(file: string): Promise<string> {
  return (await readIfThere(file)) ?? "";
}

function recordOf(line: string): readonly GuardRecord[] {
  try {
    const value = JSON.parse(line) as GuardRecord;
    return typeof value.time === "string" && typeof value.subject === "string" ? [value] : [];
  } catch {
    return [];
  }
}
