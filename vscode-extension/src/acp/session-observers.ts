import { type Logger, messageOf } from "@symposium-dev/core";
import type { AbilitySession } from "./client-ability.js";
import type { ObservedToolCall, SessionObserver } from "./session-observer.js";

/** Tells several observers, one after the other. What one of them throws is logged and hinders neither agent nor others. */
export class SessionObservers implements Required<SessionObserver> {
  constructor(
    private readonly observers: readonly SessionObserver[],
    private readonly logger: Logger,
  ) {}

  async turnStarted(session: AbilitySession, itemId: string): Promise<void> {
    for (const one of this.observers) await this.#guarded(async () => one.turnStarted?.(session, itemId));
  }

  toolCall(session: AbilitySession, call: ObservedToolCall): void {
    for (const one of this.observers) this.#tell(() => one.toolCall?.(session, call));
  }

  agentOutput(session: AbilitySession, terminalId: string, text: string): void {
    for (const one of this.observers) this.#tell(() => one.agentOutput?.(session, terminalId, text));
  }

  async turnEnded(session: AbilitySession): Promise<void> {
    for (const one of this.observers) await this.#guarded(async () => one.turnEnded?.(session));
  }

  sessionEnded(session: AbilitySession): void {
    for (const one of this.observers) this.#tell(() => one.sessionEnded?.(session));
  }

  async #guarded(tell: () => Promise<void>): Promise<void> {
    try {
      await tell();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #tell(tell: () => void): void {
    try {
      tell();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #failed(thrown: unknown): void {
    this.logger.error("an observer of the session failed", { reason: messageOf(thrown) });
  }
}
