import { appendFileSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { Logger } from "../../../base/logger.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { systemCode } from "../../../base/node/atomic-write.js";
import type { FindSecrets } from "../../../base/secrets/known-secrets.js";
import { isExistingPath } from "../../../base/secrets/node/existing-path.js";
import { TraceWriter } from "../trace-writer.js";

interface TraceFileOptions {
  /** The file's name without its ending; `<YYYYMMDD-HHMMSS>-<pid>`, in local time, when absent. */
  readonly name?: string;
  readonly logger?: Logger;
  /** Finds credentials by their form; see `loadSecretRules`. */
  readonly findSecrets?: FindSecrets;
}

/** A trace that is being written. Disposing writes what is left and closes the file. */
interface TraceFile extends Disposable {
  readonly writer: TraceWriter;
  readonly path: string;
}

/**
 * Starts a trace in `dir`, which is created where it is missing. Only the user may read the file: a trace
 * holds prompts and file contents. Throws a {@link SymposiumError} if the file cannot be created. A later failure is logged
 * once and ends the trace.
 */
export function openTraceFile(dir: string, options: TraceFileOptions = {}): TraceFile {
  const started = new Date();
  const lines = new LineFile(dir, options.name ?? defaultName(started), options.logger ?? Logger.silent);
  const writer = new TraceWriter({
    writeLine: (line) => lines.append(line),
    nowMs: () => performance.now(),
    started,
    ...(options.findSecrets && { findSecrets: options.findSecrets }),
    isExistingPath,
  });
  const endOnExit = (): void => writer.end();
  // Before the lines are written.
  process.prependOnceListener("exit", endOnExit);
  return {
    writer,
    path: lines.path,
    [Symbol.dispose]: () => {
      process.off("exit", endOnExit);
      writer.end();
      lines.close();
    },
  };
}

/** Appends lines, those of one tick in one write, which is done when it returns: a crash loses no more than a tick. */
class LineFile {
  readonly path: string;
  readonly #flushOnExit = (): void => this.#flush();
  #descriptor: number | undefined;
  #lines: string[] = [];

  constructor(
    dir: string,
    name: string,
    private readonly logger: Logger,
  ) {
    try {
      makeFolder(dir);
      [this.path, this.#descriptor] = createFile(dir, name);
    } catch (failure) {
      const hint = "Choose a folder for traces that you can write to.";
      const message = `No trace can be written to ${dir}: ${messageOf(failure)}.`;
      throw new SymposiumError("invalid-arguments", message, hint, { cause: failure });
    }
    process.once("exit", this.#flushOnExit);
  }

  append(line: string): void {
    if (this.#descriptor === undefined) return;
    this.#lines.push(line);
    if (this.#lines.length === 1) setImmediate(() => this.#flush());
  }

  close(): void {
    this.#flush();
    process.off("exit", this.#flushOnExit);
    if (this.#descriptor !== undefined) closeQuietly(this.#descriptor);
    this.#descriptor = undefined;
  }

  #flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (this.#descriptor === undefined || lines.length === 0) return;
    try {
      appendFileSync(this.#descriptor, `${lines.join("\n")}\n`);
    } catch (failure) {
      this.#giveUp(failure);
    }
  }

  #giveUp(failure: unknown): void {
    this.#lines = [];
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    this.logger.error("trace stopped", { path: this.path, reason: messageOf(failure) });
    if (descriptor !== undefined) closeQuietly(descriptor);
  }
}

/** Creates a folder and those above it. Node's own `recursive` never returns for folders of /proc. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (failure) {
    // Another process made it meanwhile.
    if (systemCode(failure) !== "EEXIST") throw failure;
  }
}

/** Exclusive creation follows no link that somebody else put there, and shares no file with another trace. */
function createFile(dir: string, name: string): [path: string, descriptor: number] {
  for (let attempt = 1; ; attempt++) {
    const path = join(dir, attempt === 1 ? `${name}.jsonl` : `${name}-${attempt}.jsonl`);
    try {
      return [path, openSync(path, "ax", 0o600)];
    } catch (failure) {
      if (systemCode(failure) !== "EEXIST") throw failure;
    }
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // What could be written has been: there is nothing left to lose.
  }
}

function defaultName(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}-${process.pid}`;
}
