import { messageOf } from "../base/symposium-error.js";
import { Json } from "../rpc/json.js";
import { Outcome, type Request } from "../rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";
import { commandWords, readCommand } from "./choice-commands.js";
import { changeOf, isChoiceOption } from "./choice-options.js";
import { changeDone, type ChangeEffect, changeFailed } from "./choice-text.js";
import type { Change, Offer } from "./choice.js";
import type { CurrentChain } from "./current-chain.js";
import type { MergedOffers } from "./merged-offers.js";
import type { OpenSession } from "./open-session.js";

interface ChoosingOptions {
  readonly offer: Offer;
  /** The configuration's path, for people. */
  readonly file: string;
  readonly current: CurrentChain;
  readonly merged: MergedOffers;
}

/** Answers what users choose by config options and slash commands. */
export class Choosing {
  /** The slash commands that are being answered, by session. */
  readonly #turns = new Map<string, CommandTurn>();
  readonly #failed = new FailedChoices();

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
    this.#turns.set(session.id, turn);
    const { change } = command;
    this.#change(session, change, turn.signal).then(
      (effect) => turn.finish(() => session.say(changeDone(offer, change, effect, session.chain.choice))),
      (fault: unknown) => turn.finish(() => session.say(changeFailed(offer, change, messageOf(fault)))),
    );
    return () => turn.cancel();
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
