import type { LanguageServer } from "../connection/language-server.js";
import type { Wire } from "./wire-places.js";

/** A code action as its server gave it. */
export interface ShelvedAction {
  readonly action: Wire;
  readonly uri: string;
  readonly server: LanguageServer;
  /** Of the document it was made for. */
  readonly version: number | undefined;
}

const maxActions = 500;

/** The code actions that were offered last, by the id under which they can be asked for. */
export class CodeActionShelf {
  readonly #actions = new Map<string, ShelvedAction>();
  #last = 0;

  put(action: ShelvedAction): string {
    const id = `action-${++this.#last}`;
    this.#actions.set(id, action);
    this.#actions.delete(`action-${this.#last - maxActions}`);
    return id;
  }

  get(id: string): ShelvedAction | undefined {
    return this.#actions.get(id);
  }
}
