import * as l10n from "@vscode/l10n";
import { type Item, severityNames } from "../../protocol/index.js";
import type { Tab } from "./state/chat-store.js";
import { hasFailed } from "./tool/tool-look.js";

/**
 * Screen reader announcements for the visible tab: the answer by sentence, notices, open requests, failed tool calls and the end of a turn.
 * Doesn't read content that existed when the tab was opened.
 */
export class Announcements {
  #tabId: string | undefined;
  #known = new Map<string, Item>();
  #sentences = new Map<string, Sentences>();

  /** Returns new announcements since the last call. */
  next(tab: Tab | undefined): string[] {
    const isOther = tab?.tabId !== this.#tabId;
    if (isOther) {
      this.#tabId = tab?.tabId;
      this.#known = new Map();
      this.#sentences = new Map();
    }
    if (tab === undefined) return [];
    const said: string[] = [];
    const { items } = tab.transcript;
    const fromEnd = this.#recent(items);
    for (const item of fromEnd) {
      const old = this.#known.get(item.id);
      if (old === item) continue;
      this.#known.set(item.id, item);
      const text = this.#textOf(item, old, item !== items.at(-1));
      if (!isOther && text !== "") said.push(text);
    }
    return said;
  }

  #recent(items: readonly Item[]): readonly Item[] {
    return items.slice(-50);
  }

  #textOf(item: Item, old: Item | undefined, isFollowed: boolean): string {
    switch (item.kind) {
      case "text": {
        const sentences = this.#sentences.get(item.id) ?? new Sentences();
        this.#sentences.set(item.id, sentences);
        return sentences.next(item.text, isFollowed);
      }
      case "notice":
        return old === undefined ? `${severityNames[item.severity]}: ${item.title}. ${item.text ?? ""}`.trim() : "";
      case "permission":
        return item.answer === undefined && old === undefined
          ? l10n.t("{0} asks: {1}", item.agentName, item.title)
          : "";
      case "elicitation":
        return item.answer === undefined && old === undefined ? l10n.t("The agent asks: {0}", item.message) : "";
      case "authentication":
        return item.state === "waiting" && old === undefined ? l10n.t("{0} asks you to sign in.", item.agentName) : "";
      case "tool":
        return item.status === "failed" || hasFailed(item.exit) ? l10n.t("Failed: {0}.", item.title) : "";
      case "turn-end":
        if (old !== undefined) return "";
        return (
          this.#lastWords() +
          (item.stopReason === "end_turn"
            ? l10n.t("The turn has ended.")
            : l10n.t("The turn has ended: {0}.", item.stopReason))
        );
      default:
        return "";
    }
  }

  /** Returns the rest of the answer, even without final punctuation. */
  #lastWords(): string {
    let words = "";
    for (const [id, sentences] of this.#sentences) {
      const item = this.#known.get(id);
      if (item?.kind === "text") words = sentences.next(item.text, true);
    }
    return words === "" ? "" : `${words} `;
  }
}

/** Splits growing text into complete sentences without Markdown marks. */
export class Sentences {
  #spoken = 0;

  /** Returns the complete sentences of `text` that are new; with `isEnd`, also an incomplete last sentence. */
  next(text: string, isEnd: boolean): string {
    if (text.length < this.#spoken) this.#spoken = 0;
    const fresh = text.slice(this.#spoken);
    const end = isEnd ? fresh.length : lastEnd(fresh);
    this.#spoken += end;
    return plainText(fresh.slice(0, end));
  }
}

/** Maximum length of code that is read aloud. */
const longestCode = 200;

function lastEnd(text: string): number {
  const open = (text.match(/^```/gmu)?.length ?? 0) % 2 === 1 ? text.lastIndexOf("```") : text.length;
  const whole = text.slice(0, open);
  const ends = [...whole.matchAll(/[.!?…:](?=\s)|\n{2,}|[。！？]/gu)];
  const last = ends.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function plainText(markdown: string): string {
  return markdown
    .replace(/^```.*\n([\s\S]*?)^```.*$/gmu, (_block, code: string) => (code.length > longestCode ? " Code. " : code))
    .replace(/^[ \t]*[#>]+[ \t]*/gmu, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/gu, "$1")
    .replace(/[*_`|]+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
}

const pauseMs = 1_500;
const longest = 1_000;

/** Polite live region that shows announcements in order, with a pause in between, so that a screen reader keeps up. */
export class LiveRegion {
  readonly element: HTMLElement;
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(document: Document) {
    this.element = document.createElement("div");
    this.element.className = "control-hidden";
    this.element.setAttribute("role", "status");
    this.element.setAttribute("aria-live", "polite");
  }

  say(sentences: readonly string[]): void {
    if (sentences.length === 0) return;
    this.#waiting.push(...sentences);
    this.#timer ??= setTimeout(() => this.#next(), 0);
  }

  #next(): void {
    const text = this.#waiting.join(" ");
    this.#waiting = [];
    if (text === "") {
      this.#timer = undefined;
      return;
    }
    this.element.textContent = text.length > longest ? `${text.slice(0, longest)}…` : text;
    this.#timer = setTimeout(() => this.#next(), pauseMs);
  }
}
