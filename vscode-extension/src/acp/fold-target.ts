import type { SessionListener } from "@symposium-dev/core";
import type { Change, Item, ItemOf, Transcript } from "../../protocol/index.js";

/** Unmodified `session/update` with the protocol's names. */
export type SessionUpdate = Parameters<SessionListener["update"]>[0];

/** Transcript that applies each published change immediately. */
export interface FoldTarget {
  readonly transcript: Transcript;
  publish(change: Change): void;
}

export interface FoldContext extends FoldTarget {
  /** Absolute paths of the session's folders. */
  readonly roots: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns an item id that is unique in the tab. */
  readonly newId: () => string;
}

/** Returns the item with that id and kind; undefined if missing. */
export function itemOf<Kind extends Item["kind"]>(
  { items, byId }: Transcript,
  kind: Kind,
  id: string | undefined,
): ItemOf<Kind> | undefined {
  const item = id === undefined ? undefined : items[byId.get(id) ?? -1];
  return item?.kind === kind ? (item as ItemOf<Kind>) : undefined;
}
