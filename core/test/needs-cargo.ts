import { whyNoCargo } from "../testing/node/rust-here.js";

let why: { readonly reason: string | undefined } | undefined;

/** Leaves a test out where no cargo runs, or from a hook all tests of its suite, and says why. */
export function needsCargo(context: Mocha.Context): void {
  why ??= { reason: whyNoCargo() };
  if (why.reason !== undefined) leaveOut(context, why.reason);
}

/** Leaves a test out, or from a hook all tests of its suite, and says why where the reporter shows it. */
export function leaveOut(context: Mocha.Context, reason: string): never {
  const { test } = context;
  if (test && "type" in test && test.type === "hook")
    test.parent?.eachTest((each) => void (each.title += ` (${reason})`));
  else if (test) test.title += ` (${reason})`;
  return context.skip();
}
