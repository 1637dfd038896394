import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { SessionLines } from "../session-lines.js";
import { parseRecord, type SessionHeader, type SessionSummary } from "../stored-record.js";
import { linesOf } from "./stored-lines.js";

/** Bytes at both ends of a file in which what a list says of it usually stands. */
const endLength = 64 * 1024;

/** A file of the folder, as lists show it. */
export interface StoredSession extends SessionSummary {
  /** Of the conversation: the name of its file, without the ending. */
  readonly id: string;
  /** What the editor called it. */
  readonly session: string;
  readonly cwd: string;
  readonly client?: string;
  readonly branch?: string;
  readonly started: number;
  readonly updated: number;
  readonly bytes: number;
}

/** What a file says of itself, by its two ends where these are enough; undefined for one that is none of ours. */
export function readSummary(file: string): { header: SessionHeader; summary: SessionSummary } | undefined {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const head = textAt(descriptor, 0, Math.min(size, endLength));
    const first = parseRecord(head.slice(0, Math.max(0, head.indexOf("\n"))));
    if (first?.kind !== "header") return undefined;
    const tail = size <= endLength ? head : textAt(descriptor, size - endLength, endLength);
    const summary = summaryAtEnd(tail) ?? summaryOfAll(file);
    return { header: first.header, summary };
  } finally {
    closeSync(descriptor);
  }
}

/** By the last turn that has ended, where no other one has begun since. */
function summaryAtEnd(tail: string): SessionSummary | undefined {
  const lines = tail.split("\n");
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? "";
    if (/^\{"at":\d+,"update"/.test(line)) continue;
    const record = parseRecord(line);
    if (record?.kind === "prompt") return undefined;
    if (record?.kind === "end") return record.summary;
  }
  return undefined;
}

/** By reading all of it, as for a turn that was killed. */
function summaryOfAll(file: string): SessionSummary {
  const lines = new SessionLines();
  let last: SessionSummary | undefined;
  let turns = 0;
  for (const line of linesOf(file)) {
    if (/^\{"at":\d+,"update"/.test(line) && !/"session_info_update"|"user_message_chunk"/.test(line)) continue;
    const record = parseRecord(line);
    if (record?.kind === "update") lines.of({ kind: "update", at: 0, params: JSON.stringify(record.params) });
    if (record?.kind === "prompt") {
      lines.of({ kind: "prompt", at: 0, blocks: JSON.stringify(record.prompt) });
      turns = record.turn;
    }
    if (record?.kind === "end") last = record.summary;
  }
  const { title, agent, tokens } = last ?? lines.summary;
  return { title: title === "" ? lines.summary.title : title, agent, tokens, turns };
}

function textAt(descriptor: number, position: number, length: number): string {
  const buffer = Buffer.alloc(length);
  return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, length, position));
}
