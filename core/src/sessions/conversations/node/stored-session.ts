import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as others } from "node:timers/promises";
import { SessionLines } from "../session-lines.js";
import { parseRecord, type SessionHeader, type SessionSummary } from "../stored-record.js";
import { linesIn, windowsOf } from "./stored-lines.js";

/** Number of bytes to read at the start and at the end of a file; both together usually contain the summary. */
const endLength = 64 * 1024;

export interface StoredSession
  extends SessionSummary, Pick<SessionHeader, "session" | "cwd" | "client" | "branch" | "started"> {
  /** Id of the conversation: the file name without suffix. */
  readonly id: string;
  readonly updated: number;
  readonly bytes: number;
}

interface ReadSession {
  readonly header: SessionHeader;
  readonly summary: SessionSummary;
}

/**
 * Reads a session's summary from both ends of its file, or from the whole file if the ends don't suffice. Returns undefined for a file in
 * another format.
 */
export async function readSummary(file: string): Promise<ReadSession | undefined> {
  const { head, tail } = endsOf(file);
  const first = parseRecord(head.slice(0, Math.max(0, head.indexOf("\n"))));
  if (first?.kind !== "header") return undefined;
  const { header } = first;
  return { header, summary: summaryAtEnd(tail) ?? (await summaryOfAll(file, header)) };
}

function endsOf(file: string): { readonly head: string; readonly tail: string } {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const head = textAt(descriptor, 0, Math.min(size, endLength));
    return { head, tail: size <= endLength ? head : textAt(descriptor, size - endLength, endLength) };
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether a line doesn't affect the summary. */
function isSilent(line: string): boolean {
  return /^\{"at":\d+,"(?:update|child)"/.test(line) && !/"session_info_update"|"user_message_chunk"/.test(line);
}

/** Reads the summary of the last ended turn and later titles; undefined if another turn has started since. */
function summaryAtEnd(tail: string): SessionSummary | undefined {
  const lines = tail.split("\n");
  const later: string[] = [];
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? "";
    if (isSilent(line)) continue;
    const record = parseRecord(line);
    if (record?.kind === "prompt") return undefined;
    if (record?.kind === "update") later.unshift(JSON.stringify(record.params));
    if (record?.kind !== "end") continue;
    const made = new SessionLines(record.summary);
    for (const params of later) made.of({ kind: "update", at: 0, params });
    return made.summary;
  }
  return undefined;
}

/**
 * Builds the summary from the whole file, which is necessary if, for example, the process was killed during a turn. Lets other work run
 * between pieces.
 */
async function summaryOfAll(file: string, { agent = "" }: SessionHeader): Promise<SessionSummary> {
  let made = new SessionLines({ agent });
  for (const window of windowsOf(file)) {
    for (const line of linesIn(window)) {
      if (isSilent(line)) continue;
      const record = parseRecord(line);
      if (record?.kind === "update") made.of({ kind: "update", at: 0, params: JSON.stringify(record.params) });
      if (record?.kind === "prompt") {
        made = new SessionLines({ ...made.summary, turns: record.turn - 1 });
        made.of({ kind: "prompt", at: 0, blocks: JSON.stringify(record.prompt) });
      }
      if (record?.kind === "end") made = new SessionLines(record.summary);
    }
    await others();
  }
  return made.summary;
}

function textAt(descriptor: number, position: number, length: number): string {
  const buffer = Buffer.alloc(length);
  return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, length, position));
}
