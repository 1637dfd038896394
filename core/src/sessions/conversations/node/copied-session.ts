import { setImmediate as others } from "node:timers/promises";
import { parseRecord, type SessionSummary, type StoredRecord } from "../stored-record.js";
import { linesIn, windowsOf } from "./stored-lines.js";

interface CopiedPart {
  /** Byte offset at which the copied part ends. */
  readonly end: number;
  readonly summary: SessionSummary;
}

/**
 * Returns the part of a session's file up to the end of the turn with the agent's message `messageId`. Undefined if the message is missing.
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

/** Yields the lines of a session's file in pieces, without the header, up to `end`. */
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
