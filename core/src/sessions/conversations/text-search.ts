import { leaves } from "./record-search.js";
import { asObject, parsedObject } from "../../base/rpc/json.js";
import { respelled } from "./json-spelling.js";
import { parseRecord, type StoredRecord, textOfBlocks } from "./stored-record.js";

export interface Hit {
  /** Number of the turn, starting at 1; 0 before the first prompt. */
  readonly turn: number;
  readonly who: "user" | "agent" | "tool";
  readonly excerpt: string;
}

const aroundHit = 80;

/**
 * Searches messages and tool inputs and outputs, ignoring case. Accepts a session's file in pieces of whole lines and parses only lines
 * that match.
 */
export class TextSearch {
  readonly #pattern: RegExp;
  readonly #plain: RegExp;
  #turn = 0;

  constructor(
    query: string,
    private readonly limit: number,
  ) {
    this.#pattern = new RegExp(escaped(JSON.stringify(query).slice(1, -1)), "gi");
    this.#plain = new RegExp(escaped(query), "i");
  }

  /** Returns the hits in the next piece of a session. `isLast` is true for the last piece. */
  hitsIn(lines: string, isLast: boolean): readonly Hit[] {
    const window = respelled(lines);
    const hits: Hit[] = [];
    let counted = 0;
    this.#pattern.lastIndex = 0;
    for (
      let found = this.#pattern.exec(window);
      found && hits.length < this.limit;
      found = this.#pattern.exec(window)
    ) {
      const start = window.lastIndexOf("\n", found.index) + 1;
      const end = window.indexOf("\n", found.index);
      this.#pattern.lastIndex = end;
      if (isChunk(window, start)) continue;
      const record = parseRecord(window.slice(start, end));
      this.#turn = turnAt(window.slice(counted, start), this.#turn);
      counted = start;
      const hit = record && this.#hitIn(record);
      if (hit) hits.push(hit);
    }
    this.#turn = turnAt(window.slice(counted), this.#turn);
    const excerpt = isLast ? this.#excerptOf(unsaidIn(window)) : undefined;
    if (excerpt !== undefined && hits.length < this.limit) hits.push({ turn: this.#turn, who: "agent", excerpt });
    return hits;
  }

  #hitIn(record: StoredRecord): Hit | undefined {
    if (record.kind === "prompt") return this.#hit(record.turn, "user", textOfBlocks(record.prompt));
    if (record.kind === "said") return this.#hit(this.#turn, "agent", record.said);
    if (record.kind !== "update" && record.kind !== "child") return undefined;
    const update = asObject(record.params["update"]);
    const kind = String(update?.["sessionUpdate"]);
    if (record.kind === "child" && kind === "agent_message_chunk") {
      return this.#hit(this.#turn, "agent", leaves(update?.["content"]).join("\n"));
    }
    if (kind === "tool_call" || kind === "tool_call_update") {
      const { title, content, rawInput, rawOutput } = update ?? {};
      return this.#hit(this.#turn, "tool", leaves([title, content, rawInput, rawOutput]).join("\n"));
    }
    return kind === "plan" ? this.#hit(this.#turn, "agent", leaves(update?.["entries"]).join("\n")) : undefined;
  }

  #hit(turn: number, who: Hit["who"], text: string): Hit | undefined {
    const excerpt = this.#excerptOf(text);
    return excerpt === undefined ? undefined : { turn, who, excerpt };
  }

  #excerptOf(text: string): string | undefined {
    const place = text.search(this.#plain);
    if (place === -1) return undefined;
    const start = Math.max(0, place - aroundHit);
    const end = place + 2 * aroundHit;
    const excerpt = text.slice(start, end).toWellFormed().replace(/\s+/g, " ").trim();
    return `${start > 0 ? "…" : ""}${excerpt}${end < text.length ? "…" : ""}`;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

const chunkLine =
  /\{"at":\d+,"update":\{[^\n]{0,400}?"sessionUpdate"\s*:\s*"(?:agent_message|agent_thought|user_message)_chunk"/y;

/** Returns whether the line at `start` is a message chunk. Chunks are skipped, since a later line contains their joined text. */
function isChunk(window: string, start: number): boolean {
  chunkLine.lastIndex = start;
  return chunkLine.test(window);
}

/** Returns the number of the last turn that starts in `text`, or `before` if no turn starts there. */
function turnAt(text: string, before: number): number {
  let turn = before;
  for (const [, number] of text.matchAll(/^\{"at":\d+,"turn":(\d+),"prompt"/gm)) turn = Number(number);
  return turn;
}

/** Returns the agent's text that no joined line contains yet, which occurs in a running or killed turn. */
function unsaidIn(window: string): string {
  const last = Math.max(window.lastIndexOf(',"said":"'), window.lastIndexOf(',"summary":{'));
  const start = last === -1 ? 0 : window.indexOf("\n", last) + 1;
  const pieces: string[] = [];
  for (const line of window.slice(start).split("\n")) {
    if (!line.includes('"agent_message_chunk"')) continue;
    const update = asObject(asObject(parsedObject(line)?.["update"])?.["update"]);
    const text = asObject(update?.["content"])?.["text"];
    if (typeof text === "string") pieces.push(text);
  }
  return pieces.join("");
}
