import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parsedObject } from "../../../base/rpc/json.js";
import { parseRecord, type StoredRecord } from "../stored-record.js";

const newline = 0x0a;
/** Bytes per piece, unless a line is longer. */
const windowLength = 1024 * 1024;

/** Yields a session's file from `start` to `end` in pieces of whole lines, to limit memory. Omits an incomplete last line. */
export function* windowsOf(file: string, start = 0, end = Infinity): Generator<string> {
  const descriptor = openSync(file, "r");
  try {
    let position = start;
    let buffer: Buffer = Buffer.allocUnsafe(Math.min(windowLength, fstatSync(descriptor).size + 1));
    /** Number of bytes at the start that belong to an incomplete line. */
    let rest = 0;
    for (;;) {
      if (rest === buffer.length) buffer = Buffer.concat([buffer], 2 * rest);
      const length = readSync(descriptor, buffer, rest, Math.min(buffer.length - rest, end - position), position);
      if (length === 0) break;
      position += length;
      const filled = rest + length;
      const last = buffer.subarray(rest, filled).lastIndexOf(newline);
      if (last === -1) {
        rest = filled;
        continue;
      }
      const next = rest + last + 1;
      yield buffer.toString("utf8", 0, next);
      buffer.copyWithin(0, next, filled);
      rest = filled - next;
    }
    const text = buffer.toString("utf8", 0, rest);
    // The last record is complete except for its newline.
    if (text !== "" && parsedObject(text)) yield `${text}\n`;
  } finally {
    closeSync(descriptor);
  }
}

/** Yields the lines of {@link windowsOf} without newlines. */
export function* linesOf(file: string, start = 0, end = Infinity): Generator<string> {
  for (const window of windowsOf(file, start, end)) yield* linesIn(window);
}

/** Yields the lines of a piece without newlines. */
export function* linesIn(window: string): Generator<string> {
  for (let from = 0; from < window.length;) {
    const to = window.indexOf("\n", from);
    yield window.slice(from, to);
    from = to + 1;
  }
}

export function* recordsOf(file: string): Generator<StoredRecord> {
  for (const line of linesOf(file)) {
    const record = parseRecord(line);
    if (record) yield record;
  }
}

/** Returns the byte offset after a file's last complete record, and whether its newline is missing. */
export function soundEnd(file: string): { readonly length: number; readonly lacksNewline: boolean } {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.allocUnsafe(64 * 1024);
    let tail: Buffer = Buffer.alloc(0);
    for (let position = size; position > 0;) {
      const length = Math.min(buffer.length, position);
      position -= length;
      const read = readSync(descriptor, buffer, 0, length, position);
      const last = buffer.subarray(0, read).lastIndexOf(newline);
      tail = Buffer.concat([buffer.subarray(last + 1, read), tail]);
      if (last === -1 && position > 0) continue;
      const isWhole = tail.length > 0 && parsedObject(tail.toString("utf8")) !== undefined;
      return isWhole ? { length: size, lacksNewline: true } : { length: position + last + 1, lacksNewline: false };
    }
    return { length: 0, lacksNewline: false };
  } finally {
    closeSync(descriptor);
  }
}
