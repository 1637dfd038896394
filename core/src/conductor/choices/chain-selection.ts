import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { Json } from "../../base/rpc/json.js";
import { Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { AgentProtection, WantedProtection } from "./protection-choice.js";
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
import { agentNameOf, type Change, type Offer } from "./choice.js";
import type { CurrentChain } from "./current-chain.js";
import type { CombinedOptions } from "./combined-options.js";
import type { OpenSession } from "./open-session.js";
import { errorText, needsSignIn } from "./session-messages.js";

/** See `ChainsOptions.continuing`. */
export type Continuing = (
  opening: Json,
  wanted: ContinuedWish,
) => Promise<{
  /** Of a `session/new` that goes on with it. */
  readonly opening: Json;
  /** To be called once it goes on. */
  done(): void;
}>;

interface ContinuedWish {
  /** As the client calls it. */
  readonly session: string;
  /** Whose it is until it goes on; undefined for a new one. */
  readonly agent: string | undefined;
  /** Whether it is new, and another conversation is meant: the named one, or the last one of its folder. */
  readonly isFresh: boolean;
  readonly named: string | undefined;
}

interface ChoosingOptions {
  readonly continuing?: Continuing;
  readonly offer: Offer;
  /** The configuration's path, for people. */
  readonly file: string;
  readonly current: CurrentChain;
  readonly merged: CombinedOptions;
  readonly protection: AgentProtection;
}

/** Errors that another agent would not mend: what was sent is wrong, or the client has given it up. */
const notOfAgents: ReadonlySet<unknown> = new Set([
  rpcErrorCodes.invalidParams,
  rpcErrorCodes.methodNotFound,
  rpcErrorCodes.requestCancelled,
]);

/** Answers what users choose by config options and slash commands. */
export class ChainSelection {
  /** The slash commands that are being answered, by session. */
  readonly #turns = new Map<string, CommandTurn>();
  readonly #failed = new FailedChoices();
  /** The sessions that know which other agents there are. */
  readonly #offered = new WeakSet<OpenSession>();

  constructor(private readonly options: ChoosingOptions) {}

  /** Answers a prompt that is a slash command of ours; undefined for every other prompt. */
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
      turn.finish(() => session.say("This session has a turn that runs. Stop it, or wait for its end, and try again."));
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

  /** Says which other agents could go on, once for each session, after a prompt that failed. */
  offerOthers(session: OpenSession, failure: Outcome): void {
    const { offer, continuing } = this.options;
    const code = failure.json.object?.["code"];
    if (!continuing || this.#offered.has(session) || notOfAgents.has(code)) return;
    const text = othersOffered(offer, session.chain.choice, errorText(failure), needsSignIn(failure));
    if (text === undefined) return;
    this.#offered.add(session);
    session.say(text);
  }

  /** What to say once another agent has the conversation. */
  async #continue(
    session: OpenSession,
    { agent, named }: { readonly agent: string; readonly named: string | undefined },
    signal: AbortSignal,
  ): Promise<string> {
    const { offer, current, continuing } = this.options;
    const { isFresh, opening } = session;
    const own = session.chain.choice;
    if (!continuing || !opening) return notContinued(offer, agent, "Conversations are not kept here.");
    if (!isFresh && named !== undefined) {
      return notContinued(offer, agent, `This session has begun: go on with "${named}" in a new one.`);
    }
    if (!isFresh && own.agent === agent) return notContinued(offer, agent, "It has it already.");
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

  /** The client gives the turn of `session` up. False where that is not one of ours. */
  cancel(session: OpenSession): boolean {
    const turn = this.#turns.get(session.id);
    turn?.cancel();
    return turn !== undefined;
  }

  /** Answers `session/set_config_option`, for options of ours and of the agent. */
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

  /** What became of a choice that its selector alone would not show is said in the session, too. */
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

/** A prompt turn that is one of our slash commands. It is answered once, also when it is cancelled. */
class CommandTurn {
  readonly #stop = new AbortController();
  #isOver = false;

  constructor(private readonly reply: Reply) {}

  /** Aborted when the client cancels the turn. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the turn after `say`; does nothing once it is over. */
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
  /** The sessions in which it has failed so. */
  readonly sessions: WeakSet<OpenSession>;
}

/**
 * What could not be chosen when it was last tried. Clients keep what their users pick, and try it again in each new
 * session, unasked: nobody should wait for it there, nor read again why it fails.
 */
class FailedChoices {
  readonly #failed = new Map<string, FailedChoice>();

  has(change: Change): boolean {
    return this.#failed.has(keyOf(change));
  }

  /** It has failed, as `text` says. Whether that is worth saying in `session`: it is new, or was asked for again there. */
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
