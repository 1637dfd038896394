import { repeat } from "lit/directives/repeat.js";

/**
 * Renders rows with one element per key, so that a click during an update never hits another row, and open, edited or focused content stays
 * in its row. Equal keys are numbered.
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
