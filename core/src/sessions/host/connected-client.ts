import { symposiumIn } from "../../base/acp/symposium-meta.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { stringOf } from "../../base/rpc/json.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";
import type { LiveSession } from "./live-session.js";
import { fromOtherMachine, type OtherMachine } from "./from-other-machine.js";
import { listWithLive } from "./live-list.js";
import { type ServedConductor, withHostAbilities } from "./served-conductor.js";

export interface ClientHost {
  /** Returns the conductor for a client that sends `initialize`; starts a conductor if needed. */
  conductorFor(request: Request): ServedConductor;
  /** Returns the live session with that id and folder, preferring sessions of `preferred`. */
  find(id: string, folder: string | undefined, preferred: ServedConductor): OwnedSession | undefined;
  live(): Iterable<LiveSession>;
  left(client: ConnectedClient): void;
}

export interface OwnedSession {
  readonly session: LiveSession;
  readonly conductor: ServedConductor;
}

interface ConnectedClientOptions {
  readonly host: ClientHost;
  readonly peer: Peer;
  readonly isCongested: () => boolean;
  readonly drop: (reason: string) => void;
  /** Set if the client runs on another machine. */
  readonly remote?: OtherMachine | undefined;
}

/** Connected client; routes its requests to its conductor and attached sessions. */
export class ConnectedClient implements SessionClient {
  readonly fromClient: Peer = {
    request: (request, reply) => {
      const { remote } = this.options;
      const cancel = this.#request(remote ? fromOtherMachine(request, remote.folder) : request, reply);
      return () => {
        // Prompts continue after the client's connection closes; only its other requests are cancelled.
        if (!this.#hasLeft) cancel();
      };
    },
    notify: (notification) => this.#notify(notification),
  };
  readonly #sessions = new Map<string, OwnedSession>();
  #capabilities: unknown;
  #conductor: ServedConductor | undefined;
  #hasLeft = false;

  constructor(private readonly options: ConnectedClientOptions) {}

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

  isIn(sessionId: string | undefined): boolean {
    return sessionId === undefined ? !this.#hasLeft : this.#sessions.has(sessionId);
  }

  drop(reason: string): void {
    this.options.drop(reason);
  }

  /** Resumes sending after the client was congested. */
  drained(): void {
    for (const { session } of this.#sessions.values()) session.drained(this);
  }

  /** Returns whether the client receives messages from `conductor`. */
  reads(conductor: ServedConductor): boolean {
    return this.#conductor === conductor || [...this.#sessions.values()].some((owned) => owned.conductor === conductor);
  }

  /** Detaches the client from all sessions, which continue. */
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
        return this.#close(owned, request, reply);
      case acpMethods.sessionDelete:
        return this.#delete(owned, request, reply);
    }
    return owned.session.request(this, request, reply);
  }

  /** Sends a request about no session, or one that the client isn't attached to. */
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

  /** Registers a session that the client attaches to; returns false if the client has disconnected. */
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
      owned.conductor.servers.attach(this, owned.session.id, request);
      const after = stringOf(symposiumIn(params?.object?.["_meta"])["after"]);
      owned.session.attach(this, { replays: method === acpMethods.sessionLoad, after }, reply);
      return nothingToCancel;
    }
    const canReopen = conductor.can("loadSession") || conductor.can("sessionCapabilities.resume");
    if (canReopen) return conductor.reopen(this, id, request, reply, (session) => this.#takes({ session, conductor }));
    const message = `Resource not found: ${id}. The agent doesn't store sessions, and the host has no session with this ID.`;
    reply(Outcome.error(new RpcError(rpcErrorCodes.notFound, message, { sessionId: id })));
    return nothingToCancel;
  }

  #list(conductor: ServedConductor, request: Request, reply: Reply): Cancel {
    const answer = (outcome: Outcome): void => reply(listWithLive(outcome, request.params, this.options.host.live()));
    if (conductor.can("sessionCapabilities.list")) return conductor.request(request, answer);
    answer(Outcome.of({ sessions: [] }));
    return nothingToCancel;
  }

  /** Detaches the client. Closes the session if no other client needs it, or if the client wants to end it. */
  #close({ session, conductor }: OwnedSession, { params }: Request, reply: Reply): Cancel {
    this.#sessions.delete(session.id);
    session.detach(this);
    const ends = symposiumIn(params?.object?.["_meta"])["ends"] === true;
    if (ends || (!session.isAttached && session.isQuiet)) conductor.close(session, reply);
    else reply(Outcome.of({}));
    return nothingToCancel;
  }
}
