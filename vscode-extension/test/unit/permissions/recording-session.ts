import {
  applyChange,
  type Change,
  type Item,
  type ItemOf,
  newTabState,
  newTranscript,
  type Transcript,
} from "../../../protocol/index.js";
import type { AbilityCall, AbilitySession } from "../../../src/acp/client-abilities.js";

const agent = { id: "scripted", name: "Scripted agent" };

/** A session whose transcript the test reads; `until` waits for a state of it. */
export class RecordingSession implements AbilitySession {
  readonly agent = agent;
  readonly transcript: Transcript = newTranscript(newTabState(agent));
  readonly changes: Change[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly roots: readonly string[],
    readonly sessionId = "session-1",
    readonly tabId = "tab-1",
    readonly folders = roots,
  ) {}

  publish(change: Change): void {
    this.changes.push(change);
    applyChange(this.transcript, change);
    for (const check of [...this.#waiting]) check();
  }

  /** Resolves with what `find` finds, now or after a change. */
  until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = find();
        if (found === undefined) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** The items of one kind, in order. */
  itemsOf<Kind extends Item["kind"]>(kind: Kind): ItemOf<Kind>[] {
    return this.transcript.items.filter((item): item is ItemOf<Kind> => item.kind === kind);
  }

  /** The nth card that waits for an answer. */
  openCard(index = 0): Promise<ItemOf<"permission">> {
    return this.until(() => this.itemsOf("permission").filter(({ answer }) => answer === undefined)[index]);
  }

  call(params: unknown, signal: AbortSignal = new AbortController().signal): AbilityCall {
    return { params, session: this, signal };
  }
}
