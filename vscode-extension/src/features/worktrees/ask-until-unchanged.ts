import { isDeepStrictEqual } from "node:util";

interface Question<Found, Answer> {
  /** Determines the current state. Returns undefined if there is nothing left to do. */
  readonly look: () => Promise<Found | undefined>;
  /** Asks the user. `isOther` is true if the state changed since the last question; returns undefined if the user declines. */
  readonly ask: (found: Found, isOther: boolean) => Promise<Answer | undefined>;
}

/**
 * Asks for consent, and checks after the answer that the state is unchanged, because other programs may write while the dialog is open. If
 * the state has changed, asks again.
 */
export async function askUntilUnchanged<Found, Answer>({
  look,
  ask,
}: Question<Found, Answer>): Promise<{ readonly found: Found; readonly answer: Answer } | undefined> {
  let found = await look();
  for (let isOther = false; found !== undefined; isOther = true) {
    const answer = await ask(found, isOther);
    if (answer === undefined) return undefined;
    const now = await look();
    if (now !== undefined && isDeepStrictEqual(now, found)) return { found, answer };
    found = now;
  }
  return undefined;
}
