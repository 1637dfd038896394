import { type Logger, messageOf } from "@symposium-dev/core";
import type { AbilitySession } from "./client-abilities.js";

/** Diff of a tool call with the whole texts. `oldText` is absent for a new file. */
export interface CallEdit {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

export interface ObservedToolCall {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly paths: readonly string[];
  readonly edits: readonly CallEdit[];
}

/** Follows the agents' work without influencing it. Errors that a handler throws are logged and ignored. */
export interface SessionObserver {
  /** Runs before a prompt is sent: the agent gets the prompt after the returned promise has settled. `itemId` is the user's item. */
  turnStarted?(session: AbilitySession, itemId: string): void | Promise<void>;
  toolCall?(session: AbilitySession, call: ObservedToolCall): void;
  /** Reports new output of a command that the agent runs itself. */
  agentOutput?(session: AbilitySession, terminalId: string, text: string): void;
  /** Delays the next prompt until the returned promise has settled. */
  turnEnded?(session: AbilitySession): void | Promise<void>;
  sessionEnded?(session: AbilitySession): void;
}

/** Notifies several observers in order. Errors that an observer throws are logged and affect neither the agent nor other observers. */
export class SessionObservers implements Required<SessionObserver> {
  constructor(
    private readonly observers: readonly SessionObserver[],
    private readonly logger: Logger,
  ) {}

  async turnStarted(session: AbilitySession, itemId: string): Promise<void> {
    for (const one of this.observers) await this.#guarded(async () => one.turnStarted?.(session, itemId));
  }

  toolCall(session: AbilitySession, call: ObservedToolCall): void {
    for (const one of this.observers) this.#notify(() => one.toolCall?.(session, call));
  }

  agentOutput(session: AbilitySession, terminalId: string, text: string): void {
    for (const one of this.observers) this.#notify(() => one.agentOutput?.(session, terminalId, text));
  }

  async turnEnded(session: AbilitySession): Promise<void> {
    for (const one of this.observers) await this.#guarded(async () => one.turnEnded?.(session));
  }

  sessionEnded(session: AbilitySession): void {
    for (const one of this.observers) this.#notify(() => one.sessionEnded?.(session));
  }

  async #guarded(notify: () => Promise<void>): Promise<void> {
    try {
      await notify();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #notify(notify: () => void): void {
    try {
      notify();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #failed(thrown: unknown): void {
    this.logger.error("an observer of the session failed", { reason: messageOf(thrown) });
  }
}
