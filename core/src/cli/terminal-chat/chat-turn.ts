import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import type { AgentFailure, AgentSession } from "./agent-session.js";
import { exitCodeOf, exitCodes } from "./exit-codes.js";
import { objectMember, textMember } from "./members.js";
import type { PermissionDesk } from "./permission-desk.js";
import type { SessionView } from "./session-view.js";
import type { Transcript } from "./transcript.js";

export interface ChatTurnOptions {
  readonly session: AgentSession;
  readonly view: SessionView;
  readonly transcript: Transcript;
  readonly permissions: PermissionDesk;
  /** How long the agent may take to confirm a cancellation. */
  readonly cancelGraceMs: number;
}

/** One prompt and what the agent does about it. */
export class ChatTurn {
  #isCancelled = false;
  #giveUp: (exitCode: number) => void = () => undefined;
  readonly #givenUp = new Promise<number>((resolve) => (this.#giveUp = resolve));
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ChatTurnOptions) {}

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Resolves with the exit code that stands for the turn's end, once that has been shown. */
  async run(text: string): Promise<number> {
    const exitCode = await Promise.race([this.#prompt(text), this.#givenUp]);
    clearTimeout(this.#timer);
    return exitCode;
  }

  /** Waits for nothing any more: the user has left. */
  abandon(): void {
    clearTimeout(this.#timer);
  }

  /** Asks the agent to stop, and answers its open questions; the stop reason is waited for, within bounds. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const { session, view, transcript, permissions, cancelGraceMs } = this.options;
    transcript.remark("cancelling; Ctrl-C again to leave");
    session.cancel();
    permissions.withdraw();
    this.#timer = setTimeout(() => {
      view.endTurn(undefined);
      transcript.warn(`The agent has not confirmed the cancellation within ${Math.round(cancelGraceMs / 1000)} s.`);
      this.#giveUp(exitCodes.cancelled);
    }, cancelGraceMs);
  }

  async #prompt(text: string): Promise<number> {
    const { session, view, transcript } = this.options;
    const answer = await session.prompt(text);
    if (answer.failure) {
      view.endTurn(undefined);
      const isConfirmation = this.#isCancelled && answer.failure.code === rpcErrorCodes.requestCancelled;
      transcript.warn(isConfirmation ? "cancelled" : failureText(answer.failure));
      return this.#isCancelled ? exitCodes.cancelled : exitCodes.failure;
    }
    view.endTurn(objectMember(answer.result, "usage"));
    const stopReason = textMember(answer.result, "stopReason") ?? "";
    if (stopReason === "cancelled") transcript.warn("cancelled");
    else if (stopReason !== "end_turn") transcript.warn(`The agent stopped: ${stopReason.replaceAll("_", " ")}.`);
    return exitCodeOf(stopReason);
  }
}

/** An error of the agent, with the details and the hint that it carries. */
export function failureText({ message, data }: AgentFailure): string {
  const details = [textMember(data, "details"), textMember(data, "hint")];
  const more = details.filter((text) => text !== undefined && !message.includes(text));
  return [`error: ${message}`, ...more].join("\n  ");
}
