import { setImmediate as others } from "node:timers/promises";
import { parseRecord, type SessionSummary, type StoredRecord } from "../stored-record.js";
import { linesIn, windowsOf } from "./stored-lines.js";

/** What a fork of a session has of its file. */
interface CopiedPart {
  /** Where it ends, in bytes. */
  readonly end: number;
  readonly summary: SessionSummary;
}

/**
 * The part of a session's file that a fork at the agent's message `messageId` has: until the end of the turn in which that was said.
 * Undefined where the file has no such message.
 */
export async function copiedPart(
  path: string,
  messageId: string,
  { title, agent }: SessionSummary,
): Promise<CopiedPart | undefined> {
  const marker = JSON.stringify(messageId);
  let summary: SessionSummary = { title, agent, turns: 0, tokens: 0 };
  let isFound = false;
  let end = 0;
  for (const window of windowsOf(path)) {
    for (const line of linesIn(window)) {
      const isTold: boolean =
        line.includes('"prompt":') || line.includes('"end":') || (!isFound && line.includes(marker));
      const record: StoredRecord | undefined = isTold ? parseRecord(line) : undefined;
      if (record?.kind === "prompt") {
        if (isFound) return { end, summary };
        summary = { ...summary, turns: record.turn };
      } else if (record?.kind === "end") summary = record.summary;
      else if (record?.kind === "update") isFound ||= messageIdIn(record.params) === messageId;
      end += Buffer.byteLength(line) + 1;
    }
    await others();
  }
  return isFound ? { end, summary } : undefined;
}

/** The lines of a session's file but its header, until `end`, in pieces. */
export function* copiedLines(path: string, end?: number): Generator<string> {
  let isFirst = true;
  for (const window of windowsOf(path, 0, end)) {
    yield isFirst ? window.slice(window.indexOf("\n") + 1) : window;
    isFirst = false;
  }
}

function messageIdIn(params: Readonly<Record<string, unknown>>): unknown {
  const { update } = params;
  return typeof update === "object" && update !== null && "messageId" in update ? update.messageId : undefined;
}
