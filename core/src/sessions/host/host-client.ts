import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { stringOf } from "../../base/rpc/json.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";
import type { LiveSession } from "./live-session.js";
import { listWithLive } from "./live-list.js";
import { type ServedConductor, withHostAbilities } from "./served-conductor.js";

/** The host, as one of its clients sees it. */
export interface ClientHost {
  /** The conductor for a client with this `initialize`; it is started if there is none. */
  conductorFor(request: Request): ServedConductor;
  /** The live session of that id and folder; one of `preferred` before others. */
  find(id: string, folder: string | undefined, preferred: ServedConductor): OwnedSession | undefined;
  /** Every live session. */
  live(): Iterable<LiveSession>;
  /** The client is gone. */
  left(client: HostClient): void;
}

export interface OwnedSession {
  readonly session: LiveSession;
  readonly conductor: ServedConductor;
}

interface HostClientOptions {
  readonly host: ClientHost;
  /** The methods of the client. */
  readonly peer: Peer;
  readonly isCongested: () => boolean;
  /** Ends the connection. */
  readonly drop: (reason: string) => void;
}

/** One connected client: sends its requests to its conductor and to the sessions that it is attached to. */
export class HostClient implements SessionClient {
  /** The host's methods for the client. */
  readonly fromClient: Peer = {
    request: (request, reply) => {
      const cancel = this.#request(request, reply);
      return () => {
        // A connection that closes gives up all of its requests, and its prompts go on.
        if (!this.#hasLeft) cancel();
      };
    },
    notify: (notification) => this.#notify(notification),
  };
  readonly #sessions = new Map<string, OwnedSession>();
  #capabilities: unknown;
  #conductor: ServedConductor | undefined;
  #hasLeft = false;

  constructor(private readonly options: HostClientOptions) {}

  get peer(): Peer {
    return this.options.peer;
  }

  get isCongested(): boolean {
    return this.options.isCongested();
  }

  get conductor(): ServedConductor | undefined {
    return this.#conductor;
  }

  can(capability: string): boolean {
    return hasCapability(this.#capabilities, capability);
  }

  drop(reason: string): void {
    this.options.drop(reason);
  }

  /** The client takes messages again. */
  drained(): void {
    for (const { session } of this.#sessions.values()) session.drained(this);
  }

  /** Whether the client is sent what `conductor` says. */
  reads(conductor: ServedConductor): boolean {
    return this.#conductor === conductor || [...this.#sessions.values()].some((owned) => owned.conductor === conductor);
  }

  /** Detaches the client from everything. Its sessions go on. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    for (const { session } of this.#sessions.values()) session.detach(this);
    this.#sessions.clear();
    this.#conductor?.clients.delete(this);
    this.options.host.left(this);
  }

  #request(request: Request, reply: Reply): Cancel {
    const { method, params } = request;
    if (method === acpMethods.initialize) return this.#initialize(request, reply);
    const conductor = this.#conductor;
    if (!conductor) {
      reply(Outcome.error(RpcError.invalidRequest("expected `initialize` request")));
      return nothingToCancel;
    }
    const id = sessionIdOf(params);
    switch (method) {
      case acpMethods.sessionNew:
        return this.#open(conductor, request, reply);
      case acpMethods.sessionLoad:
      case acpMethods.sessionResume:
        return this.#reopen(conductor, request, reply);
      case acpMethods.sessionList:
        return this.#list(conductor, request, reply);
    }
    const owned = id === undefined ? undefined : this.#sessions.get(id);
    if (!owned) return this.#requestOf(id, conductor, request, reply);
    switch (method) {
      case acpMethods.sessionFork:
        return this.#open(owned.conductor, request, reply);
      case acpMethods.sessionClose:
        return this.#close(owned, reply);
      case acpMethods.sessionDelete:
        return this.#delete(owned, request, reply);
    }
    return owned.session.request(this, request, reply);
  }

  /** Sends a request about a session that the client is not attached to, or about none. */
  #requestOf(id: string | undefined, conductor: ServedConductor, request: Request, reply: Reply): Cancel {
    const session = id === undefined ? undefined : conductor.sessionOf(id);
    if (!session) return conductor.request(request, reply);
    if (request.method === acpMethods.sessionDelete) return this.#delete({ session, conductor }, request, reply);
    const message = `Resource not found: ${session.id}. Load or resume the session first.`;
    reply(Outcome.error(new RpcError(rpcErrorCodes.notFound, message, { sessionId: id })));
    return nothingToCancel;
  }

  #delete({ session, conductor }: OwnedSession, request: Request, reply: Reply): Cancel {
    return conductor.request(request, (outcome) => {
      if (!outcome.isError) conductor.forget(session);
      reply(outcome);
    });
  }

  #notify(notification: Notification): void {
    const owned = this.#sessions.get(sessionIdOf(notification.params) ?? "");
    if (owned) owned.session.notify(this, notification);
    else this.#conductor?.notify(notification);
  }

  #initialize(request: Request, reply: Reply): Cancel {
    this.#capabilities = request.params?.object?.["clientCapabilities"];
    this.#conductor ??= this.options.host.conductorFor(request);
    this.#conductor.clients.add(this);
    this.#conductor.initialize(request, (outcome) => reply(withHostAbilities(outcome)));
    return nothingToCancel;
  }

  #open(conductor: ServedConductor, request: Request, reply: Reply): Cancel {
    return conductor.open(this, request, reply, (session) => this.#takes({ session, conductor }));
  }

  /** Returns false if the client has left. */
  #takes(owned: OwnedSession): boolean {
    if (this.#hasLeft) return false;
    const { id } = owned.session;
    const before = this.#sessions.get(id);
    if (before && before.session !== owned.session) before.session.detach(this);
    this.#sessions.set(id, owned);
    return true;
  }

  #reopen(conductor: ServedConductor, request: Request, reply: Reply): Cancel {
    const { method, params } = request;
    const cwd = params?.object?.["cwd"];
    const id = sessionIdOf(params) ?? "";
    const owned = this.options.host.find(id, stringOf(cwd), conductor);
    if (owned) {
      this.#takes(owned);
      owned.session.attach(this, { replays: method === acpMethods.sessionLoad }, reply);
      return nothingToCancel;
    }
    const canReopen = conductor.can("loadSession") || conductor.can("sessionCapabilities.resume");
    if (canReopen) return conductor.reopen(this, id, request, reply, (session) => this.#takes({ session, conductor }));
    const message = `Resource not found: ${id}. The agent keeps no sessions, and the host has none of this id.`;
    reply(Outcome.error(new RpcError(rpcErrorCodes.notFound, message, { sessionId: id })));
    return nothingToCancel;
  }

  #list(conductor: ServedConductor, request: Request, reply: Reply): Cancel {
    const answer = (outcome: Outcome): void => reply(listWithLive(outcome, request.params, this.options.host.live()));
    if (conductor.can("sessionCapabilities.list")) return conductor.request(request, answer);
    answer(Outcome.of({ sessions: [] }));
    return nothingToCancel;
  }

  /** Detaches the client. A session that nobody else needs is closed. */
  #close({ session, conductor }: OwnedSession, reply: Reply): Cancel {
    this.#sessions.delete(session.id);
    session.detach(this);
    if (!session.isAttached && session.isQuiet) conductor.close(session, reply);
    else reply(Outcome.of({}));
    return nothingToCancel;
  }
}
