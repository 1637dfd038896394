import { appendFileSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { Logger } from "../../../base/logger.js";
import { invalidArguments, messageOf } from "../../../base/symposium-error.js";
import { systemCode } from "../../../base/node/atomic-write.js";
import type { FindSecrets } from "../../../base/secrets/known-secrets.js";
import { isExistingPath } from "../../../base/secrets/node/existing-path.js";
import { TraceWriter } from "../trace-writer.js";

interface TraceFileOptions {
  /** File name without suffix; default: `<YYYYMMDD-HHMMSS>-<pid>` in local time. */
  readonly name?: string;
  readonly logger?: Logger;
  /** Finds credentials by format; see `loadSecretRules`. */
  readonly findSecrets?: FindSecrets;
}

/** Open trace. Disposing writes pending events and closes the file. */
interface TraceFile extends Disposable {
  readonly writer: TraceWriter;
  readonly path: string;
}

/**
 * Starts a trace in `dir`, creating the folder if needed. The file is private, since a trace contains prompts and file contents. Throws a
 * {@link SymposiumError} if the file can't be created; a later failure is logged once and ends the trace.
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
  // Write pending events before the exit listener that writes the lines.
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

/** Appends lines with one synchronous write per tick, so that a crash loses at most a tick. */
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
      const hint = "Choose a writable folder for traces.";
      const message = `Can't write a trace to ${dir}: ${messageOf(failure)}.`;
      throw invalidArguments(message, hint, { cause: failure });
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

/** Creates a folder and its parents. Node's `recursive` option never returns for folders in /proc. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (failure) {
    // Another process may have created the folder meanwhile.
    if (systemCode(failure) !== "EEXIST") throw failure;
  }
}

/**
 * Creates a file exclusively, under a numbered name if the name is taken, so that the trace neither follows a planted link nor shares
 * another trace's file.
 */
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
    // Ignore the failure, since all that could be written has been written.
  }
}

function defaultName(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}-${process.pid}`;
}
