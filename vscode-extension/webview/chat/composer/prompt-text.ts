import * as l10n from "@vscode/l10n";
import type { Command, TabState } from "../../../protocol/index.js";

export interface Trigger {
  readonly kind: "context" | "command";
  readonly start: number;
  readonly query: string;
}

/**
 * Finds the `@` or `/` word that ends at the caret. Both only count at the start of a word, so that mail addresses, paths and fractions
 * don't open a menu.
 */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const word = /(?<![^\s([{"'`])([@/])([^\s]*)$/u.exec(text.slice(0, caret));
  const [all, sign, query] = word ?? [];
  if (all === undefined || query === undefined) return undefined;
  if (sign === "/" && query.includes("/")) return undefined;
  return { kind: sign === "@" ? "context" : "command", start: caret - all.length, query };
}

/** Returns the placeholder text. `answers` is the number of options of an open request. */
export function placeholder(state: TabState | undefined, agentName: string, answers: number): string {
  if (answers === 1) return l10n.t("Press 1 to answer");
  if (answers > 1) return l10n.t("Press 1 to {0} to answer", Math.min(9, answers));
  if (state?.phase !== "running") {
    const hasCommands = state !== undefined && state.commands.length > 0;
    return hasCommands
      ? l10n.t("Ask {0}: @ for context, / for commands", agentName)
      : l10n.t("Ask {0}: @ for context", agentName);
  }
  return state.accepts.steering === true ? l10n.t("Add to this turn") : l10n.t("Queue a follow-up");
}

export function replaceTrigger(text: string, trigger: Trigger, by: string): { text: string; caret: number } {
  const before = text.slice(0, trigger.start) + by;
  const after = text.slice(trigger.start + 1 + trigger.query.length);
  const space = /^\s/u.test(after) ? "" : " ";
  return { text: before + space + after, caret: before.length + 1 };
}

/** Returns the input hint of the command in `text`; empty once there is input. */
export function findHint(text: string, commands: readonly Command[]): string {
  const name = /^\/(\S+) $/u.exec(text)?.[1];
  return commands.find((command) => command.name === name)?.hint ?? "";
}

/** Replaces part of the field's text with undo support, and puts the caret after it. The field dispatches an `input` event as if typed. */
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

/** Returns whether the caret, without a selection, is on the first (`up`) or last (`down`) line. */
export function isAtEdge(field: HTMLTextAreaElement, direction: "up" | "down"): boolean {
  const { selectionStart, selectionEnd, value } = field;
  if (selectionStart !== selectionEnd) return false;
  return !(direction === "up" ? value.slice(0, selectionStart) : value.slice(selectionEnd)).includes("\n");
}

/** Fits the field's height to its text if CSS can't. */
export function fitHeight(field: HTMLTextAreaElement): void {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}

/** Earlier prompts, which the user browses with Up and Down. After the latest prompt, the unsent text returns. */
export class PromptHistory {
  #prompts: readonly string[] = [];
  #at: number | undefined;
  #unsent = "";

  /** Sets the prompts, oldest first, unless the user is browsing. Consecutive duplicates count once. */
  set(prompts: readonly string[]): void {
    if (this.#at !== undefined) return;
    this.#prompts = prompts.filter((text, index) => text !== "" && text !== prompts[index - 1]);
  }

  get isWalking(): boolean {
    return this.#at !== undefined;
  }

  /** Returns the previous prompt, or undefined at the oldest. `current` is saved when browsing starts. */
  previous(current: string): string | undefined {
    const at = (this.#at ?? this.#prompts.length) - 1;
    const text = this.#prompts[at];
    if (text === undefined) return undefined;
    if (this.#at === undefined) this.#unsent = current;
    this.#at = at;
    return text;
  }

  /** Returns the next prompt, or the unsent text at the end; undefined if the user isn't browsing. */
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

  leave(): void {
    this.#at = undefined;
  }
}
