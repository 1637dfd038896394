import * as l10n from "@vscode/l10n";
import { go, single } from "fuzzysort";
import type { Attachment, Command, ContextResult } from "../../../protocol/index.js";
import { nextIndex } from "../../controls/listbox.js";
import { findTrigger, type Trigger } from "./prompt-text.js";

/** Line of the menu above the composer. `matches` are the indices of the typed letters in `label`. */
export interface Suggestion {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
  readonly detail: string;
  readonly group: string;
  readonly matches: ReadonlySet<number>;
  /** Effect of the choice: attaches something or inserts a command. */
  readonly choice: { readonly attachment: Attachment } | { readonly command: Command };
}

const groupOf: Readonly<Record<Attachment["type"], string>> = {
  selection: l10n.t("Editor"),
  problems: l10n.t("Editor"),
  terminal: l10n.t("Editor"),
  "git-diff": l10n.t("Editor"),
  text: l10n.t("Editor"),
  image: l10n.t("Images"),
  file: l10n.t("Files"),
  folder: l10n.t("Folders"),
  symbol: l10n.t("Symbols"),
};

export function toContextSuggestions(results: readonly ContextResult[], query: string): Suggestion[] {
  const groups = new Map<string, Suggestion[]>();
  for (const [index, { attachment, icon, detail }] of results.entries()) {
    const group = groupOf[attachment.type];
    const line: Suggestion = {
      id: `context-${index}`,
      label: attachment.label,
      icon,
      detail: detail ?? "",
      group,
      matches: matchesOf(query, attachment.label),
      choice: { attachment },
    };
    groups.set(group, [...(groups.get(group) ?? []), line]);
  }
  return [...groups.values()].flat();
}

/** Returns the lines of the `/` menu: all commands for an empty query, else those that match by name or description, best first. */
export function toCommandSuggestions(commands: readonly Command[], query: string): Suggestion[] {
  return filterCommands(commands, query).map((command) => ({
    id: `command-${command.name}`,
    label: `/${command.name}`,
    icon: "terminal",
    detail: command.description,
    group: "",
    matches: new Set([...matchesOf(query, command.name)].map((index) => index + 1)),
    choice: { command },
  }));
}

function filterCommands(commands: readonly Command[], query: string): readonly Command[] {
  if (query === "") return commands;
  const byName = go(query, commands, { key: "name", limit: 50, threshold: 0.2 }).map(({ obj }) => obj);
  const wanted = query.toLowerCase();
  const byDescription =
    query.length < 3
      ? []
      : commands.filter((one) => !byName.includes(one) && one.description.toLowerCase().includes(wanted));
  return [...byName, ...byDescription];
}

function matchesOf(query: string, label: string): ReadonlySet<number> {
  return new Set(query === "" ? [] : single(query, label)?.indexes);
}

interface SuggestionMenuHost {
  /** Requests matches for `@text` from the extension. The answer goes to `receive` with the same id. */
  ask(queryId: string, text: string): void;
  changed(): void;
}

/** Delay before a request while the user types. */
const debounceMs = 80;

/**
 * State of the `@` and `/` menus. Call `update` after every change of text or caret. After Escape, the menu stays closed until another word
 * begins.
 */
export class SuggestionMenu {
  lines: readonly Suggestion[] = [];
  active = 0;
  /** Word that the menu is for; undefined while closed. */
  trigger: Trigger | undefined;
  isLoading = false;
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

  /** Shows an answer from the extension. Ignores outdated answers. */
  receive(queryId: string, results: readonly ContextResult[], note: string): void {
    if (this.trigger?.kind !== "context" || queryId !== this.#queryId) return;
    this.isLoading = false;
    this.note = note;
    this.lines = toContextSuggestions(results, this.trigger.query);
    this.active = 0;
    this.host.changed();
  }

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

  /** Moves the active line. Returns false if the key doesn't move it. */
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
