import type { PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import type { AgentSession, PromptTurn } from "../../../conductor/client/agent-session.js";
import type { Unchecked } from "../../../conductor/client/unchecked.js";
import { asObject, textOf, stringOf } from "../../../base/rpc/json.js";
import { rpcErrorCodes } from "../../../base/rpc/rpc-error.js";
import type { PermissionDesk } from "./permission-desk.js";
import type { SessionView } from "./session-view.js";
import type { ChatListener } from "./chat-listener.js";
import type { Transcript } from "./transcript.js";

export const exitCodes = {
  /** The agent ended its turn normally, or the user left. */
  success: 0,
  /** The agent or the chain failed. */
  failure: 1,
  /** The agent stopped without finishing, because of a refusal or a limit. */
  incomplete: 2,
  /** The agent requires a sign-in that nobody completed. */
  authRequired: 3,
  /** The agent ended its turn, but a permission was refused because there was no user to ask. */
  refused: 4,
  /** A budget stopped the turn. */
  overBudget: 5,
  /** The time limit ended the chat, as with timeout(1). */
  timedOut: 124,
  /** The user cancelled (128 + SIGINT). */
  cancelled: 130,
} as const;

const meanings: readonly (readonly [number, string])[] = [
  [exitCodes.success, "The agent answered"],
  [exitCodes.failure, "The agent failed, or stdout was closed"],
  [exitCodes.incomplete, "The agent stopped early, or an option was invalid"],
  [exitCodes.authRequired, "You need to sign in"],
  [exitCodes.refused, "The agent answered, but a request was refused (only if nobody is asked)"],
  [exitCodes.overBudget, "A budget or --max-turns stopped the turn"],
  [exitCodes.timedOut, "--timeout ended the turn"],
  [exitCodes.cancelled, "You cancelled; a signal N gives 128 + N"],
];

/** Exit codes of `chat PROMPT`, for its help. */
export const exitCodesText = [
  "Exit codes:",
  ...meanings.map(([code, text]) => `  ${String(code).padEnd(4)} ${text}`),
].join("\n");

function exitCodeOf(stopReason: string): number {
  if (stopReason === "end_turn") return exitCodes.success;
  return stopReason === "cancelled" ? exitCodes.cancelled : exitCodes.incomplete;
}

interface ChatTurnOptions {
  readonly session: AgentSession;
  readonly view: SessionView;
  readonly transcript: Transcript;
  readonly permissions: PermissionDesk;
  readonly cancelGraceMs: number;
  /** Command that signs in to the agent, for the error of a prompt that needs a sign-in. */
  readonly signInCommand: string;
  /** Wraps waiting for the agent, for example to show a waiting line. */
  readonly waiting: <T>(answer: Promise<T>) => Promise<T>;
  readonly listener?: Pick<ChatListener, "turnEnded" | "failed"> | undefined;
}

export class ChatTurn {
  #turn: PromptTurn | undefined;
  #giveUp: (exitCode: number) => void = () => undefined;
  readonly #givenUp = new Promise<number>((resolve) => (this.#giveUp = resolve));

  constructor(private readonly options: ChatTurnOptions) {}

  get isCancelled(): boolean {
    return this.#turn?.isCancelled === true;
  }

  /** Resolves with the turn's exit code after the end has been displayed. */
  run(text: string): Promise<number> {
    return this.#take(this.options.session.prompt([{ type: "text", text }]));
  }

  /** Follows a turn that is already running in the agent, until `end` resolves. */
  join(end: Promise<Unchecked<PromptResponse>>): Promise<number> {
    return this.#take(this.options.session.follow(end));
  }

  #take(turn: PromptTurn): Promise<number> {
    this.#turn = turn;
    return Promise.race([this.#follow(turn), this.#givenUp]);
  }

  /** Asks the agent to stop and cancels its open questions. Waits a limited time for the stop reason. */
  cancel(): void {
    if (!this.#turn || this.isCancelled) return;
    const { view, transcript, permissions, cancelGraceMs } = this.options;
    transcript.remark("cancelling; press Ctrl-C again to exit");
    const confirmed = this.#turn.cancel(cancelGraceMs);
    permissions.withdraw();
    void confirmed.then((isInTime) => {
      if (isInTime) return;
      view.endTurn(undefined);
      transcript.warn(`The agent has not confirmed the cancellation within ${Math.round(cancelGraceMs / 1000)} s.`);
      this.#giveUp(exitCodes.cancelled);
    });
  }

  async #follow(turn: PromptTurn): Promise<number> {
    const { view, transcript, waiting, listener } = this.options;
    let result: Unchecked<PromptResponse>;
    try {
      result = await waiting(turn.result);
      if (stringOf(result.stopReason) === undefined) throw new AgentRefusal({ message: withoutReason });
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal)) throw thrown;
      view.endTurn(undefined);
      const isConfirmation = turn.isCancelled && thrown.code === rpcErrorCodes.requestCancelled;
      const failure = this.#failureOf(thrown);
      transcript.warn(isConfirmation ? "cancelled" : failure);
      if (!isConfirmation) listener?.failed(failure);
      if (turn.isCancelled) return exitCodes.cancelled;
      return thrown.wantsSignIn ? exitCodes.authRequired : exitCodes.failure;
    }
    view.endTurn(result.usage);
    listener?.turnEnded(result);
    const stopReason = textOf(result.stopReason);
    if (stopReason === "cancelled") transcript.warn("cancelled");
    else if (stopReason !== "end_turn") transcript.warn(`The agent stopped: ${stopReason.replaceAll("_", " ")}.`);
    // Agents answer a cancellation with any stop reason.
    return turn.isCancelled ? exitCodes.cancelled : exitCodeOf(stopReason);
  }

  /** Adds the sign-in command, because some agents report a missing sign-in only at the first prompt, without a remedy. */
  #failureOf(refusal: AgentRefusal): string {
    const text = failureText(refusal);
    return refusal.wantsSignIn ? `${text}\n  To sign in, run \`${this.options.signInCommand}\`.` : text;
  }
}

const withoutReason = "The agent ended the turn without a stop reason.";

export function failureText({ reason, data }: AgentRefusal): string {
  const message = reason ?? "The agent answered with an error.";
  const details = [stringOf(asObject(data)?.["details"]), stringOf(asObject(data)?.["hint"])];
  const more = details.filter((text) => text !== undefined && !message.includes(text));
  return [`error: ${message}`, ...more].join("\n  ");
}
