const intervalMs = 20;

/** Resolves with what `check` returns once it no longer throws; rejects with its last failure after `limitMs`. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 60_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (Date.now() > end) throw failure;
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }
}
