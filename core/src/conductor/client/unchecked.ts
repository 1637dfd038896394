import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type Members, objectsOf as anyObjectsOf } from "../../base/rpc/json.js";

type Keys<T> = T extends unknown ? keyof T & string : never;
type Member<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type ObjectIn<T> = Exclude<Extract<T, object>, readonly unknown[]>;
type ListIn<T> = Extract<T, readonly unknown[]>;
type IsNever<T> = [T] extends [never] ? true : false;

/**
 * An unvalidated message of type `T`. Members have the schema's names, but their values are unchecked. Reading a member never throws, and
 * unknown members are preserved.
 */
export type Unchecked<T> = { readonly [K in Keys<T>]?: UncheckedValue<Member<T, K>> };

type UncheckedValue<T> =
  IsNever<ListIn<T>> extends true
    ? IsNever<ObjectIn<T>> extends true
      ? unknown
      : Unchecked<ObjectIn<T>> | null
    : IsNever<ObjectIn<T>> extends true
      ? UncheckedList<ListIn<T>[number]> | null
      : unknown;

declare const element: unique symbol;

/** A value that should be an array of `T`. Read its elements with {@link objectsOf}. */
type UncheckedList<T> = { readonly [element]?: T } | readonly unknown[];

/** Same as {@link anyObjectsOf}, with the element type from the schema. */
export const objectsOf: {
  (list: readonly unknown[]): Members[];
  <T>(list: UncheckedList<T> | null | undefined): Unchecked<T>[];
  // oxlint-disable-next-line typescript/unified-signatures -- arrays must not be taken for lists of the schema
  (value: unknown): Members[];
} = anyObjectsOf;

type UpdateKind = SessionUpdate["sessionUpdate"];

/** Whether an update has this kind. Updates of unknown kinds match none. */
export function isUpdate<K extends UpdateKind>(
  update: Unchecked<SessionUpdate>,
  kind: K,
): update is Unchecked<Extract<SessionUpdate, { sessionUpdate: K }>> & { readonly sessionUpdate: K } {
  return update.sessionUpdate === kind;
}
