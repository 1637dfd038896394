import type { ProgramFunction } from "./program-function.js";
import { Fields, isList, Item, keyOf, typeOf, type Value } from "./value.js";

/** Functions that only compute and query nothing. */
export const listFunctions: readonly ProgramFunction[] = [
  {
    name: "where",
    args: ["list", "condition"],
    about: "the items that match a condition on their fields",
    perItem: 1,
    run: async (call) => (await call.perItem()).filter(([, value]) => isTrue(value)).map(([item]) => item),
  },
  {
    name: "map",
    args: ["list", "value"],
    about: "for each item, a value computed from its fields, such as {name, uses: count(references(it))}",
    perItem: 1,
    run: async (call) => (await call.perItem()).map(([, value]) => value),
  },
  {
    name: "sort",
    args: ["list", "key?"],
    about: "by a field or value; -key for the largest first",
    perItem: 1,
    run: async (call) => [...(await call.perItem())].sort(([, a], [, b]) => compare(a, b)).map(([item]) => item),
  },
  {
    name: "unique",
    args: ["list", "key?"],
    about: "the first item of each key",
    perItem: 1,
    async run(call) {
      const byKey = new Map<string, Value>();
      for (const [item, value] of await call.perItem()) {
        const key = keyOf(value);
        if (!byKey.has(key)) byKey.set(key, item);
      }
      return [...byKey.values()];
    },
  },
  {
    name: "group",
    args: ["list", "key"],
    about: "records {key, count, items}, the largest group first",
    perItem: 1,
    async run(call) {
      const groups = new Map<string, { key: Value; items: Value[] }>();
      for (const [item, key] of await call.perItem()) {
        const group = groups.get(keyOf(key));
        if (group) group.items.push(item);
        else groups.set(keyOf(key), { key, items: [item] });
      }
      const sorted = [...groups.values()].sort((a, b) => b.items.length - a.items.length);
      return sorted.map(({ key, items }) => recordOf({ key, count: items.length, items }));
    },
  },
  {
    name: "sum",
    args: ["list", "number?"],
    about: "of the items, or of a number computed from their fields",
    perItem: 1,
    async run(call) {
      let sum = 0;
      for (const [, value] of await call.perItem()) {
        if (typeof value !== "number")
          throw call.fault(`needs numbers, got ${typeOf(value)}.`, "Name the number: sum(list, count).");
        sum += value;
      }
      return sum;
    },
  },
  { name: "count", args: ["list"], about: "how many items", run: (call) => call.list().length },
  {
    name: "take",
    args: ["list", "n"],
    about: "the first n items",
    run: (call) => call.list().slice(0, call.wholeNumber(1, 1)),
  },
  {
    name: "skip",
    args: ["list", "n"],
    about: "all but the first n items",
    run: (call) => call.list().slice(call.wholeNumber(1, 1)),
  },
  { name: "first", args: ["list"], about: "the first item, or null", run: (call) => call.list()[0] ?? null },
  { name: "reverse", args: ["list"], about: "the last item first", run: (call) => call.list().toReversed() },
  {
    name: "flat",
    args: ["list"],
    about: "nested lists joined into one",
    run: (call) =>
      call.budget.list(
        call.list().flatMap((item) => (isList(item) ? item : [item])),
        call.at,
      ),
  },
];

/** False, null, 0, empty texts and empty lists are false. */
export function isTrue(value: Value): boolean {
  return isList(value) ? value.length > 0 : Boolean(value);
}

function recordOf(fields: Readonly<Record<string, Value>>): Fields {
  return new Fields(new Map(Object.entries(fields)));
}

/** Orders numbers before texts before other values; null is last. */
export function compare(a: Value, b: Value): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  const [left, right] = [sortText(a), sortText(b)];
  return left < right ? -1 : Number(left > right);
}

function sortText(value: Value): string {
  if (typeof value === "string") return value;
  if (value instanceof Item) {
    const { uri, position } = value.parts;
    return `${uri}:${String(position.line).padStart(7, "0")}:${String(position.character).padStart(7, "0")}`;
  }
  return keyOf(value);
}
