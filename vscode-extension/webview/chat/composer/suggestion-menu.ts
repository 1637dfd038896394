import type { Command, ContextResult } from "../../../protocol/index.js";
import { nextIndex } from "../../controls/listbox.js";
import { type Suggestion, toCommandSuggestions, toContextSuggestions } from "./suggestion.js";
import { findTrigger, type Trigger } from "./trigger.js";

export interface SuggestionMenuHost {
  /** Asks the extension what `@text` could mean; the answer goes to `receive` with the same id. */
  ask(queryId: string, text: string): void;
  changed(): void;
}

/** Typing on is not worth a question to the extension for this long. */
const debounceMs = 80;

/**
 * What the `@` and `/` menus show and which line is active. It follows the text: `update` after every change of text
 * or caret. Closed with Escape it stays closed until another word begins.
 */
export class SuggestionMenu {
  lines: readonly Suggestion[] = [];
  active = 0;
  /** The word the menu is for; undefined while it is closed. */
  trigger: Trigger | undefined;
  isLoading = false;
  /** What the lines do not show, and why; empty when they are all there is. */
  note = "";
  #dismissedAt: number | undefined;
  #queryId = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: SuggestionMenuHost) {}

  get isOpen(): boolean {
    return this.trigger !== undefined;
  }

  update(text: string, caret: number, commands: readonly Command[]): void {
    const trigger = findTrigger(text, caret);
    if (trigger === undefined || trigger.start !== this.#dismissedAt) this.#dismissedAt = undefined;
    if (trigger === undefined || this.#dismissedAt !== undefined) {
      this.close();
      return;
    }
    const { trigger: before } = this;
    if (before?.kind === trigger.kind && before.start === trigger.start && before.query === trigger.query) return;
    if (trigger.kind === "command") {
      const lines = toCommandSuggestions(commands, trigger.query);
      if (lines.length === 0) this.close();
      else this.#show(trigger, lines);
      return;
    }
    this.#show(trigger, before?.kind === "context" ? this.lines : []);
    this.#ask(trigger.query, before?.kind === "context" ? debounceMs : 0);
  }

  /** Takes an answer of the extension; one that comes too late is ignored. */
  receive(queryId: string, results: readonly ContextResult[], note: string): void {
    if (this.trigger?.kind !== "context" || queryId !== this.#queryId) return;
    this.isLoading = false;
    this.note = note;
    this.lines = toContextSuggestions(results, this.trigger.query);
    this.active = 0;
    this.host.changed();
  }

  /** Closes for good as far as the word at hand is concerned. */
  dismiss(): void {
    this.#dismissedAt = this.trigger?.start;
    this.close();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#queryId = "";
    this.isLoading = false;
    this.note = "";
    if (this.trigger === undefined) return;
    this.trigger = undefined;
    this.lines = [];
    this.host.changed();
  }

  /** Moves the active line; false when the key does not. */
  move(key: string): boolean {
    if (key === "Home" || key === "End") return false;
    const at = nextIndex(key, this.active, this.lines.length);
    if (at === undefined) return false;
    this.active = at;
    this.host.changed();
    return true;
  }

  #show(trigger: Trigger, lines: readonly Suggestion[]): void {
    this.trigger = trigger;
    this.lines = lines;
    this.active = 0;
    this.host.changed();
  }

  #ask(text: string, delayMs: number): void {
    clearTimeout(this.#timer);
    const queryId = crypto.randomUUID();
    this.#queryId = queryId;
    this.isLoading = true;
    this.#timer = setTimeout(() => this.host.ask(queryId, text), delayMs);
  }
}
