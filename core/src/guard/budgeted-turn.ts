import { acpMethods } from "../base/acp/methods.js";
import type { ProxyChain } from "../conductor/chain/proxy.js";
import { asObject, type Json, type Members } from "../base/rpc/json.js";
import { Notification, Outcome, Request } from "../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Reply } from "../base/rpc/peer.js";
import type { Budget } from "./budget.js";
import { mayGoOn, notice, reported } from "./budget-question.js";
import type { BudgetUse } from "./budget-use.js";
import { continuedTurnResult } from "./continued-turn-result.js";
import { updatedToolCall } from "../base/acp/tool-call.js";

/** Prompt that asks the agent to continue a stopped turn. */
const goOn = "The user allows you to continue. Continue where you were stopped.";

/** Response to a prompt that wasn't forwarded. The stop reason tells the client that the agent hasn't received the prompt. */
const refused = Outcome.of({ stopReason: "refusal" });

/** Matches session updates that contain usage figures. */
const figures = /"(?:tool_call|tool_call_update|usage_update|usage)"/;

/** A turn that is subject to budgets. It can be stopped and continued. */
export class BudgetedTurn {
  readonly #failing = new FailingCalls();
  readonly #ended = new AbortController();
  /** Functions that cancel the agent's unanswered questions. */
  readonly #questions = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedUp: Budget | undefined;
  #isCancelled = false;
  #before: Outcome | undefined;
  #cancelPrompt: Cancel = nothingToCancel;

  constructor(
    private readonly chain: ProxyChain,
    private readonly session: BudgetUse,
    private readonly onEnd: () => void,
  ) {}

  start(request: Request, reply: Reply): Cancel {
    this.#send(request, reply);
    return () => {
      this.cancelled();
      this.#cancelPrompt();
    };
  }

  /** Counts a session update. `params` belong to a `session/update` of the session or of its sub-agent. */
  update(params: Json, isOfChild: boolean): void {
    const { text } = params;
    if (!figures.test(text)) return;
    if (isOfChild) this.session.count.child(text);
    else this.session.count.update(text);
    const loop = this.#failing.update(asObject(params.object?.["update"]) ?? {});
    if (loop !== undefined) this.#notice(loop);
    this.#check();
  }

  /** Forwards the agent's question to the user. After the turn was stopped, answers with `givenUp`, as ACP requires of clients. */
  asks(request: Request, reply: Reply, givenUp: Outcome): Cancel {
    if (request.method === acpMethods.requestPermission && request.params) {
      this.session.count.asked(request.params.text);
      this.#check();
    }
    if (this.#usedUp) {
      reply(givenUp);
      return nothingToCancel;
    }
    let isOpen = true;
    let cancel = nothingToCancel;
    const answer: Reply = (outcome) => {
      if (!isOpen) return;
      isOpen = false;
      this.#questions.delete(giveUp);
      if (request.method === acpMethods.requestPermission && request.params) {
        this.session.count.permission(request.params.text, outcome.json.text);
      }
      reply(outcome);
    };
    const giveUp = (): void => {
      answer(givenUp);
      cancel();
    };
    this.#questions.add(giveUp);
    cancel = this.chain.client.request(request, answer);
    return cancel;
  }

  /** Called when the client cancels the turn. The user isn't asked whether to continue it. */
  cancelled(): void {
    this.#isCancelled = true;
    this.#ended.abort();
  }

