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

export const tabRecordSchema = z.object({
  tabId: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  sessionId: z.optional(z.string()),
  /** True if the store has the whole conversation under this session id, so that another agent can look it up. */
  isKept: z.optional(z.boolean()),
  /** Absolute path of the working folder, if the user chose one. */
  folder: z.optional(z.string()),
  /** Git worktree created for the tab. `root` is its top folder, `top` that of the tree to compare with; both absolute. */
  worktree: z.optional(z.object({ root: z.string(), top: z.string(), branch: z.string() })),
  /** Machine on which the agent runs, as a value of `--on`, and the session's folder there. */
  machine: z.optional(z.object({ on: z.string(), folder: z.string() })),
  /** True if the session runs in this machine's host, even if the setting `host` is off. */
  isHosted: z.optional(z.boolean()),
  /** Group of tabs that got the same prompt, each in its own worktree. They share the id. */
  comparison: z.optional(z.object({ id: z.string(), prompt: z.string() })),
  /** Set while the tab continues another conversation that its session doesn't know yet. */
  branch: z.optional(branchPointSchema),
  draft: z.optional(draftSchema),
  /** True if the user named the tab; agent titles are then ignored. */
  isRenamed: z.optional(z.boolean()),
});
export type TabRecord = z.infer<typeof tabRecordSchema>;

export type TabMachine = NonNullable<TabRecord["machine"]>;

export type TabPlace = Required<Pick<TabRecord, "folder" | "worktree">> & Pick<TabRecord, "comparison">;

/** Receives changes in batches. `index` is the index of the batch's last change. */
type ChangesListener = (changes: readonly Change[], index: number) => void;

/** Minimum interval between batches, about one frame. */
const batchMs = 16;

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

  /** Index of the last reported change. Call `flush` first when reading the transcript together with the index. */
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
 * Collects changes until they are sent and merges appends to an item, repeated puts and terminal output. Applying the changes from `take`
 * gives the same result as applying every change.
 */
export class ChangeBuffer {
  /** Entries are undefined if a later change replaced them. */
  #changes: (Change | undefined)[] = [];
  /** Index of the last mergeable change, by item, terminal or tab. */
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
        // Later changes to a removed item must not merge with earlier ones.
        this.#places.delete(itemKey(change.id));
    }
  }

  /** Returns all changes since the last call, in order. */
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
