import type { Lane } from "../lanes.js";

/** A form in which the command comes to its users. */
export interface ReleaseLane {
  readonly name: string;
  readonly words: Lane;
  /** What is added to its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What is downloaded, in bytes; absent where another lane's files are started in another way. */
  readonly download?: number;
  /** Size on disk in bytes, without Node. */
  readonly disk?: number;
  /** Whether another program starts ours, so that both are to be counted. */
  readonly isWrapped?: boolean;
}

/** Why a form is not measured. */
export class NotMade extends Error {
  override readonly name = "NotMade";
}

/** The value, or undefined where it cannot be made here, which is noted. */
export async function orNoted<T>(
  what: string,
  make: () => Promise<T>,
  note: (text: string) => void,
): Promise<T | undefined> {
  try {
    return await make();
  } catch (failure) {
    if (!(failure instanceof NotMade)) throw failure;
    note(`release: ${what} is not measured: ${failure.message}`);
    return undefined;
  }
}
