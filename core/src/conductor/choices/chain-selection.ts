import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { Json } from "../../base/rpc/json.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { AgentProtection, WantedProtection } from "./agent-protection.js";
import { commandWords, readCommand } from "./choice-commands.js";
import { changeOf, isChoiceOption } from "./choice-options.js";
import {
  cameBack,
  changeDone,
  type ChangeEffect,
  changeFailed,
  continued,
  notContinued,
  notHeld,
  othersOffered,
} from "./choice-text.js";
import { agentNameOf, type Change, type Offer } from "./chosen-agent-and-proxies.js";
import type { CurrentChain } from "./current-chain.js";
import type { CombinedOptions } from "./combined-options.js";
import type { OpenSession } from "./open-session.js";
import { errorText, needsSignIn } from "./session-messages.js";

/** See `ChainsOptions.continuing`. */
export type Continuing = (
  opening: Json,
  wanted: ContinuedWish,
) => Promise<{
  readonly opening: Json;
  /** Must be called when the conversation continues in the new session. */
  done(): void;
}>;

interface ContinuedWish {
  readonly session: string;
  /** The conversation's agent until the conversation continues with another agent; undefined for a new session. */
  readonly agent: string | undefined;
  /** Whether the session is new. A new session continues another conversation: the one given by `named`, or else the folder's latest. */
  readonly isFresh: boolean;
  readonly named: string | undefined;
}

interface ChoosingOptions {
  readonly continuing?: Continuing;
  readonly offer: Offer;
  readonly file: string;
  readonly current: CurrentChain;
  readonly merged: CombinedOptions;
  readonly protection: AgentProtection;
}

/** Codes of errors that would also occur with another agent: invalid requests and cancellations. */
const notOfAgents: ReadonlySet<unknown> = new Set([
  rpcErrorCodes.invalidParams,
  rpcErrorCodes.methodNotFound,
  rpcErrorCodes.requestCancelled,
]);

export class ChainSelection {
  readonly #turns = new Map<string, CommandTurn>();
  readonly #failed = new FailedChoices();
  /** Sessions whose user has already been offered other agents. */
  readonly #offered = new WeakSet<OpenSession>();

  constructor(private readonly options: ChoosingOptions) {}

