import type { SessionListener } from "@symposium-dev/core";
import type { Change, Item, ItemOf, Transcript } from "../../protocol/index.js";

/** A `session/update` as it came, with the names of the protocol's schema. */
export type SessionUpdate = Parameters<SessionListener["update"]>[0];

/** Where updates are folded into: a transcript that applies each change as soon as it is published. */
export interface FoldTarget {
  readonly transcript: Transcript;
  publish(change: Change): void;
}

/** What the folds share. */
export interface FoldContext extends FoldTarget {
  /** Absolute paths of the session's folders. */
  readonly roots: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** An item id that no other item of the tab has. */
  readonly newId: () => string;
}

/** The item of that id and kind, if the transcript has it. */
export function itemOf<Kind extends Item["kind"]>(
  { items, byId }: Transcript,
  kind: Kind,
  id: string | undefined,
): ItemOf<Kind> | undefined {
  const item = id === undefined ? undefined : items[byId.get(id) ?? -1];
  return item?.kind === kind ? (item as ItemOf<Kind>) : undefined;
}
