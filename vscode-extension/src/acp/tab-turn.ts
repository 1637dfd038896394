import { AgentRefusal, type Members, numberOf, type PromptTurn, stringOf } from "@symposium-dev/core";
import type { QueuedPrompt } from "../../protocol/index.js";
import { symposiumMeta } from "./interrupted-turn.js";
import type { LiveSession } from "./session-link.js";

export interface TurnResult {
  readonly stopReason: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Sends a turn's prompt and resolves with the turn's result. `crashed` resolves if the agent's process has ended. */
export type SendTurn = (turn: TabTurn, crashed: Promise<void>) => Promise<TurnResult>;

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

  /** Sends the prompt and resolves with the turn's result. Rejects if the agent refuses the prompt. */
  async run(prompt: readonly Members[]): Promise<TurnResult> {
    if (this.isCancelled) return { stopReason: "cancelled" };
    const { session, agent } = this.live;
    const members = agent.isHosted ? symposiumMeta({ turn: this.prompt.messageId }) : {};
    return this.#follow(session.prompt(prompt, members));
  }

  /** Follows a turn that is already running in the agent, until `end` resolves. */
  join(end: Promise<TurnResult>): Promise<TurnResult> {
    return this.#follow(this.live.session.follow(end.then(({ stopReason }) => ({ stopReason }))));
  }

  async #follow(sent: PromptTurn): Promise<TurnResult> {
    this.#workingSince = this.now();
    this.#sent = sent;
    try {
      return resultOf(await sent.result);
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
