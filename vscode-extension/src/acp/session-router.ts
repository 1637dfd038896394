import { type Cancel, type Logger, type Notification, type Peer, type Reply, type Request } from "@symposium-dev/core";
import type { AbilityTable } from "./ability-table.js";
import type { AbilitySession } from "./client-ability.js";
import { objectOf, stringOf, wire, type WireObject } from "./wire.js";

/** A session as the messages of its agent see it. */
export interface RoutedSession {
  readonly ability: AbilitySession;
  readonly isTurnOpen: boolean;
  /** One `session/update`, in the order of the wire. */
  update(update: WireObject): void;
}

/** Updates that are kept for sessions nobody knows yet; beyond that the oldest go, with a line in the log. */
const maxEarlyUpdates = 10_000;

/** Requests that wait for the user: the end of the turn answers them. */
const askingMethods: readonly string[] = [wire.requestPermission, wire.createElicitation];

interface OpenCall {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly controller: AbortController;
}

/**
 * Takes what one agent process says to the sessions it belongs to. Updates that come before the answer which names
 * their session wait for it, and so do requests.
 */
export class SessionRouter implements Peer {
  readonly #sessions = new Map<string, RoutedSession>();
  readonly #aliases = new Map<string, string>();
  readonly #calls = new Set<OpenCall>();
  #early: { readonly sessionId: string; readonly update: WireObject }[] = [];
  #opening = 0;
  #waiting: (() => void)[] = [];

  constructor(
    private readonly abilities: AbilityTable,
    private readonly logger: Logger,
  ) {}

  /** Runs what opens a session: until it is done, requests of unknown sessions wait. */
  async whileOpening<T>(open: () => Promise<T>): Promise<T> {
    this.#opening++;
    try {
      return await open();
    } finally {
      this.#opening--;
      this.#wake();
    }
  }

  /** From here on the session gets what is meant for it, what came early first. */
  add(session: RoutedSession): void {
    const { sessionId } = session.ability;
    this.#sessions.set(sessionId, session);
    const early = this.#early;
    this.#early = early.filter((one) => one.sessionId !== sessionId);
    for (const one of early) if (one.sessionId === sessionId) session.update(one.update);
    this.#wake();
  }

  remove(sessionId: string): void {
    if (!this.#sessions.delete(sessionId)) return;
    this.cancelCalls(sessionId);
    this.abilities.sessionEnded(sessionId);
  }

  /** Messages of `child`, a session that the agent made itself, belong to `parent` from here on. */
  addChild(child: string, parent: string): void {
    this.#aliases.set(child, parent);
  }

  /** Gives up the requests that wait for the user in a session, or all of its requests. */
  cancelCalls(sessionId: string, which: "asking" | "all" = "all"): void {
    for (const call of [...this.#calls]) {
      if (call.sessionId === sessionId && (which === "all" || askingMethods.includes(call.method)))
        call.controller.abort();
    }
  }

  /** The agent is gone. */
  close(): void {
    for (const { controller } of [...this.#calls]) controller.abort();
    for (const sessionId of [...this.#sessions.keys()]) this.remove(sessionId);
  }

  request(request: Request, reply: Reply): Cancel {
    const controller = new AbortController();
    void this.#answer(request, controller).then(reply);
    return () => controller.abort();
  }

  notify({ method, params }: Notification): void {
    const { sessionId, update } = params?.object ?? {};
    const id = stringOf(sessionId);
    if (method !== wire.sessionUpdate) {
      const session = id === undefined ? undefined : this.#find(id)?.ability;
      this.abilities.notify(method, { params: params?.object, session, signal: new AbortController().signal });
      return;
    }
    const parsed = objectOf(update);
    if (id === undefined || parsed === undefined) {
      this.logger.warn("skipped an update without a session or a content");
      return;
    }
    const session = this.#sessions.get(id) ?? this.#sessions.get(this.#aliases.get(id) ?? "");
    if (session) session.update(parsed);
    else this.#keep(id, parsed);
  }

  async #answer({ method, params }: Request, controller: AbortController): ReturnType<AbilityTable["answer"]> {
    const sessionId = stringOf(params?.object?.["sessionId"]);
    const session = sessionId === undefined ? undefined : await this.#await(sessionId);
    const call: OpenCall = { method, sessionId: session?.ability.sessionId, controller };
    this.#calls.add(call);
    const { signal } = controller;
    try {
      return await this.abilities.answer(method, { params: params?.object, session: session?.ability, signal });
    } finally {
      this.#calls.delete(call);
    }
  }

  async #await(sessionId: string): Promise<RoutedSession | undefined> {
    while (!this.#sessions.has(sessionId) && !this.#aliases.has(sessionId) && this.#opening > 0)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#find(sessionId);
  }

  /**
   * The session of that id. Sub-agents ask under ids of their own that nobody announced: theirs is the session with
   * an open turn, or the only one, so that the question is shown somewhere.
   */
  #find(sessionId: string): RoutedSession | undefined {
    const known = this.#sessions.get(sessionId) ?? this.#sessions.get(this.#aliases.get(sessionId) ?? "");
    if (known) return known;
    const all = [...this.#sessions.values()];
    const running = all.filter((session) => session.isTurnOpen);
    if (running.length === 1) return running[0];
    return all.length === 1 ? all[0] : undefined;
  }

  #keep(sessionId: string, update: WireObject): void {
    this.#early.push({ sessionId, update });
    if (this.#early.length <= maxEarlyUpdates) return;
    this.#early.shift();
    this.logger.warn("dropped an update of a session that was never opened", { sessionId });
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
