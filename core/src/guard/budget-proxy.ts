import { announcedChild } from "../base/acp/child-session.js";
import { acpMethods, sessionHandlers } from "../base/acp/methods.js";
import { sessionIdOf } from "../base/acp/session-message.js";
import { messageOf } from "../base/symposium-error.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/chain/proxy.js";
import { openedSessionId } from "../conductor/chain/session-resources.js";
import type { Json } from "../base/rpc/json.js";
import { Outcome, type Request } from "../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../base/rpc/peer.js";
import { SpacedRuns } from "../base/spaced-runs.js";
import type { UsageFigures } from "../sessions/usage/usage-row.js";
import type { Budget } from "./budget.js";
import type { BudgetUse, SessionParts } from "./budget-use.js";
import type { BudgetedTurn } from "./budgeted-turn.js";

interface BudgetParts extends SessionParts {
  /** Returns the budgets that currently apply in a folder. Never rejects. */
  readonly budgetsFor: (cwd: string) => Promise<readonly Budget[]>;
  /** Returns the usage that all processes have recorded today and in a folder. Never rejects. */
  readonly countedBefore: (cwd: string) => Promise<{ readonly day: UsageFigures; readonly workspace: UsageFigures }>;
}

/** Minimum pause between two checks of the budgets while a session has none, in milliseconds. */
const checkPauseMs = 250;

interface OpenedSession {
  readonly id: string;
  readonly cwd: string;
  /** Whether the session has turns whose usage this process didn't count. */
  hasHistory: boolean;
  /** Whether the session had no budgets at the last check. If so, its prompts don't wait for the next check. */
  isFree: boolean;
  /** Checks of the budgets beside prompts. */
  readonly checks: SpacedRuns;
  /** Budgets of the session and their use; undefined while it has no budgets. */
  budgeted?: BudgetUse | undefined;
}

/** A prompt that waits for a check of the budgets or for the user's answer. */
interface WaitingPrompt {
  readonly id: string;
  readonly stop: AbortController;
}

/**
 * Enforces the budgets of guard.jsonc in every editor. At 80 % of a budget it notifies the user once; at 100 % it cancels the turn and asks
 * whether to extend the budget by the same amount. Without budgets, messages pass unmodified and no counting code is loaded.
 */
export function budgetProxy(parts: BudgetParts): Proxy {
  return { name: "budget", connect: (chain) => new BudgetConnection(chain, parts).handlers };
}

class BudgetConnection {
  readonly handlers: ProxyHandlers;
  readonly #sessions = new Map<string, OpenedSession>();
  /** Running turns by session, most recent last. A session can have several, since some agents accept prompts during a turn. */
  readonly #turns = new Map<string, readonly BudgetedTurn[]>();
  /** Parent session of each sub-agent session. Kept because some sub-agents continue after the turn that started them. */
  readonly #children = new Map<string, string>();
  readonly #waiting = new Set<WaitingPrompt>();
  readonly #granted = new Map<string, number>();

