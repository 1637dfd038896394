import type { Readable, Writable } from "node:stream";

/** A value to choose, with its line in the list. */
interface Option<T> {
  readonly value: T;
  readonly label: string;
  /** Shown beside the one that the cursor is at. */
  readonly hint?: string;
}

/** A terminal to ask in. */
export interface AskingTerminal {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Whether somebody sits at both ends, so that keys can be read and a list can be drawn. */
export function canChoose(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY;
}

/** Lets the user choose one by arrow keys and Enter; undefined if they leave. */
export async function chooseOne<T>(
  message: string,
  options: readonly Option<T>[],
  terminal: AskingTerminal = {},
): Promise<T | undefined> {
  const { isCancel, select } = await import("@clack/prompts");
  const at = await select({ message, options: indexed(options), ...terminal });
  return isCancel(at) ? undefined : options[at]?.value;
}

/** Lets the user choose several by arrow keys, the space bar and Enter; none if they leave. */
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
