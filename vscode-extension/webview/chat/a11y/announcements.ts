import type { Item } from "../../../protocol/index.js";
import type { Tab } from "../state/chat-store.js";
import { hasFailed } from "../tool/tool-exit.js";
import { Sentences } from "./sentences.js";

/**
 * What a screen reader is told of the tab in view: the answer sentence by sentence, notices, requests that wait for
 * the user, tool calls that failed, and that a turn has ended. What was there when the tab was opened is not read.
 */
export class Announcements {
  #tabId: string | undefined;
  #known = new Map<string, Item>();
  #sentences = new Map<string, Sentences>();

  /** What is new since the last call, as sentences. */
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

  /** Only the end of a transcript changes while one listens. */
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
        return old === undefined ? `${item.severity}: ${item.title}. ${item.text ?? ""}`.trim() : "";
      case "permission":
        return item.answer === undefined && old === undefined ? `${item.agentName} asks: ${item.title}` : "";
      case "elicitation":
        return item.answer === undefined && old === undefined ? `The agent asks: ${item.message}` : "";
      case "authentication":
        return item.state === "waiting" && old === undefined ? `${item.agentName} asks you to sign in.` : "";
      case "tool":
        return item.status === "failed" || hasFailed(item.exit) ? `Failed: ${item.title}.` : "";
      case "turn-end":
        return (
          this.#lastWords() +
          (item.stopReason === "end_turn" ? "The turn has ended." : `The turn has ended: ${item.stopReason}.`)
        );
      default:
        return "";
    }
  }

  /** The end of the answer, which needs no full stop to be over. */
  #lastWords(): string {
    let words = "";
    for (const [id, sentences] of this.#sentences) {
      const item = this.#known.get(id);
      if (item?.kind === "text") words = sentences.next(item.text, true);
    }
    return words === "" ? "" : `${words} `;
  }
}
