/** Gives every test of the enclosing suite a stack of its own, emptied after the test however it ended. */
export function useTestScope(): () => AsyncDisposableStack {
  let scope = new AsyncDisposableStack();
  beforeEach(() => {
    scope = new AsyncDisposableStack();
  });
  afterEach(() => scope.disposeAsync());
  return () => scope;
}

/** Skips the running test, and says why where the reporter shows it. */
export function skipBecause(context: Mocha.Context, reason: string): never {
  if (context.test) context.test.title += ` (${reason})`;
  context.skip();
}

/** Waits until `check` gives something; fails with `what` after `limitMs`. */
export async function until<T>(
  what: string,
  check: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000,
): Promise<T> {
  for (const start = performance.now(); ;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (performance.now() - start > limitMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