  #send(request: Request, reply: Reply): void {
    this.session.count.prompt("[]");
    this.#wait();
    this.#tellOfWarnings();
    this.#cancelPrompt = this.chain.successor.request(request, (outcome) => {
      clearTimeout(this.#timer);
      this.session.ended(outcome.json.text);
      const joined = this.#before ? continuedTurnResult(this.#before, outcome) : outcome;
      const used = this.#usedUp;
      // Don't ask if the turn ended by itself, since it can't be continued.
      if (used && !this.#isCancelled && isStopped(outcome)) void this.#askToGoOn(used, joined, reply);
      else this.#finish(joined, reply);
    });
  }

  #check(): void {
    if (this.#usedUp) return;
    this.#tellOfWarnings();
    this.#usedUp = this.session.usedUp(false);
    if (!this.#usedUp) return;
    this.chain.logger.info("a budget is used up, and the turn is stopped", { budget: this.#usedUp.place });
    this.chain.successor.notify(Notification.of(acpMethods.sessionCancel, { sessionId: this.session.id }));
    // Cancel the questions, since the user has no reason to answer them and the agent would wait for answers.
    for (const giveUp of [...this.#questions]) giveUp();
    reported(this.chain.client, this.session, this.#usedUp);
  }

  /** Schedules the next check of time budgets, which also happens while the agent sends nothing. */
  #wait(): void {
    const ms = this.session.nextTimeMs();
    if (ms === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#check();
      if (!this.#usedUp) this.#wait();
    }, ms);
    this.#timer.unref?.();
  }

  async #askToGoOn(used: Budget, outcome: Outcome, reply: Reply): Promise<void> {
    const isGranted = await mayGoOn(this.chain, this.session, used, this.#ended.signal);
    if (!isGranted || this.#isCancelled) {
      this.#finish(outcome, reply);
      return;
    }
    this.session.goesOn();
    this.#before = outcome;
    this.#usedUp = undefined;
    const prompt = [{ type: "text", text: goOn }];
    this.#send(Request.of(acpMethods.sessionPrompt, { sessionId: this.session.id, prompt }), reply);
  }

  #finish(outcome: Outcome, reply: Reply): void {
    this.onEnd();
    // Some agents report tokens only at the end of a turn.
    this.#tellOfWarnings();
    if (!outcome.isError && !isStopped(outcome)) for (const text of this.session.untold()) this.#notice(text);
    reply(outcome);
  }

  #tellOfWarnings(): void {
    for (const budget of this.session.warnings()) this.#notice(this.session.warningText(budget));
  }

  #notice(title: string): void {
    notice(this.chain.client, this.session.id, title);
  }
}

/** Asks the user about each exhausted budget before a turn starts. Returns the response to the prompt if the user declines. */
export async function refusedStart(
  chain: ProxyChain,
  session: BudgetUse,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  for (let used = session.usedUp(true); used; used = session.usedUp(true)) {
    if (!(await mayGoOn(chain, session, used, signal))) return refused;
  }
  return undefined;
}

function isStopped(outcome: Outcome): boolean {
  return !outcome.isError && outcome.json.object?.["stopReason"] === "cancelled";
}

/** Number of equal failures in a row that can no longer be a coincidence. */
const mostFailures = 4;
const longestTitle = 100;

/** Detects a call that an agent repeats in a turn although the call fails each time. */
class FailingCalls {
  readonly #calls = new Map<string, Members>();
  #last: string | undefined;
  #failures = 0;
  #isTold = false;

  /** Processes a `tool_call` or `tool_call_update`. Returns a notice for the user, at most once per turn. */
  update({ toolCallId, status, title, rawInput }: Members): string | undefined {
    if (typeof toolCallId !== "string" || this.#isTold) return undefined;
    const known = this.#calls.get(toolCallId);
    // Keep the first title, since titles change during a call.
    const call = updatedToolCall(known, { rawInput, title: known?.["title"] ?? title });
    this.#calls.set(toolCallId, call);
    if (status !== "failed" && status !== "completed") return undefined;
    this.#calls.delete(toolCallId);
    const what = call["rawInput"] ?? call["title"];
    const key = what === undefined ? undefined : JSON.stringify(what);
    if (status === "completed" || key === undefined) {
      this.#failures = 0;
      return undefined;
    }
    this.#failures = key === this.#last ? this.#failures + 1 : 1;
    this.#last = key;
    if (this.#failures < mostFailures) return undefined;
    this.#isTold = true;
    return `The same call has failed ${mostFailures} times in a row: ${key.slice(0, longestTitle)}`;
  }
}
