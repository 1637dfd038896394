import { acpMethods } from "../acp/methods.js";
import { sessionIdOf } from "../acp/session-message.js";
import { messageOf } from "../base/symposium-error.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/proxy.js";
import { openedSessionId } from "../conductor/session-resources.js";
import { asObject, Json } from "../rpc/json.js";
import { Notification, Outcome, Request } from "../rpc/message.js";
import type { Cancel, Reply } from "../rpc/peer.js";
import type { UsageFigures } from "../usage/usage-row.js";
import type { Budget } from "./budget.js";
import { BudgetedSession, type SessionParts } from "./budgeted-session.js";
import { FailingCalls } from "./failing-calls.js";
import { joinedOutcome } from "./joined-outcome.js";
import { mayGoOn, notice, refusedTurn } from "./budget-question.js";

/** What budgets need of the system. */
interface BudgetParts extends SessionParts {
  /** The budgets that hold in a folder, by now. Never rejects. */
  readonly budgetsFor: (cwd: string) => Promise<readonly Budget[]>;
  /** What was counted today, and in a folder, by whichever process. Never rejects. */
  readonly countedBefore: (cwd: string) => Promise<{ readonly day: UsageFigures; readonly workspace: UsageFigures }>;
}

/** What an agent whose turn was stopped is told when it may go on. */
const goOn = "The user lets you go on. Continue where you were stopped.";

/**
 * Holds turns to the budgets of guard.jsonc, in every editor: says so once at 80 %, and at 100 % stops the turn by a
 * cancellation and asks the user whether to go on for another of the same. Without budgets everything passes as it is.
 */
export function budgetProxy(parts: BudgetParts): Proxy {
  return { name: "budget", connect: (chain) => new BudgetConnection(chain, parts).handlers };
}

class BudgetConnection {
  readonly handlers: ProxyHandlers;
  readonly #sessions = new Map<string, BudgetedSession>();
  readonly #turns = new Map<string, RunningTurn>();
  /** Sessions that had no budgets when that was looked at last: their prompts wait for nothing. */
  readonly #free = new Set<string>();
  /** Prompts that wait for budgets or their user. */
  readonly #waiting = new Map<string, AbortController>();
  readonly #granted = new Map<string, number>();

  constructor(
    private readonly chain: ProxyChain,
    private readonly parts: BudgetParts,
  ) {
    const setUp: RequestHandler = (request, reply) => this.#setUp(request, reply);
    const end: RequestHandler = (request, reply) => {
      const id = sessionIdOf(request.params) ?? "";
      this.#sessions.delete(id);
      this.#free.delete(id);
      return chain.successor.request(request, reply);
    };
    this.handlers = {
      clientRequests: {
        [acpMethods.sessionNew]: setUp,
        [acpMethods.sessionLoad]: setUp,
        [acpMethods.sessionResume]: setUp,
        [acpMethods.sessionFork]: setUp,
        [acpMethods.sessionClose]: end,
        [acpMethods.sessionDelete]: end,
        [acpMethods.sessionPrompt]: (request, reply) => this.#prompt(request, reply),
      },
      clientNotifications: {
        [acpMethods.sessionCancel]: (notification) => {
          const id = sessionIdOf(notification.params) ?? "";
          this.#waiting.get(id)?.abort();
          this.#turns.get(id)?.cancelled();
          return notification;
        },
      },
      agentNotifications: {
        [acpMethods.sessionUpdate]: (notification) => {
          this.#turns.get(sessionIdOf(notification.params) ?? "")?.update(notification);
          return notification;
        },
      },
    };
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const cwd = request.params?.object?.["cwd"];
    return this.chain.successor.request(request, (outcome) => {
      const id = openedSessionId(request, outcome);
      if (id !== undefined && typeof cwd === "string" && !this.#sessions.has(id)) {
        const hasHistory = request.method !== acpMethods.sessionNew;
        this.#sessions.set(id, new BudgetedSession({ id, cwd, hasHistory }, this.parts, this.#granted));
        void this.#look(id, cwd);
      }
      reply(outcome);
    });
  }

