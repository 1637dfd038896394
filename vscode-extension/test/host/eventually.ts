const intervalMs = 20;
const limitMs = 20_000;

/** Resolves with what `check` returns once it no longer throws; after 20 s with its last failure. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
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
