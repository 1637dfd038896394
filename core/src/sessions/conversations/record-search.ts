import { asObject } from "../../base/rpc/json.js";
import { outputOf } from "./past-calls.js";
import { TurnCalls } from "./turn-calls.js";
import { type StoredRecord, textOfBlocks } from "./stored-record.js";

interface FoundPlace {
  readonly turn: number;
  readonly who: "user" | "agent" | "tool";
  /** Reference of a tool call, such as `t12c3`. */
  readonly ref?: string;
  readonly excerpt: string;
}

const beforeHit = 100;
const excerptLength = 360;
/** Words too common to search for. */
const empty = new Set(
  "the a an of to in on is was were what which who did do does how that this it for and or with".split(" "),
);

/**
 * Finds places with the words of `query` in any case and order, at most `limit`. An exact phrase ranks first, then the number of words,
 * then newer places.
 */
export function searchRecords(records: Iterable<StoredRecord>, query: string, limit: number): readonly FoundPlace[] {
  const phrase = query.trim().toLowerCase();
  const all = phrase.split(/[^\p{L}\p{N}_./:@-]+/u).filter((word) => word !== "");
  const telling = all.filter((word) => !empty.has(word));
  const words = [...new Set(telling.length > 0 ? telling : all)];
  if (words.length === 0) return [];
  const found: { readonly score: number; readonly order: number; readonly place: FoundPlace }[] = [];
  let order = 0;
  for (const { text, ...where } of textsOf(records)) {
    order++;
    const low = text.toLowerCase();
    const places = words.map((word) => low.indexOf(word)).filter((place) => place !== -1);
    if (places.length === 0) continue;
    const exact = low.indexOf(phrase);
    const score = (exact === -1 ? 0 : words.length) + places.length;
    const at = exact === -1 ? densest(low, words, places) : exact;
    found.push({ score, order, place: { ...where, excerpt: excerptAt(text, at) } });
    // Drop all but the best matches.
    if (found.length > 4 * limit) found.sort(byScore).splice(2 * limit);
  }
  return found
    .sort(byScore)
    .slice(0, limit)
    .map(({ place }) => place);
}

function byScore(
  a: { readonly score: number; readonly order: number },
  b: { readonly score: number; readonly order: number },
): number {
  return b.score - a.score || b.order - a.order;
}

interface FoundText extends Omit<FoundPlace, "excerpt"> {
  readonly text: string;
}

/** Yields messages and actions one by one, in order. */
function* textsOf(records: Iterable<StoredRecord>): Generator<FoundText> {
  let turn = 0;
  let said = "";
  const calls = new TurnCalls();
  function* spoken(): Generator<FoundText> {
    if (said.trim() !== "") yield { turn, who: "agent", text: said };
    said = "";
  }
  for (const record of records) {
    if (record.kind === "prompt") {
      yield* spoken();
      turn = record.turn;
      calls.begin(turn);
      yield { turn, who: "user", text: textOfBlocks(record.prompt) };
    } else if (record.kind === "permission") {
      const { toolCall } = asObject(record.permission) ?? {};
      const text = leaves([asObject(toolCall)?.["title"], asObject(toolCall)?.["rawInput"], record.answer]).join("\n");
      yield { turn, who: "user", text: `permission: ${text}` };
    } else if (record.kind === "end") {
      yield* spoken();
      const { message } = asObject(record.end) ?? {};
      if (typeof message === "string") yield { turn, who: "agent", text: message };
    } else if (record.kind === "update") {
      const update = asObject(record.params["update"]) ?? {};
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
          said += textOfBlocks([update["content"]]);
          break;
        case "user_message_chunk":
          yield* spoken();
          yield { turn, who: record.byUser ? "user" : "agent", text: textOfBlocks([update["content"]]) };
          break;
        case "plan":
          yield* spoken();
          yield { turn, who: "agent", text: `plan: ${leaves(update["entries"]).join("\n")}` };
          break;
        case "tool_call":
        case "tool_call_update": {
          yield* spoken();
          const ref = calls.refOf(update["toolCallId"]);
          const { title, rawInput, content } = update;
          const diffs = Array.isArray(content) ? (content as readonly unknown[]).filter(isDiff) : [];
          const text = [...leaves([title, rawInput, diffs]), outputOf(update)].filter((one) => one !== "").join("\n");
          if (text !== "") yield { turn, who: "tool", ref, text };
          break;
        }
      }
    }
  }
  yield* spoken();
}

function isDiff(item: unknown): boolean {
  return asObject(item)?.["type"] === "diff";
}

/** Returns the position where most of the words are close together. */
function densest(text: string, words: readonly string[], places: readonly number[]): number {
  let best = places[0] ?? 0;
  let most = 0;
  for (const place of places) {
    const window = text.slice(Math.max(0, place - beforeHit), place + excerptLength - beforeHit);
    const count = words.filter((word) => window.includes(word)).length;
    if (count > most) [most, best] = [count, place];
  }
  return best;
}

function excerptAt(text: string, place: number): string {
  const start = Math.max(0, place - beforeHit);
  const end = start + excerptLength;
  const cut = text.slice(start, end).toWellFormed().replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${cut}${end < text.length ? "…" : ""}`;
}

export function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leaves);
}
