import type { SessionListener } from "@symposium-dev/core";
import type { Change, Item, ItemOf, Transcript } from "../../protocol/index.js";

/** A `session/update` as received, with the names that the protocol uses. */
export type SessionUpdate = Parameters<SessionListener["update"]>[0];

/** Transcript that applies each published change immediately. */
export interface FoldTarget {
  readonly transcript: Transcript;
  publish(change: Change): void;
}

export interface FoldContext extends FoldTarget {
  /** Absolute paths of the session's folders. */
  readonly roots: readonly string[];
  /** Returns the current time in milliseconds since 1970. */
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
