import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

interface Log {
  readonly path: string;
  readonly stream: Promise<WriteStream | undefined>;
  chars: number;
}

/**
 * The whole output of each command, in a file for each. A file ends at `maxChars` with a line that says so. All files
 * go with this object; a folder that an earlier window left is emptied.
 */
export class OutputLogs implements AsyncDisposable {
  readonly #logs = new Map<string, Log>();
  #ready: Promise<unknown> | undefined;

  /** `folder` is this window's own. */
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
      ? `${text}\n[The log ends here: it has reached its limit of ${this.maxChars} characters.]\n`
      : text;
    void log.stream.then((stream) => stream?.write(written));
  }

  /** The file with the output of a command so far, or undefined when it has written nothing. */
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

/** Undefined when the disk refuses: output is still shown, only its whole length is lost. */
function openStream(path: string): Promise<WriteStream | undefined> {
  return new Promise((resolve) => {
    const stream = createWriteStream(path, { flags: "w", mode: 0o600 });
    stream.once("open", () => resolve(stream));
    stream.on("error", () => resolve(undefined));
  });
}