  constructor(
    private readonly chain: ProxyChain,
    private readonly parts: BudgetParts,
  ) {
    const asks =
      (givenUp: Outcome): RequestHandler =>
      (request, reply) => {
        const turn = this.#turnOf(request.params);
        return turn ? turn.asks(request, reply, givenUp) : chain.client.request(request, reply);
      };
    this.handlers = {
      clientRequests: {
        ...sessionHandlers<RequestHandler>(
          (request, reply) => this.#setUp(request, reply),
          (request, reply) => this.#end(request, reply),
        ),
        [acpMethods.sessionPrompt]: (request, reply) => this.#prompt(request, reply),
      },
      clientNotifications: {
        [acpMethods.sessionCancel]: (notification) => {
          this.#cancelled(sessionIdOf(notification.params) ?? "");
          return notification;
        },
      },
      agentRequests: {
        [acpMethods.requestPermission]: asks(Outcome.of({ outcome: { outcome: "cancelled" } })),
        [acpMethods.createElicitation]: asks(Outcome.of({ action: "cancel" })),
      },
      agentNotifications: {
        [acpMethods.sessionUpdate]: (notification) => {
          if (this.#turns.size > 0 && notification.params) this.#update(notification.params);
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
        const checks: SpacedRuns = new SpacedRuns(async () => void (await this.#look(session)), checkPauseMs);
        const session: OpenedSession = { id, cwd, hasHistory, isFree: false, checks };
        this.#sessions.set(id, session);
        checks.request();
      }
      reply(outcome);
    });
  }

  /** Ends a session. If the agent fails to close the session, its budgets remain in force. */
  #end(request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params) ?? "";
    this.#cancelled(id);
    return this.chain.successor.request(request, (outcome) => {
      if (!outcome.isError) {
        this.#sessions.delete(id);
        for (const [child, parent] of this.#children) if (parent === id) this.#children.delete(child);
      }
      reply(outcome);
    });
  }

  /** Cancels the session's waiting prompts and running turns. */
  #cancelled(id: string): void {
    for (const one of this.#waiting) if (one.id === id) one.stop.abort();
    for (const turn of this.#turns.get(id) ?? []) turn.cancelled();
  }

  #turnOf(params: Json | undefined): BudgetedTurn | undefined {
    const id = sessionIdOf(params) ?? "";
    return this.#turns.get(this.#children.get(id) ?? id)?.at(-1);
  }

  #update(params: Json): void {
    const turn = this.#turnOf(params);
    if (!turn) return;
    const id = sessionIdOf(params) ?? "";
    const parent = this.#children.get(id);
    const child = announcedChild(params);
    if (child !== undefined && !this.#sessions.has(child)) this.#children.set(child, parent ?? id);
    turn.update(params, parent !== undefined);
  }

  async #look(session: OpenedSession): Promise<readonly Budget[]> {
    const budgets = await this.parts.budgetsFor(session.cwd);
    session.isFree = budgets.length === 0;
    return budgets;
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const { successor } = this.chain;
    const session = this.#sessions.get(sessionIdOf(request.params) ?? "");
    if (!session) return successor.request(request, reply);
    if (session.isFree) {
      // A new budget applies from the next prompt after a check.
      session.checks.request();
      forgetCount(session);
      return successor.request(request, reply);
    }
    const waiting = { id: session.id, stop: new AbortController() };
    const { signal } = waiting.stop;
    this.#waiting.add(waiting);
    const begun = this.#begin(session, signal)
      .catch((error: unknown) => {
        this.chain.logger.warn("couldn't read budgets", { reason: messageOf(error) });
        return undefined;
      })
      .finally(() => this.#waiting.delete(waiting));
    const cancel = deferredRequest(begun, (turn) => {
      if (signal.aborted || turn instanceof Outcome) {
        reply(turn instanceof Outcome && !signal.aborted ? turn : Outcome.of({ stopReason: "cancelled" }));
        return undefined;
      }
      if (!turn) return successor.request(request, reply);
      this.#turns.set(session.id, [...(this.#turns.get(session.id) ?? []), turn]);
      return turn.start(request, reply);
    });
    return () => {
      waiting.stop.abort();
      cancel();
    };
  }

  /**
   * Starts a turn if the budgets allow it. Returns the turn, or the response to a refused prompt; undefined if the session has no budgets.
   */
  async #begin(opened: OpenedSession, signal: AbortSignal): Promise<BudgetedTurn | Outcome | undefined> {
    const budgets = await this.#look(opened);
    if (budgets.length === 0) {
      forgetCount(opened);
      return undefined;
    }
    const { BudgetUse } = await import("./budget-use.js");
    const { refusedStart, BudgetedTurn } = await import("./budgeted-turn.js");
    const session = (opened.budgeted ??= new BudgetUse(opened, this.parts, this.#granted));
    session.begin(budgets, await this.parts.countedBefore(opened.cwd));
    const refused = await refusedStart(this.chain, session, signal);
    if (refused) return refused;
    const turn: BudgetedTurn = new BudgetedTurn(this.chain, session, () => this.#ended(opened.id, turn));
    return turn;
  }

  #ended(id: string, turn: BudgetedTurn): void {
    const others = this.#turns.get(id)?.filter((one) => one !== turn) ?? [];
    if (others.length > 0) this.#turns.set(id, others);
    else this.#turns.delete(id);
  }
}

/** Discards the session's count before a turn that isn't counted. The usage of such a turn is recorded only in the usage file. */
function forgetCount(session: OpenedSession): void {
  session.hasHistory = true;
  session.budgeted = undefined;
}
