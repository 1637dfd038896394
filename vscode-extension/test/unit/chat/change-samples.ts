import fc from "fast-check";
import {
  applyChange,
  type Change,
  type Item,
  newTabState,
  newTranscript,
  type Transcript,
} from "../../../protocol/index.js";

const id = fc.constantFrom("a", "b", "c", "d");
const text = fc.string({ maxLength: 8 });

const plain = { noNullPrototype: true } as const;
const put = (item: fc.Arbitrary<Item>): fc.Arbitrary<Change> => item.map((one) => ({ op: "put", item: one }));

/** Any change, about few items, so that changes meet. */
export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  put(fc.record({ kind: fc.constant("text" as const), id, text }, plain)),
  put(fc.record({ kind: fc.constant("thought" as const), id, text, startedAt: fc.nat() }, plain)),
  put(id.map((one) => ({ kind: "plan" as const, id: one, entries: [] }))),
  fc.tuple(id, text).map(([one, added]): Change => ({ op: "append", id: one, text: added })),
  id.map((one): Change => ({ op: "remove", id: one })),
  fc.tuple(id, text).map(([one, added]): Change => ({ op: "terminal", terminalId: one, text: added })),
  fc.tuple(id, text).map(([one, added]): Change => ({ op: "terminal", terminalId: one, text: added, isReset: true })),
  fc
    .tuple(id, fc.nat())
    .map(([one, code]): Change => ({ op: "terminal", terminalId: one, text: "", exit: { code, signal: null } })),
  text.map((title): Change => ({ op: "tab", patch: { title } })),
  fc.constant<Change>({ op: "tab", patch: { turnStartedAt: 5 } }),
  fc.constant<Change>({ op: "tab", patch: { turnStartedAt: null } }),
);

export function emptyTranscript(): Transcript {
  return newTranscript(newTabState({ id: "eliza", name: "Eliza" }));
}

export function transcriptAfter(changes: readonly Change[], start = emptyTranscript()): Transcript {
  for (const change of changes) applyChange(start, change);
  return start;
}
