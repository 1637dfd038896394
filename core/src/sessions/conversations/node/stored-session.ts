import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { setImmediate as others } from "node:timers/promises";
import { SessionLines } from "../session-lines.js";
import { parseRecord, type SessionHeader, type SessionSummary } from "../stored-record.js";
import { linesIn, windowsOf } from "./stored-lines.js";

/** Bytes at both ends of a file in which what a list says of it usually stands. */
const endLength = 64 * 1024;

/** A file of the folder, as lists show it. */
export interface StoredSession
  extends SessionSummary, Pick<SessionHeader, "session" | "cwd" | "client" | "branch" | "started"> {
  /** Of the conversation: the name of its file, without the ending. */
  readonly id: string;
  readonly updated: number;
  readonly bytes: number;
}

/** What a file says of itself: who it is about, and what a list says of it. */
interface ReadSession {
  readonly header: SessionHeader;
  readonly summary: SessionSummary;
}

/** Reads a file's two ends, and all of it only where these are not enough; undefined for one that is none of ours. */
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

/** Lines of updates that say nothing for a list. */
function isSilent(line: string): boolean {
  return /^\{"at":\d+,"(?:update|child)"/.test(line) && !/"session_info_update"|"user_message_chunk"/.test(line);
}

/** By the last turn that has ended, where no other one has begun since, and the title that came later. */
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

/** By reading all of it, as for a turn that was killed. Others have their turn between the pieces of a long file. */
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
