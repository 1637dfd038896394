import * as z from "zod/mini";
import {
  applyChange,
  branchPointSchema,
  type Change,
  draftSchema,
  type Item,
  type Transcript,
} from "../../../protocol/index.js";
import type { FoldTarget } from "../../acp/fold-target.js";

/** What is known of a tab besides its transcript and outlives the window. */
export const tabRecordSchema = z.object({
  tabId: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** The agent's session, to be taken up again. */
  sessionId: z.optional(z.string()),
  /** All of the conversation is kept as that session's, so that another agent can look it up. */
  isKept: z.optional(z.boolean()),
  /** Absolute path of the folder it works in, where the user has chosen one. */
  folder: z.optional(z.string()),
  /** The Git worktree that was made for it: its topmost folder, and that of the tree that it is compared with. Absolute. */
  worktree: z.optional(z.object({ root: z.string(), top: z.string(), branch: z.string() })),
  /** Others got the same prompt, each in a worktree of its own: those with the same id. */
  comparison: z.optional(z.object({ id: z.string(), prompt: z.string() })),
  /** It goes on with another tab's conversation, and has no session that knows it yet. */
  branch: z.optional(branchPointSchema),
  draft: z.optional(draftSchema),
  /** The user has named it: the agent's titles no longer count. */
  isRenamed: z.optional(z.boolean()),
});
export type TabRecord = z.infer<typeof tabRecordSchema>;

/** Where a tab works that does not work in the window's folders. */
export type TabPlace = Required<Pick<TabRecord, "folder" | "worktree">> & Pick<TabRecord, "comparison">;

/** Hears of changes in batches; `index` is that of the last of them. */
type ChangesListener = (changes: readonly Change[], index: number) => void;

/** At most so often a tab's changes leave: about once a frame. */
const batchMs = 16;

/** A tab's transcript: changes take effect at once, and are told to the view and the store in merged batches. */
export class TabTranscript implements FoldTarget {
  readonly #buffer = new ChangeBuffer();
  readonly #listeners = new Set<ChangesListener>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #index: number;

  constructor(
    readonly transcript: Transcript,
    index = 0,
  ) {
    this.#index = index;
  }

  /** Index of the last change that was told. `flush` first where the transcript itself is read with it. */
  get index(): number {
    return this.#index;
  }

  publish(change: Change): void {
    applyChange(this.transcript, change);
    this.#buffer.add(change);
    this.#timer ??= setTimeout(() => this.flush(), batchMs);
  }

  onChanges(listener: ChangesListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Tells what has been published so far. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = this.#buffer.take();
    if (changes.length === 0) return;
    this.#index += changes.length;
    for (const listener of [...this.#listeners]) listener(changes, this.#index);
  }
}

/**
 * Collects changes until they are sent, merging what can be merged: text that is added to the same item, an item that
 * is put again, output of the same command. Applying what `take` returns has the same effect as applying every change.
 */
export class ChangeBuffer {
  /** Undefined where a later change has taken a change's place. */
  #changes: (Change | undefined)[] = [];
  /** Places of the last change that others can join, by what they are about. */
  readonly #places = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  add(change: Change): void {
    switch (change.op) {
      case "put":
        this.#put(change);
        return;
      case "append":
        this.#append(change);
        return;
      case "terminal":
        this.#terminal(change);
        return;
      case "tab":
        this.#tab(change);
        return;
      case "remove":
        this.#changes.push(change);
        // What comes after an item's end must not join what was before it.
        this.#places.delete(itemKey(change.id));
    }
  }

  /** Everything that was added since the last time, in order. */
  take(): Change[] {
    const changes = this.#changes.filter((change) => change !== undefined);
    this.#changes = [];
    this.#places.clear();
    return changes;
  }

  #put(change: Extract<Change, { op: "put" }>): void {
    const key = itemKey(change.item.id);
    const place = this.#places.get(key);
    const before = this.#at(place);
    if (place !== undefined && before?.op === "put") {
      this.#changes[place] = change;
      return;
    }
    if (place !== undefined) this.#changes[place] = undefined;
    this.#add(key, change);
  }

  #append(change: Extract<Change, { op: "append" }>): void {
    const key = itemKey(change.id);
    const place = this.#places.get(key);
    const before = this.#at(place);
    if (place === undefined || before === undefined) this.#add(key, change);
    else if (before.op === "append") this.#changes[place] = { ...before, text: before.text + change.text };
    else if (before.op === "put") this.#changes[place] = { op: "put", item: withText(before.item, change.text) };
  }

  #terminal(change: Extract<Change, { op: "terminal" }>): void {
    const key = `terminal:${change.terminalId}`;
    const place = this.#places.get(key);
    const before = this.#at(place);
    if (place === undefined || before?.op !== "terminal" || change.isReset === true) {
      if (place !== undefined) this.#changes[place] = undefined;
      this.#add(key, change);
      return;
    }
    const exit = change.exit ?? before.exit;
    this.#changes[place] = { ...before, text: before.text + change.text, ...(exit ? { exit } : {}) };
  }

  #tab(change: Extract<Change, { op: "tab" }>): void {
    const place = this.#places.get("tab");
    const before = this.#at(place);
    if (place === undefined || before?.op !== "tab") this.#add("tab", change);
    else this.#changes[place] = { op: "tab", patch: { ...before.patch, ...change.patch } };
  }

  #at(place: number | undefined): Change | undefined {
    return place === undefined ? undefined : this.#changes[place];
  }

  #add(key: string, change: Change): void {
    this.#places.set(key, this.#changes.length);
    this.#changes.push(change);
  }
}

function itemKey(id: string): string {
  return `item:${id}`;
}

function withText(item: Item, text: string): Item {
  return item.kind === "text" || item.kind === "thought" ? { ...item, text: item.text + text } : item;
}
