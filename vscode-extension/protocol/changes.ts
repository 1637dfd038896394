import * as z from "zod/mini";
import { exitSchema, type Item, itemSchema } from "./items.js";
import { type TabState, tabStateSchema } from "./tab.js";

/**
 * One step of a tab's life. The extension makes them, stores them and sends them; both sides apply them with
 * `applyChange`, so that what is shown and what is stored cannot differ.
 */
export const changeSchema = z.discriminatedUnion("op", [
  /** Adds an item at the end, or replaces the one with its id where it stands. */
  z.object({ op: z.literal("put"), item: itemSchema }),
  /** Adds text to a text or thought item. */
  z.object({ op: z.literal("append"), id: z.string(), text: z.string() }),
  z.object({ op: z.literal("remove"), id: z.string() }),
  /**
   * Output of a command. `text` may hold ANSI sequences; `dropped` counts the characters of the front that are kept
   * in the full log only.
   */
  z.object({
    op: z.literal("terminal"),
    terminalId: z.string(),
    text: z.string(),
    exit: z.optional(exitSchema),
    isReset: z.optional(z.boolean()),
    /** Of a reset: how many characters came before `text` and were left out. */
    dropped: z.optional(z.number()),
  }),
  /** Replaces members of the tab's state; `null` removes an optional one. */
  z.object({ op: z.literal("tab"), patch: z.record(z.string(), z.unknown()) }),
]);
export type Change = z.infer<typeof changeSchema>;

/** Output of one command as far as the view keeps it: the last `terminalTailChars` characters. */
export const terminalSchema = z.object({
  terminalId: z.string(),
  text: z.string(),
  /** Characters before `text` that only the full log has. */
  dropped: z.number(),
  exit: z.optional(exitSchema),
});
export type Terminal = z.infer<typeof terminalSchema>;

/** How much output of one command is kept in memory and shown; the extension has the whole in a log file. */
export const terminalTailChars = 200_000;

/** A tab as both sides know it. */
export interface Transcript {
  state: TabState;
  readonly items: Item[];
  readonly byId: Map<string, number>;
  readonly terminals: Map<string, Terminal>;
}

export function newTranscript(state: TabState): Transcript {
  return { state, items: [], byId: new Map(), terminals: new Map() };
}

/** Applies one change in place. Unknown ids are ignored: a replay may begin after their item. */
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
  // Cut rarely and generously: a cut for every chunk would copy the whole tail each time.
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
