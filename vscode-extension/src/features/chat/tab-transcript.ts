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
  /** Changes in order, by what they change. */
  readonly #changes = new Map<string, Change>();

  add(change: Change): void {
    const key = keyOf(change);
    const before = this.#changes.get(key);
    const merged = before && mergedChange(before, change);
    if (!merged) this.#changes.delete(key);
    // An item that is put again after its removal is a new one, at the end.
    if (!merged && before?.op === "remove") this.#changes.set(`removed:${key}`, before);
    this.#changes.set(key, merged ?? change);
  }

  /** Returns all changes since the last call, in order. */
  take(): Change[] {
    const changes = [...this.#changes.values()];
    this.#changes.clear();
    return changes;
  }
}

function keyOf(change: Change): string {
  switch (change.op) {
    case "put":
      return `item:${change.item.id}`;
    case "append":
    case "remove":
      return `item:${change.id}`;
    case "terminal":
      return `terminal:${change.terminalId}`;
    case "tab":
      return "tab";
  }
}

/** Returns one change with the effect of both; undefined if `change` replaces `before` or must follow it. */
function mergedChange(before: Change, change: Change): Change | undefined {
  if (change.op === "put") return before.op === "put" ? change : undefined;
  if (change.op === "tab")
    return before.op === "tab" ? { op: "tab", patch: { ...before.patch, ...change.patch } } : undefined;
  if (change.op === "append" && before.op === "append") return { ...before, text: before.text + change.text };
  if (change.op === "append" && before.op === "put") return { op: "put", item: withText(before.item, change.text) };
  if (change.op !== "terminal" || before.op !== "terminal" || change.isReset === true) return undefined;
  const exit = change.exit ?? before.exit;
  return { ...before, text: before.text + change.text, ...(exit ? { exit } : {}) };
}

function withText(item: Item, text: string): Item {
  return item.kind === "text" || item.kind === "thought" ? { ...item, text: item.text + text } : item;
}
