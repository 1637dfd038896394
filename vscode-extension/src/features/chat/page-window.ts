import type { Change, Item, Terminal, Transcript } from "../../../protocol/index.js";

/** Items that a page gets with a snapshot; it asks for older ones when the user scrolls there. */
const snapshotItems = 200;

/** Which part of a transcript a page has: its last items, and what it has asked for since. */
export class PageWindow {
  readonly #hidden: Set<string>;
  readonly #hiddenTerminals: Set<string>;
  /** What the snapshot is made of. */
  readonly items: readonly Item[];
  readonly terminals: readonly Terminal[];

  constructor(private readonly transcript: Transcript) {
    this.items = transcript.items.slice(-snapshotItems);
    this.terminals = terminalsOf(this.items, transcript);
    this.#hidden = new Set(transcript.items.slice(0, -snapshotItems).map(({ id }) => id));
    this.#hiddenTerminals = new Set(transcript.terminals.keys());
    for (const { terminalId } of this.terminals) this.#hiddenTerminals.delete(terminalId);
  }

  /** Up to `count` items before the one with that id, and the output they show; from here on the page has them. */
  older(beforeId: string, count: number): { items: Item[]; terminals: Terminal[] } {
    const end = this.transcript.byId.get(beforeId) ?? 0;
    const items = this.transcript.items.slice(Math.max(0, end - count), end);
    const terminals = terminalsOf(items, this.transcript);
    for (const { id } of items) this.#hidden.delete(id);
    for (const { terminalId } of terminals) this.#hiddenTerminals.delete(terminalId);
    return { items, terminals };
  }

  /**
   * The changes as this page may apply them: one that concerns what it does not have becomes one without effect, so
   * that indices stay as they are and the page gets the later state with the older items.
   */
  visible(changes: readonly Change[]): Change[] {
    return changes.map((change) => (this.#isHidden(change) ? { op: "append", id: "", text: "" } : change));
  }

  #isHidden(change: Change): boolean {
    switch (change.op) {
      case "put":
        return this.#hidden.has(change.item.id);
      case "append":
      case "remove":
        return this.#hidden.has(change.id);
      case "terminal":
        return this.#hiddenTerminals.has(change.terminalId);
      case "tab":
        return false;
    }
  }
}

function terminalsOf(items: readonly Item[], { terminals }: Transcript): Terminal[] {
  const ids = items.flatMap((item) =>
    item.kind === "tool" || item.kind === "permission"
      ? item.content.flatMap((part) => (part.type === "terminal" ? part.terminalId : []))
      : [],
  );
  return [...new Set(ids)].flatMap((id) => terminals.get(id) ?? []);
}
