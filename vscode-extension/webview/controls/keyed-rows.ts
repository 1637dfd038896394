import { repeat } from "lit/directives/repeat.js";

/**
 * The rows of a list, each in an element of its own for as long as its thing is there: what is pressed while the list changes
 * is never about another row, and what is open, written or focused in one stays there. Equal keys count in their order.
 */
export function keyedRows<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  render: (row: Row, index: number) => unknown,
): unknown {
  const seen = new Map<string, number>();
  const keys = rows.map((row) => {
    const key = keyOf(row);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return `${key} ${count}`;
  });
  return repeat(rows, (_, index) => keys[index], render);
}
