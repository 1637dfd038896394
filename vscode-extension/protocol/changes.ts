import * as z from "zod/mini";
import { exitSchema, type Item, itemSchema } from "./items.js";
import { type TabState, tabStateSchema } from "./tab.js";

/**
 * One change to a tab's transcript or state. The extension creates, stores and sends changes; both the extension and the view apply them
 * with `applyChange`, so that the display always matches the store.
 */
export const changeSchema = z.discriminatedUnion("op", [
  /** Appends an item, or replaces the one with the same id in place. */
  z.object({ op: z.literal("put"), item: itemSchema }),
  z.object({ op: z.literal("append"), id: z.string(), text: z.string() }),
  z.object({ op: z.literal("remove"), id: z.string() }),
  /** Output of a command. `text` may contain ANSI sequences; `dropped` counts leading characters that only the full log has. */
  z.object({
    op: z.literal("terminal"),
    terminalId: z.string(),
    text: z.string(),
    exit: z.optional(exitSchema),
    isReset: z.optional(z.boolean()),
    /** For a reset, the number of characters that were omitted before `text`. */
    dropped: z.optional(z.number()),
  }),
  /** Replaces members of the tab's state; `null` removes an optional one. */
  z.object({ op: z.literal("tab"), patch: z.record(z.string(), z.unknown()) }),
]);
export type Change = z.infer<typeof changeSchema>;

/** The last `terminalTailChars` characters of a command's output. */
export const terminalSchema = z.object({
  terminalId: z.string(),
  text: z.string(),
  /** Characters before `text` that only the full log has. */
  dropped: z.number(),
  exit: z.optional(exitSchema),
});
export type Terminal = z.infer<typeof terminalSchema>;

/** Maximum characters of a command's output in memory and in the view; the extension's log file has all. */
export const terminalTailChars = 200_000;

export interface Transcript {
  state: TabState;
  readonly items: Item[];
  readonly byId: Map<string, number>;
  readonly terminals: Map<string, Terminal>;
}

export function newTranscript(state: TabState): Transcript {
  return { state, items: [], byId: new Map(), terminals: new Map() };
}

/** Applies one change in place. Ignores unknown ids, since a replay may start after their item. */
export function applyChange(transcript: Transcript, change: Change): void {
  switch (change.op) {
    case "put": {
      const at = transcript.byId.get(change.item.id);
      if (at === undefined) {
        transcript.byId.set(change.item.id, transcript.items.length);
        transcript.items.push(change.item);
      } else transcript.items[at] = change.item;
      return;
    }
    case "append": {
      const at = transcript.byId.get(change.id);
      const item = at === undefined ? undefined : transcript.items[at];
      if (at === undefined || item === undefined || (item.kind !== "text" && item.kind !== "thought")) return;
      transcript.items[at] = { ...item, text: item.text + change.text };
      return;
    }
    case "remove": {
      const at = transcript.byId.get(change.id);
      if (at === undefined) return;
      transcript.items.splice(at, 1);
      transcript.byId.clear();
      for (const [index, item] of transcript.items.entries()) transcript.byId.set(item.id, index);
      return;
    }
    case "terminal":
      applyOutput(transcript, change);
      return;
    case "tab": {
      const patched = { ...transcript.state, ...change.patch };
      for (const [key, value] of Object.entries(change.patch)) {
        if (value === null) Reflect.deleteProperty(patched, key);
      }
      const parsed = tabStateSchema.safeParse(patched);
      if (parsed.success) transcript.state = parsed.data;
    }
  }
}

function applyOutput(transcript: Transcript, change: Extract<Change, { op: "terminal" }>): void {
  const old = change.isReset === true ? undefined : transcript.terminals.get(change.terminalId);
  let text = (old?.text ?? "") + change.text;
  let dropped = old?.dropped ?? change.dropped ?? 0;
  // Shorten the text only rarely, since each time copies the whole text.
  if (text.length > terminalTailChars * 1.5) {
    const cut = text.length - terminalTailChars;
    const line = text.indexOf("\n", cut);
    const from = line === -1 || line > cut + 4_000 ? cut : line + 1;
    dropped += from;
    text = text.slice(from);
  }
  const exit = change.exit ?? old?.exit;
  transcript.terminals.set(change.terminalId, {
    terminalId: change.terminalId,
    text,
    dropped,
    ...(exit ? { exit } : {}),
  });
}
