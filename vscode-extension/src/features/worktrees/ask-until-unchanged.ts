import { isDeepStrictEqual } from "node:util";

interface Question<Found, Answer> {
  /** Looks at what there is. Undefined where nothing is to be asked, nor done, any more. */
  readonly look: () => Promise<Found | undefined>;
  /** Asks the user about it; `isOther`: once more, as it has changed meanwhile. Undefined where the user wants nothing done. */
  readonly ask: (found: Found, isOther: boolean) => Promise<Answer | undefined>;
}

/**
 * What the user agreed to, as it is still there after the answer: an agent, another window or another program may have written
 * while the question stood, and then it is asked again.
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
