import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

interface Log {
  readonly path: string;
  readonly stream: Promise<WriteStream | undefined>;
  chars: number;
}

/**
 * Full output of each command, in one file per command. A file ends at `maxChars` with a note. Disposing deletes all files; the first log
 * also clears a folder left by an earlier window.
 */
export class OutputLogs implements AsyncDisposable {
  readonly #logs = new Map<string, Log>();
  #ready: Promise<unknown> | undefined;

  /** Creates the logs in `folder`, which no other window may use. */
  constructor(
    private readonly folder: string,
    private readonly maxChars = 64_000_000,
  ) {}

  append(terminalId: string, text: string): void {
    const log = this.#logs.get(terminalId) ?? this.#create(terminalId);
    if (log.chars > this.maxChars) return;
    log.chars += text.length;
    const isFull = log.chars > this.maxChars;
    const written = isFull
      ? `${text}\n[The log ends here: it reached its limit of ${this.maxChars} characters.]\n`
      : text;
    void log.stream.then((stream) => stream?.write(written));
  }

  /** Returns the file with a command's output so far, or undefined without output. */
  async fileOf(terminalId: string): Promise<string | undefined> {
    const log = this.#logs.get(terminalId);
    const stream = await log?.stream;
    if (!log || !stream) return undefined;
    await new Promise((resolve) => stream.write("", resolve));
    return log.path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const streams = await Promise.all([...this.#logs.values()].map((log) => log.stream));
    await Promise.all(streams.map(closed));
    this.#logs.clear();
    if (this.#ready) await rm(this.folder, { recursive: true, force: true });
  }

  #create(terminalId: string): Log {
    const path = join(this.folder, `${terminalId.replaceAll(/[^\w.-]/g, "_")}.log`);
    this.#ready ??= rm(this.folder, { recursive: true, force: true }).then(() =>
      mkdir(this.folder, { recursive: true, mode: 0o700 }),
    );
    const log: Log = { path, stream: this.#ready.then(() => openStream(path)).catch(() => undefined), chars: 0 };
    this.#logs.set(terminalId, log);
    return log;
  }
}

function closed(stream: WriteStream | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stream) stream.end(resolve);
    else resolve();
  });
}

/** Creates a log file. Returns undefined if the file can't be created; the output is then shown but not logged. */
function openStream(path: string): Promise<WriteStream | undefined> {
  return new Promise((resolve) => {
    const stream = createWriteStream(path, { flags: "w", mode: 0o600 });
    stream.once("open", () => resolve(stream));
    stream.on("error", () => resolve(undefined));
  });
}
