import { AgentRefusal, type Members, numberOf, type PromptTurn, stringOf } from "@symposium-dev/core";
import type { QueuedPrompt } from "../../protocol/index.js";
import type { LiveSession } from "./session-link.js";

export interface TurnResult {
  readonly stopReason: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

export class TabTurn {
  #isCancelled = false;
  #isOver = false;
  #sent: PromptTurn | undefined;
  #workedMs = 0;
  #workingSince: number | undefined;

  constructor(
    readonly live: LiveSession,
    readonly prompt: QueuedPrompt,
    /** Returns milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /** Milliseconds from sending the prompt to its response, minus the time the agent waited for the user. */
  get workedMs(): number {
    return this.#workedMs;
  }

  setWaiting(isWaiting: boolean): void {
    if (isWaiting) this.#pause();
    else if (this.#sent && !this.#isOver) this.#workingSince ??= this.now();
  }

  #pause(): void {
    if (this.#workingSince !== undefined) this.#workedMs += this.now() - this.#workingSince;
    this.#workingSince = undefined;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** True while the agent works on the prompt: it was sent, and is neither cancelled nor finished. */
  get isOpen(): boolean {
    return this.#sent !== undefined && !this.#isCancelled && !this.#isOver;
  }

  /** True once the prompt was sent to the agent. */
  get wasSent(): boolean {
    return this.#sent !== undefined;
  }

  /** Sends the prompt and resolves when the turn ends. Rejects if the agent refuses the prompt. */
  async run(content: Promise<readonly Members[]>): Promise<TurnResult> {
    const prompt = await content;
    return this.isCancelled ? { stopReason: "cancelled" } : this.#send(prompt);
  }

  async #send(prompt: readonly Members[]): Promise<TurnResult> {
    this.#workingSince = this.now();
    this.#sent = this.live.session.prompt(prompt);
    try {
      return resultOf(await this.#sent.result);
    } catch (thrown) {
      // Some agents end a cancelled turn with an error; treat it as a cancel.
      if (this.isCancelled && thrown instanceof AgentRefusal && !thrown.failure) return { stopReason: "cancelled" };
      throw thrown;
    } finally {
      this.#pause();
      this.#isOver = true;
    }
  }

  /** Asks the agent to stop and answers open user requests as cancelled. The turn still ends with the agent's response. */
  cancel(): void {
    this.#isCancelled = true;
    void this.#sent?.cancel(0);
  }
}

function resultOf({ stopReason, usage }: Awaited<PromptTurn["result"]>): TurnResult {
  const [inputTokens, outputTokens] = [numberOf(usage?.inputTokens), numberOf(usage?.outputTokens)];
  return {
    stopReason: stringOf(stopReason) ?? "end_turn",
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
