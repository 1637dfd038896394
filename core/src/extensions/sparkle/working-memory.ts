import { createScanner, type Node } from "jsonc-parser";
import { asObject } from "../../base/rpc/json.js";
import { JsonDocument } from "../../settings/json-document.js";
import { tokens } from "../../settings/json-insertion.js";
import { withItem, withSetting } from "../../settings/settings-edit.js";
import { memoryFault } from "./services.js";
import { utf8Length } from "../../base/text-bounds.js";

/** Name of the file with a workspace's working memory in `.sparkle-space`. */
export const workingMemoryFile = "working-memory.jsonc";

export type MemoryEntry = Readonly<Record<string, unknown>>;

export interface WorkingMemory {
  /** Entries of the working memory, oldest first. */
  readonly entries: readonly MemoryEntry[];
  /** Properties that people wrote into the file next to `entries`. */
  readonly pinned: MemoryEntry;
  /** Number of entries that were moved to the archive. */
  readonly archived: number;
}

const template = `{
  // What Sparkle keeps of this workspace between sessions, the newest entry last.
  // Edit or delete whatever you like. Members that you add beside "entries" are shown to every new session;
  // "archived" counts the older entries that moved to archive/.
  "entries": []
}
`;

/** Parses a working memory file. Returns undefined if the text isn't JSON with comments whose root object has a list `entries`. */
export function parseWorkingMemory(text: string): WorkingMemory | undefined {
  const { root, value, isBroken } = JsonDocument.parse(text);
  if (root === undefined && !isBroken) return { entries: [], pinned: {}, archived: 0 };
  const members = asObject(value);
  if (!members) return undefined;
  const { entries = [], archived, ...pinned } = members;
  if (!Array.isArray(entries)) return undefined;
  const objects = entries.flatMap((entry: unknown): MemoryEntry[] => {
    const object = typeof entry === "string" ? { note: entry } : asObject(entry);
    return object ? [object] : [];
  });
  return { entries: objects, pinned, archived: typeof archived === "number" ? archived : 0 };
}

/** Text of a changed working memory, and the raw text of the removed entries including their comments. */
interface ChangedMemory {
  readonly text: string;
  readonly moved: string | undefined;
}

/**
 * Appends an entry and keeps all other text, including comments; throws if the text can't be edited. If the text is larger than `limit`
 * bytes, removes the oldest entries until half of the limit remains, but never the new entry.
 */
export function withMemoryEntry(text: string | undefined, entry: MemoryEntry, limit: number): ChangedMemory {
  const given = text === undefined || text.trim() === "" ? template : text;
  const mark = given.startsWith("\uFEFF") ? "\uFEFF" : "";
  editable(given.slice(mark.length));
  const added = withItem(given.slice(mark.length), ["entries"], entry, workingMemoryFile);
  if (utf8Length(added) <= limit) return { text: mark + added, moved: undefined };
  const bounded = withoutOldest(added, limit / 2);
  return { text: mark + bounded.text, moved: bounded.moved };
}

function withoutOldest(text: string, target: number): ChangedMemory {
  const document = editable(text);
  const list = document.nodeAt(["entries"]);
  const items = list?.children ?? [];
  let size = utf8Length(text);
  let count = 0;
  let end = (list?.offset ?? 0) + 1;
  const start = end;
  for (const item of items.slice(0, -1)) {
    if (size <= target) break;
    const next = endOfItem(text, item);
    size -= utf8Length(text.slice(end, next));
    end = next;
    count++;
  }
  if (count === 0) return { text, moved: undefined };
  const old: unknown = document.nodeAt(["archived"])?.value;
  const total = count + (typeof old === "number" ? old : 0);
  const left = text.slice(0, start) + text.slice(end);
  return { text: withSetting(left, ["archived"], total, workingMemoryFile), moved: text.slice(start, end).trim() };
}

/** Returns the end of an item that isn't the last, including its comma and a comment on the same line. */
function endOfItem(text: string, item: Node): number {
  const scanner = createScanner(text);
  scanner.setPosition(item.offset + item.length);
  let end = item.offset + item.length;
  let isPastComma = false;
  for (let token: number = scanner.scan(); token !== tokens.end; token = scanner.scan()) {
    const tokenEnd = scanner.getTokenOffset() + scanner.getTokenLength();
    if (token === tokens.comma) isPastComma = true;
    else if (isPastComma && token !== tokens.space && token !== tokens.lineComment && token !== tokens.blockComment)
      break;
    if (token !== tokens.space) end = tokenEnd;
  }
  return end;
}

function editable(text: string): JsonDocument {
  const document = JsonDocument.parse(text);
  const [problem] = document.problems.filter(({ severity }) => severity === "error");
  if (problem) throw notEditable(`line ${problem.line}, column ${problem.column}: ${problem.message}`);
  const { root } = document;
  const list = document.nodeAt(["entries"]);
  if (root?.type !== "object" || (list && list.type !== "array")) {
    throw notEditable('it is not an object with a list "entries".');
  }
  return document;
}

function notEditable(reason: string): Error {
  return memoryFault(
    `${workingMemoryFile} was not changed, because it can't be read: ${reason}`,
    "Ask the user to correct or delete it.",
  );
}
