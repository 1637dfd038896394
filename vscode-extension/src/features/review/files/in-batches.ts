/** Read at a time. */
const batch = 20;

/** What `read` resolves with, in the order of the items. A few are read at a time; in between, the event loop is free. */
export async function inBatches<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += batch)
    results.push(...(await Promise.all(items.slice(at, at + batch).map(read))));
  return results;
}
