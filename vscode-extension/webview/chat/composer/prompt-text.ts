import type { Command, TabState } from "../../../protocol/index.js";

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

/** What stands where nothing is written yet. `answers`: how many options a request that waits has. */
export function placeholder(state: TabState | undefined, agentName: string, answers: number): string {
  if (answers > 0) return `Press 1${answers > 1 ? ` to ${Math.min(9, answers)}` : ""} to answer`;
  if (state?.phase !== "running") {
    const hasCommands = state !== undefined && state.commands.length > 0;
    return `Ask ${agentName}: @ for context${hasCommands ? ", / for commands" : ""}`;
  }
  return state.accepts.steering === true ? "Say something into this turn" : "Queue a follow-up";
}

/** The text with the trigger replaced, and where the caret stands then. One space follows what was put in. */
export function replaceTrigger(text: string, trigger: Trigger, by: string): { text: string; caret: number } {
  const before = text.slice(0, trigger.start) + by;
  const after = text.slice(trigger.start + 1 + trigger.query.length);
  const space = /^\s/u.test(after) ? "" : " ";
  return { text: before + space + after, caret: before.length + 1 };
}

/** The hint of the command that `text` consists of, shown where its input goes; empty as soon as there is input. */
export function findHint(text: string, commands: readonly Command[]): string {
  const name = /^\/(\S+) $/u.exec(text)?.[1];
  return commands.find((command) => command.name === name)?.hint ?? "";
}

/**
 * Replaces a part of what is written, so that the field's own Undo can take it back, and puts the caret behind it.
 * The field tells it by an `input` event as if it had been typed.
 */
export function writeInto(field: HTMLTextAreaElement, from: number, to: number, text: string): void {
  field.focus();
  field.setSelectionRange(from, to);
  if (from === to && text === "") return;
  // No other way of writing keeps the field's history: https://github.com/w3c/editing/issues/360
  // oxlint-disable-next-line typescript/no-deprecated
  const isWritten = document.execCommand(text === "" ? "delete" : "insertText", false, text);
  if (isWritten) return;
  field.setRangeText(text, from, to, "end");
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Whether the caret stands, with nothing selected, on the first (`up`) or last (`down`) line of the text. */
export function isAtEdge(field: HTMLTextAreaElement, direction: "up" | "down"): boolean {
  const { selectionStart, selectionEnd, value } = field;
  if (selectionStart !== selectionEnd) return false;
  return !(direction === "up" ? value.slice(0, selectionStart) : value.slice(selectionEnd)).includes("\n");
}

/** Grows the field with its text where style sheets cannot. */
export function fitHeight(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Prompts sent before, walked with Up and Down. The text that was being written comes back at the end of the walk. */
export class PromptHistory {
  #prompts: readonly string[] = [];
  #at: number | undefined;
  #unsent = "";

  /** Sets the prompts, the oldest first, unless they are being walked. Repetitions in a row count once. */
  set(prompts: readonly string[]): void {
    if (this.#at !== undefined) return;
    this.#prompts = prompts.filter((text, index) => text !== "" && text !== prompts[index - 1]);
  }

  get isWalking(): boolean {
    return this.#at !== undefined;
  }

  /** The prompt before the one shown, or undefined at the oldest. `current` is kept when the walk begins. */
  previous(current: string): string | undefined {
    const at = (this.#at ?? this.#prompts.length) - 1;
    const text = this.#prompts[at];
    if (text === undefined) return undefined;
    if (this.#at === undefined) this.#unsent = current;
    this.#at = at;
    return text;
  }

  /** The prompt after the one shown, at the end the text that was being written, or undefined outside of a walk. */
  next(): string | undefined {
    if (this.#at === undefined) return undefined;
    const text = this.#prompts[this.#at + 1];
    if (text !== undefined) {
      this.#at += 1;
      return text;
    }
    this.#at = undefined;
    return this.#unsent;
  }

  /** The user changed or sent what is shown: the walk is over. */
  leave(): void {
    this.#at = undefined;
  }
}
