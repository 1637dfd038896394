import type { Notification } from "../../base/rpc/message.js";

/**
 * Updates of sessions whose id nobody has heard yet: some agents send them before they answer `session/new`. They wait while
 * such an answer is awaited.
 */
export class EarlyUpdates {
  readonly #known = new Set<string>();
  #waiting: { readonly session: string; readonly notification: Notification }[] = [];
  #awaited = 0;

  /** The editor or an answer has named this session. */
  know(session: string | undefined): void {
    if (session !== undefined) this.#known.add(session);
  }

  /** An answer is awaited, until {@link answered}. */
  await(): void {
    this.#awaited++;
  }

  get isIdle(): boolean {
    return this.#awaited === 0;
  }

  /** Whether `notification` waits. */
  keeps(session: string | undefined, notification: Notification): boolean {
    if (this.isIdle || session === undefined || this.#known.has(session)) return false;
    this.#waiting.push({ session, notification });
    return true;
  }

  /** The answer is there: what waited of this session, and, once no other one is awaited, of sessions that are not ours to name. */
  answered(session: string | undefined): readonly Notification[] {
    this.#awaited--;
    this.know(session);
    const found = this.#waiting.filter((one) => this.isIdle || one.session === session);
    this.#waiting = this.#waiting.filter((one) => !found.includes(one));
    return found.map(({ notification }) => notification);
  }
}
