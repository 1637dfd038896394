import type { Change } from "./choice.js";
import type { OpenSession } from "./open-session.js";

interface FailedChoice {
  readonly text: string;
  /** The sessions in which it has failed so. */
  readonly sessions: WeakSet<OpenSession>;
}

/**
 * What could not be chosen when it was last tried. Clients keep what their users pick, and try it again in each new
 * session, unasked: nobody should wait for it there, nor read again why it fails.
 */
export class FailedChoices {
  readonly #failed = new Map<string, FailedChoice>();

  has(change: Change): boolean {
    return this.#failed.has(keyOf(change));
  }

  /** It has failed, as `text` says. Whether that is worth saying in `session`: it is new, or was asked for again there. */
  note(change: Change, session: OpenSession, text: string): boolean {
    const known = this.#failed.get(keyOf(change));
    if (known?.text === text) {
      const isAskedAgain = known.sessions.has(session);
      known.sessions.add(session);
      return isAskedAgain;
    }
    this.#failed.set(keyOf(change), { text, sessions: new WeakSet([session]) });
    return true;
  }

  forget(change: Change): void {
    this.#failed.delete(keyOf(change));
  }
}

function keyOf(change: Change): string {
  return JSON.stringify([change.kind, change.id, change.kind === "proxy" && change.isOn]);
}
