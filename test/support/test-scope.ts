/**
 * Gives every test of the enclosing suite a stack of its own, emptied after the test however it ended: mocha
 * abandons a test that takes too long, and only a hook still runs then.
 */
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

/** Skips the tests of the suite whose `before` hook is running, and says why with each. */
export function skipAllBecause(context: Mocha.Context, reason: string): never {
  context.test?.parent?.eachTest((test) => (test.title += ` (${reason})`));
  context.skip();
}
