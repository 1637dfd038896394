import { announcedChild } from "../../base/acp/child-session.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { EarlyUpdates } from "../../base/acp/early-updates.js";
import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { isMcpOverAcp } from "../../base/mcp/wire.js";
import { asObject, Json, stringOf, textOf } from "../../base/rpc/json.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { type Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { SessionClient } from "./attachment.js";
import { ClientServers } from "./client-servers.js";
import { type HostDisk, LiveSession } from "./live-session.js";

interface ServedConductorOptions {
  readonly peer: Peer;
  readonly disk: HostDisk;
  readonly now: () => number;
}

/** Conductor with its sessions, shared by clients with the same arguments, environment and capabilities. */
export class ServedConductor {
  readonly client: Peer = {
    request: (request, reply) => this.#asked(request, reply),
    notify: (notification) => this.#told(notification),
  };
  readonly clients = new Set<SessionClient>();
  readonly servers = new ClientServers();
  readonly #sessions = new Map<string, LiveSession>();
  /** Parent sessions by the session id of their sub-agent. */
  readonly #children = new Map<string, LiveSession>();
  /** Updates that arrived before their session was open. */
  readonly #early = new EarlyUpdates<Notification>();
  #initialized: Outcome | undefined;
  #waiting: Reply[] | undefined;

  constructor(private readonly options: ServedConductorOptions) {}

  get sessions(): Iterable<LiveSession> {
    return this.#sessions.values();
  }

  sessionOf(id: string): LiveSession | undefined {
    return this.#sessions.get(id);
  }

  /** Agent's display name; "" if unknown. */
  get agent(): string {
    const info = asObject(this.#initialized?.json.object?.["agentInfo"]);
    return stringOf(info?.["title"]) ?? textOf(info?.["name"]);
  }

  /** Returns whether the conductor supports an agent `capability`, a dotted path. */
  can(capability: string): boolean {
    return hasCapability(this.#initialized?.json.object?.["agentCapabilities"], capability);
  }

  /** Initializes the conductor once and reuses the answer for later requests. */
  initialize(request: Request, reply: Reply): void {
    if (this.#initialized) reply(this.#initialized);
    else if (this.#waiting) this.#waiting.push(reply);
    else {
      this.#waiting = [reply];
      this.options.peer.request(request, (outcome) => {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        // Don't store a failure, so that the next client tries again.
        if (!outcome.isError) this.#initialized = outcome;
        for (const answer of waiting) answer(outcome);
      });
    }
  }

  request(request: Request, reply: Reply): Cancel {
    return this.options.peer.request(request, reply);
  }

  notify(notification: Notification): void {
    this.options.peer.notify(notification);
  }

  /** Opens or forks a session for a client. The client receives updates after `takes` confirms that it is still connected. */
  open(client: SessionClient, request: Request, reply: Reply, takes: (session: LiveSession) => boolean): Cancel {
    this.#early.await();
    const declared = this.servers.declare(client, request);
    return this.options.peer.request(request, (outcome) => {
      const id = outcome.isError ? undefined : sessionIdOf(outcome.json);
      declared(id);
      const session = id === undefined ? undefined : this.#begin(id, request);
      session?.opened(outcome.json);
      if (session && takes(session)) session.join(client);
      reply(outcome);
      for (const update of this.#early.take(id)) session?.fromConductor(update);
      this.#early.answered();
    });
  }

  /**
   * Reopens an earlier session. The client receives a replay only if it requests one. If the conductor can replay, the host stores the
   * replay for clients that attach later.
   */
  reopen(
    client: SessionClient,
    id: string,
    request: Request,
    reply: Reply,
    takes: (session: LiveSession) => boolean,
  ): Cancel {
    const declared = this.servers.declare(client, request);
    const session = this.#begin(id, request);
    const replays = request.method === acpMethods.sessionLoad;
    if (takes(session) && replays) session.join(client);
    const method = this.can("loadSession") ? acpMethods.sessionLoad : request.method;
    return this.options.peer.request(new Request(method, request.params), (outcome) => {
      declared(outcome.isError ? undefined : id);
      if (outcome.isError) {
        this.#end(session);
        reply(outcome);
        return;
      }
      session.opened(outcome.json);
      if (!replays && takes(session)) session.attach(client, { replays: false }, reply);
      else reply(outcome);
    });
  }

  close(session: LiveSession, reply: Reply = () => undefined): void {
    this.#end(session);
    this.options.peer.request(Request.of(acpMethods.sessionClose, { sessionId: session.id }), reply);
  }

  forget(session: LiveSession): void {
    this.#end(session);
  }

  end(): void {
    for (const session of [...this.#sessions.values()]) this.#end(session);
  }

  #begin(id: string, { params }: Request): LiveSession {
    const cwd = params?.object?.["cwd"];
    const { peer, disk, now } = this.options;
    const session = new LiveSession({ id, folder: stringOf(cwd) ?? "", conductor: peer, disk, now });
    this.#sessions.get(id)?.end();
    this.#sessions.set(id, session);
    return session;
  }

  #end(session: LiveSession): void {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    this.servers.forget(session.id);
    for (const [child, owner] of this.#children) if (owner === session) this.#children.delete(child);
    session.end();
  }

  #ownerOf(id: string): LiveSession | undefined {
    return this.#sessions.get(id) ?? this.#children.get(id);
  }

  #told(notification: Notification): void {
    const { method, params } = notification;
    const id = sessionIdOf(params);
    if (id === undefined) {
      for (const client of this.clients) client.peer.notify(notification);
      return;
    }
    const session = this.#ownerOf(id);
    if (!session) {
      this.#early.keeps(id, notification);
      return;
    }
    const child = method === acpMethods.sessionUpdate && params ? announcedChild(params) : undefined;
    if (child !== undefined && !this.#sessions.has(child)) this.#children.set(child, session);
    session.fromConductor(notification);
  }

  #asked(request: Request, reply: Reply): Cancel {
    const session = this.#ownerOf(sessionIdOf(request.params) ?? "");
    if (session) return session.ask(request, reply);
    // Only a session determines which client or folder may be used.
    if (/^(?:fs|terminal)\//.test(request.method)) {
      reply(Outcome.error(RpcError.invalidParams(`"sessionId" of ${request.method} must name an open session`)));
      return nothingToCancel;
    }
    if (isMcpOverAcp(request.method)) return this.servers.request(request, reply);
    const [client] = this.clients;
    if (client) return client.peer.request(request, reply);
    reply(Outcome.error(RpcError.internal(`No attached client can answer ${request.method}.`)));
    return nothingToCancel;
  }
}

/** Adds the host's capabilities to an `initialize` answer: listing, restoring and closing its sessions. */
export function withHostAbilities(outcome: Outcome): Outcome {
  if (outcome.isError) return outcome;
  const add = (json: Json, path: readonly [string, ...string[]], value: unknown): Json =>
    hasCapability(json.object, path.join(".")) ? json : withMember(json, path, Json.of(value));
  const sessions = (["list", "resume", "close"] as const).reduce(
    (json, name) => add(json, ["agentCapabilities", "sessionCapabilities", name], {}),
    outcome.json,
  );
  return Outcome.result(add(sessions, ["agentCapabilities", "loadSession"], true));
}
