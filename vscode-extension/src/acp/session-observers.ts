import { type Logger, messageOf } from "@symposium-dev/core";
import type { AbilitySession } from "./abilities.js";

/** A diff of a tool call with whole texts; `oldText` is absent for a new file. */
export interface CallEdit {
  readonly path: string;
  readonly oldText?: string;
  readonly newText: string;
}

/** A tool call as it stands after an update, with whole texts. */
export interface ObservedToolCall {
  /** Id of its item in the transcript. */
  readonly id: string;
  /** An ACP ToolKind, or what the agent said. */
  readonly kind: string;
  readonly status: string;
  /** Absolute paths that it names. */
  readonly paths: readonly string[];
  readonly edits: readonly CallEdit[];
}

/** A feature that follows what agents do and answers nothing. What a handler throws is logged and goes no further. */
export interface SessionObserver {
  /** A prompt is about to be sent; the agent gets it when the returned promise has settled. `itemId` is the user's item. */
  turnStarted?(session: AbilitySession, itemId: string): void | Promise<void>;
  toolCall?(session: AbilitySession, call: ObservedToolCall): void;
  /** Output of a command that the agent runs itself: what is new of it. */
  agentOutput?(session: AbilitySession, terminalId: string, text: string): void;
  /** The next prompt waits for the returned promise. */
  turnEnded?(session: AbilitySession): void | Promise<void>;
  sessionEnded?(session: AbilitySession): void;
}

/** Notifies several observers, one after the other. What one of them throws is logged and hinders neither agent nor others. */
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
