import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";

interface Option<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

export interface AskingTerminal {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Whether stdin and stdout are terminals, so that a list can be drawn and keys read. */
export function canChoose(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Asks a question with `[y/N]` in the terminal. */
export async function confirms(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // The end of input means no.
    return /^\s*y(?:es)?\s*$/i.test(await lines.question(`${question} [y/N] `).catch(() => ""));
  } finally {
    lines.close();
  }
}

/** Asks the user to choose one item with arrow keys and Enter. Undefined if the user cancels. */
export async function chooseOne<T>(
  message: string,
  options: readonly Option<T>[],
  terminal: AskingTerminal = {},
): Promise<T | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const at = await select({ message, options: indexed(options), ...terminal });
  return isCancel(at) ? undefined : options[at]?.value;
}

/** Asks the user to choose several items with arrow keys, Space and Enter. Empty if the user cancels. */
export async function chooseSeveral<T>(
  message: string,
  options: readonly Option<T>[],
  terminal: AskingTerminal = {},
): Promise<readonly T[]> {
  const { isCancel, multiselect } = await import("@clack/prompts");
  const chosen = await multiselect({ message, options: indexed(options), required: false, ...terminal });
  return isCancel(chosen) ? [] : options.filter((_, at) => chosen.includes(at)).map(({ value }) => value);
}

function indexed<T>(options: readonly Option<T>[]): { value: number; label: string; hint?: string }[] {
  return options.map(({ label, hint }, value) => ({ value, label, ...(hint !== undefined && { hint }) }));
}
