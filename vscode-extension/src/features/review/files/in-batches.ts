const batch = 20;

/** Reads items in small parallel batches and yields to the event loop in between. Results are in item order. */
export async function inBatches<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += batch)
    results.push(...(await Promise.all(items.slice(at, at + batch).map(read))));
  return results;
}
