/** What is being typed that opens a menu: `@query` or `/query`, from `start` up to the caret. */
export interface Trigger {
  readonly kind: "context" | "command";
  readonly start: number;
  readonly query: string;
}

/**
 * Finds the `@` or `/` word that ends at the caret. Both count at the start of a word only, so that mail addresses,
 * paths and fractions open nothing.
 */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const word = /(?<![^\s([{"'`])([@/])([^\s]*)$/u.exec(text.slice(0, caret));
  const [all, sign, query] = word ?? [];
  if (all === undefined || query === undefined) return undefined;
  if (sign === "/" && query.includes("/")) return undefined;
  return { kind: sign === "@" ? "context" : "command", start: caret - all.length, query };
}

/** The text with the trigger replaced, and where the caret stands then. One space follows what was put in. */
export function replaceTrigger(text: string, trigger: Trigger, by: string): { text: string; caret: number } {
  const before = text.slice(0, trigger.start) + by;
  const after = text.slice(trigger.start + 1 + trigger.query.length);
  const space = /^\s/u.test(after) ? "" : " ";
  return { text: before + space + after, caret: before.length + 1 };
}
