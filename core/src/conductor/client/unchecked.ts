import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { type Members, objectsOf as anyObjectsOf } from "../../base/rpc/json.js";

type Keys<T> = T extends unknown ? keyof T & string : never;
type Member<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type ObjectIn<T> = Exclude<Extract<T, object>, readonly unknown[]>;
type ListIn<T> = Extract<T, readonly unknown[]>;
type IsNever<T> = [T] extends [never] ? true : false;

/**
 * A message of the type `T` as it came: its members have the names of the protocol's schema, and their values are still
 * to be checked. Reading a member never throws, whatever stands there. Members that the schema does not know are kept.
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

/** What should be an array of `T`; {@link objectsOf} reads it. */
type UncheckedList<T> = { readonly [element]?: T } | readonly unknown[];

/** As {@link anyObjectsOf}, typed by the schema where the array is. */
export const objectsOf: {
  (list: readonly unknown[]): Members[];
  <T>(list: UncheckedList<T> | null | undefined): Unchecked<T>[];
  // oxlint-disable-next-line typescript/unified-signatures -- arrays must not be taken for lists of the schema
  (value: unknown): Members[];
} = anyObjectsOf;

/** The name of a kind of `session/update`. */
type UpdateKind = SessionUpdate["sessionUpdate"];

/** Whether an update is of that kind; those of kinds that the schema does not know are of none. */
export function isUpdate<K extends UpdateKind>(
  update: Unchecked<SessionUpdate>,
  kind: K,
): update is Unchecked<Extract<SessionUpdate, { sessionUpdate: K }>> & { readonly sessionUpdate: K } {
  return update.sessionUpdate === kind;
}