  /** Answers a prompt that is a Symposium slash command. Returns undefined for other prompts. */
  command(session: OpenSession, request: Request, reply: Reply): Cancel | undefined {
    const { offer, file, current, merged } = this.options;
    const words = merged.isEmpty ? undefined : commandWords(request);
    if (!words) return undefined;
    const turn = new CommandTurn((outcome) => {
      this.#turns.delete(session.id);
      reply(outcome);
    });
    const context = { offer, file, own: session.chain.choice, configured: current.choice };
    const command = readCommand(words, context);
    if (command.kind === "text") {
      turn.finish(() => session.say(command.text));
      return nothingToCancel;
    }
    if (command.kind === "continue" && !session.isQuiet) {
      turn.finish(() =>
        session.say("A turn is running in this session. Stop it or wait until it ends, then try again."),
      );
      return nothingToCancel;
    }
    this.#turns.set(session.id, turn);
    if (command.kind === "continue") {
      this.#continue(session, command, turn.signal).then(
        (text) => turn.finish(() => session.say(text)),
        (fault: unknown) => turn.finish(() => session.say(notContinued(offer, command.agent, messageOf(fault)))),
      );
      return () => turn.cancel();
    }
    if (command.kind === "guard") {
      this.#held(session, command.wish, turn.signal).then(
        (text) => turn.finish(() => session.say(text)),
        (fault: unknown) => turn.finish(() => session.say(notHeld(command.wish, textOf(fault)))),
      );
      return () => turn.cancel();
    }
    const { change } = command;
    this.#change(session, change, turn.signal).then(
      (effect) => turn.finish(() => session.say(changeDone(offer, change, effect, session.chain.choice))),
      (fault: unknown) => turn.finish(() => session.say(changeFailed(offer, change, messageOf(fault)))),
    );
    return () => turn.cancel();
  }

  /** Offers other agents after a failed prompt, once per session. */
  offerOthers(session: OpenSession, failure: Outcome): void {
    const { offer, continuing } = this.options;
    const code = failure.json.object?.["code"];
    if (!continuing || this.#offered.has(session) || notOfAgents.has(code)) return;
    const text = othersOffered(offer, session.chain.choice, errorText(failure), needsSignIn(failure));
    if (text === undefined) return;
    this.#offered.add(session);
    session.say(text);
  }

  /** Moves the conversation to another agent. Returns the message for the user. */
  async #continue(
    session: OpenSession,
    { agent, named }: { readonly agent: string; readonly named: string | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const { offer, current, continuing } = this.options;
    const { isFresh, opening } = session;
    const own = session.chain.choice;
    if (!continuing || !opening) return notContinued(offer, agent, "Conversations aren't stored here.");
    if (!isFresh && named !== undefined) {
      return notContinued(offer, agent, `This session has already started. Continue "${named}" in a new session.`);
    }
    if (!isFresh && own.agent === agent) return notContinued(offer, agent, "It already has this conversation.");
    const wanted = await continuing(opening, {
      session: session.id,
      agent: isFresh ? undefined : own.agent,
      isFresh,
      named,
    });
    await current.continueIn(session, agent, wanted.opening, signal, (failure) =>
      session.say(cameBack(offer, agent, errorText(failure), session.chain.choice)),
    );
    wanted.done();
    const before = isFresh || session.chain.choice.agent === own.agent ? undefined : agentNameOf(offer, own);
    return continued(offer, agent, before);
  }

  #held(session: OpenSession, wish: WantedProtection | undefined, signal: AbortSignal): Promise<string> {
    const { protection } = this.options;
    const [{ choice }, folder] = [session.chain, session.folder ?? "/"];
    return wish === undefined ? protection.describe(choice, folder) : protection.change(choice, folder, wish, signal);
  }

  /** Cancels the session's slash command. Returns false if none is running. */
  cancel(session: OpenSession): boolean {
    const turn = this.#turns.get(session.id);
    turn?.cancel();
    return turn !== undefined;
  }

  /** Answers `session/set_config_option` for options of Symposium and of the agent. */
  setOption(session: OpenSession, request: Request, reply: Reply): Cancel {
    const { configId, value } = request.params?.object ?? {};
    const { offer, merged } = this.options;
    if (!merged.isEmpty && isChoiceOption(configId)) {
      const change = changeOf(configId, value, offer);
      if (!(change instanceof RpcError)) return this.#choose(session, change, reply);
      reply(Outcome.error(change));
      return nothingToCancel;
    }
    const legacy = session.offers.legacyRequest(session.id, configId, value);
    if (legacy instanceof RpcError) {
      reply(Outcome.error(legacy));
      return nothingToCancel;
    }
    return session.request(legacy ?? request, (outcome) => {
      if (outcome.isError) {
        reply(outcome);
        return;
      }
      if (legacy) session.offers.setLegacy(configId, value);
      else session.offers.setOptions(outcome.json);
      const answer = legacy ? Json.of({}) : outcome.json;
      reply(Outcome.result(merged.withOptions(answer, session.offers, session.chain.choice)));
    });
  }

  /** Applies a user's choice. Reports any result that the selector alone doesn't show as a message in the session. */
  #choose(session: OpenSession, change: Change, reply: Reply): Cancel {
    const stop = new AbortController();
    const { offer, merged } = this.options;
    this.#change(session, change, stop.signal).then(
      (effect) => {
        const { choice } = session.chain;
        if (effect === "stays" && session.isQuiet) session.say(changeDone(offer, change, effect, choice));
        reply(Outcome.result(merged.withOptions(Json.of({}), session.offers, choice)));
      },
      (fault: unknown) => {
        const text = changeFailed(offer, change, messageOf(fault));
        const isNews = !stop.signal.aborted && this.#failed.note(change, session, text);
        if (isNews && session.isQuiet) session.say(text);
        reply(Outcome.error(stop.signal.aborted ? RpcError.cancelled() : RpcError.internal(text, { details: text })));
      },
    );
    return () => stop.abort();
  }

  async #change(session: OpenSession, change: Change, signal: AbortSignal): Promise<ChangeEffect> {
    const effect = await this.options.current.change(session, change, signal, !this.#failed.has(change));
    this.#failed.forget(change);
    return effect;
  }
}

function textOf(fault: unknown): string {
  return fault instanceof SymposiumError ? fault.text : messageOf(fault);
}

class CommandTurn {
  readonly #stop = new AbortController();
  #isOver = false;

  constructor(private readonly reply: Reply) {}

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  finish(say: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    say();
    this.reply(Outcome.of({ stopReason: "end_turn" }));
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stop.abort();
    this.reply(Outcome.of({ stopReason: "cancelled" }));
  }
}

interface FailedChoice {
  readonly text: string;
  readonly sessions: WeakSet<OpenSession>;
}

/**
 * Choices that failed when last tried. Clients automatically repeat a user's choice in each new session, so a repeated failure must neither
 * delay a session nor be reported again.
 */
class FailedChoices {
  readonly #failed = new Map<string, FailedChoice>();

  has(change: Change): boolean {
    return this.#failed.has(keyOf(change));
  }

  /**
   * Records a failed choice. Returns whether to report the failure in `session`: it is new, or the user tried again in the same session.
   */
  note(change: Change, session: OpenSession, text: string): boolean {
    const known = this.#failed.get(keyOf(change));
    if (known?.text === text) {
      const isAskedAgain = known.sessions.has(session);
      known.sessions.add(session);
      return isAskedAgain;
    }
    this.#failed.set(keyOf(change), { text, sessions: new WeakSet([session]) });
    return true;
  }

  forget(change: Change): void {
    this.#failed.delete(keyOf(change));
  }
}

function keyOf(change: Change): string {
  return JSON.stringify([change.kind, change.id, change.kind === "proxy" && change.isOn]);
}
