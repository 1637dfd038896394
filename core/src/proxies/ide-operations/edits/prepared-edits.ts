import { SymposiumError } from "../../../base/symposium-error.js";
import type { WorkspaceEdit } from "../../../ide-operations/workspace-edit.js";

/** An edit that was shown and not made. */
export interface PreparedEdit {
  readonly edit: WorkspaceEdit;
  readonly label: string;
  /** The texts it was made for, by URI. */
  readonly texts: ReadonlyMap<string, string>;
}

const maxKept = 20;

/** The edits that a session was shown, by the name under which each can be applied, once. */
export class PreparedEdits {
  readonly #edits = new Map<string, PreparedEdit>();
  #last = 0;

  /** Keeps an edit; the oldest one goes where there are too many. Returns its name. */
  keep(edit: PreparedEdit): string {
    const name = `edit-${++this.#last}`;
    this.#edits.set(name, edit);
    const [oldest] = this.#edits.keys();
    if (this.#edits.size > maxKept && oldest !== undefined) this.#edits.delete(oldest);
    return name;
  }

  /** Throws `invalid-arguments` when there is none of the name. */
  get(name: string): PreparedEdit {
    const edit = this.#edits.get(name);
    if (edit) return edit;
    const known = [...this.#edits.keys()].join(", ");
    throw new SymposiumError(
      "invalid-arguments",
      `edit: "${name}" is not waiting to be applied.`,
      known === "" ? "Preview one first, with rename, code_action or format." : `Waiting: ${known}.`,
    );
  }

  forget(name: string): void {
    this.#edits.delete(name);
  }
}
