import { Notification } from "@symposium-dev/core";
import { AgentRefusal } from "./agent-failure.js";
import { call } from "./call.js";
import type { LiveSession } from "./session-link.js";
import { numberOf, objectOf, stringOf, wire, type WireObject } from "./wire.js";

/** How a turn ended. `tokens` are those of the turn where the agent counts them. */
export interface TurnResult {
  readonly stopReason: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** One `session/prompt` from the wish to send it until its answer. */
export class PromptTurn {
  #isCancelled = false;
  #isSent = false;

  constructor(private readonly session: LiveSession) {}

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Sends the prompt and resolves with its end. Rejects with the agent's refusal. */
  async run(content: Promise<readonly WireObject[]>): Promise<TurnResult> {
    const prompt = await content;
    return this.isCancelled ? { stopReason: "cancelled" } : this.#send(prompt);
  }

  async #send(prompt: readonly WireObject[]): Promise<TurnResult> {
    const { agent, ability } = this.session;
    this.#isSent = true;
    try {
      return resultOf(await call(agent.process.peer, wire.sessionPrompt, { sessionId: ability.sessionId, prompt }));
    } catch (thrown) {
      // Some agents end a cancelled turn with an error, which is no failure.
      if (this.isCancelled && thrown instanceof AgentRefusal && !thrown.failure) return { stopReason: "cancelled" };
      throw thrown;
    }
  }

  /** Asks the agent to stop; requests that wait for the user are answered as cancelled. The turn still ends by its answer. */
  cancel(): void {
    this.#isCancelled = true;
    const { agent, ability } = this.session;
    agent.router.cancelCalls(ability.sessionId, "asking");
    if (this.#isSent) agent.process.peer.notify(Notification.of(wire.sessionCancel, { sessionId: ability.sessionId }));
  }
}

function resultOf(result: unknown): TurnResult {
  const { stopReason, usage } = objectOf(result) ?? {};
  const counted = objectOf(usage);
  const [inputTokens, outputTokens] = [numberOf(counted?.["inputTokens"]), numberOf(counted?.["outputTokens"])];
  return {
    stopReason: stringOf(stopReason) ?? "end_turn",
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