  async #look(id: string, cwd: string): Promise<readonly Budget[]> {
    const budgets = await this.parts.budgetsFor(cwd);
    if (budgets.length === 0) this.#free.add(id);
    else this.#free.delete(id);
    return budgets;
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params) ?? "";
    const session = this.#sessions.get(id);
    if (!session) return this.chain.successor.request(request, reply);
    if (this.#free.has(id)) {
      // A budget that was written meanwhile holds from the next prompt on.
      void this.#look(id, session.cwd);
      return this.chain.successor.request(request, reply);
    }
    const stop = new AbortController();
    this.#waiting.set(id, stop);
    let cancel: Cancel | undefined;
    const begun = this.#begin(session, stop.signal).finally(() => {
      if (this.#waiting.get(id) === stop) this.#waiting.delete(id);
    });
    void begun.then(
      (turn) => {
        if (stop.signal.aborted) {
          if (turn instanceof RunningTurn) this.#turns.delete(id);
          reply(Outcome.result(Json.of({ stopReason: "cancelled" })));
        } else if (turn === "refused") reply(refusedTurn());
        else cancel = turn === undefined ? this.chain.successor.request(request, reply) : turn.start(request, reply);
      },
      (error: unknown) => {
        this.chain.logger.warn("budgets could not be read", { reason: messageOf(error) });
        cancel = this.chain.successor.request(request, reply);
      },
    );
    return () => {
      stop.abort();
      cancel?.();
    };
  }

  /** The turn that may begin; undefined where there are no budgets. */
  async #begin(session: BudgetedSession, signal: AbortSignal): Promise<RunningTurn | "refused" | undefined> {
    const budgets = await this.#look(session.id, session.cwd);
    if (budgets.length === 0) return undefined;
    session.begin(budgets, await this.parts.countedBefore(session.cwd));
    const used = session.usedUp(true);
    if (used && !(await mayGoOn(this.chain, session, used, signal))) return "refused";
    const turn = new RunningTurn(this.chain, session, () => this.#turns.delete(session.id));
    this.#turns.set(session.id, turn);
    return turn;
  }
}

/** A turn of a session with budgets, which may be stopped and go on. */
class RunningTurn {
  readonly #failing = new FailingCalls();
  readonly #ended = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #usedUp: Budget | undefined;
  #isCancelled = false;
  #before: Outcome | undefined;

  constructor(
    private readonly chain: ProxyChain,
    private readonly session: BudgetedSession,
    private readonly onEnd: () => void,
  ) {}

  start(request: Request, reply: Reply): Cancel {
    this.session.count.prompt("[]");
    this.#wait();
    this.#tellOfWarnings();
    const cancel = this.chain.successor.request(request, (outcome) => {
      clearTimeout(this.#timer);
      this.session.ended(outcome.json.text);
      const joined = this.#before ? joinedOutcome(this.#before, outcome) : outcome;
      const used = this.#usedUp;
      if (used && !this.#isCancelled && !outcome.isError) void this.#askToGoOn(used, joined, reply);
      else this.#finish(joined, reply);
    });
    return () => {
      this.cancelled();
      cancel();
    };
  }

  update(notification: Notification): void {
    const { params } = notification;
    if (!params) return;
    const { text } = params;
    if (!/"(?:tool_call|tool_call_update|usage_update)"/.test(text)) return;
    this.session.count.update(text);
    const loop = this.#failing.update(asObject(params.object?.["update"]) ?? {});
    if (loop !== undefined) this.#notice(loop);
    this.#check();
  }

  /** The client has cancelled the turn: nobody is asked whether to go on. */
  cancelled(): void {
    this.#isCancelled = true;
    this.#ended.abort();
  }

  #check(): void {
    if (this.#usedUp) return;
    this.#tellOfWarnings();
    this.#usedUp = this.session.usedUp(false);
    if (!this.#usedUp) return;
    this.chain.logger.info("a budget is used up, and the turn is stopped", { budget: this.#usedUp.place });
    this.chain.successor.notify(Notification.of(acpMethods.sessionCancel, { sessionId: this.session.id }));
  }

  /** Time goes on while an agent says nothing. */
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
    this.start(Request.of(acpMethods.sessionPrompt, { sessionId: this.session.id, prompt }), reply);
  }

  #finish(outcome: Outcome, reply: Reply): void {
    this.onEnd();
    // Tokens are known at the end alone.
    this.#tellOfWarnings();
    const money = this.session.moneyText();
    if (money !== undefined) this.#notice(money);
    reply(outcome);
  }

  #tellOfWarnings(): void {
    for (const budget of this.session.warnings()) this.#notice(this.session.warningText(budget));
  }

  #notice(title: string): void {
    notice(this.chain.client, this.session.id, title);
  }
}
