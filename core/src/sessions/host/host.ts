import { acpMethods } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { Notification, type Request } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { ClientHost, OwnedSession } from "./connected-client.js";
import { ConnectedClient } from "./connected-client.js";
import type { OtherMachine } from "./from-other-machine.js";
import type { HostDisk, LiveSession } from "./live-session.js";
import { ServedConductor } from "./served-conductor.js";

/** Parameters with which a client was started and which its conductor also uses. Never written to disk. */
export interface ClientStart {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Set if the client runs on another machine. */
  readonly remote?: OtherMachine;
}

/** Session to stop. With `ends`, a quiet session ends even while clients use it. */
export interface SessionStop {
  readonly sessionId: string;
  readonly cwd: string;
  readonly ends?: boolean;
}

export interface ConductorHooks {
  /** Called once when the process has ended, after all pending requests have been answered. */
  ended(reason: string): void;
  printed(line: string): void;
  congestionChanged(): void;
}

export interface StartedConductor {
  readonly peer: Peer;
  /** True while the process reads more slowly than the host sends. */
  readonly isCongested: boolean;
  pause(isPaused: boolean): void;
  /** Ends the process and its agents. Resolves when the process has ended. */
  end(): Promise<void>;
}

interface HostOptions {
  start(start: ClientStart, client: Peer, hooks: ConductorHooks): StartedConductor;
  readonly disk: HostDisk;
  readonly logger: Logger;
  /** Milliseconds without activity after which the host ends sessions and itself. */
  readonly idleMs: number;
  /** Current time in milliseconds. */
  readonly now: () => number;
}

interface RunningConductor {
  readonly conductor: ServedConductor;
  readonly started: StartedConductor;
}

interface ClientConnection {
  readonly peer: Peer;
  readonly isCongested: () => boolean;
  readonly pause: (isPaused: boolean) => void;
  readonly print: (line: string) => void;
  readonly close: (reason: string) => void;
}

/**
 * Variables in which a shell stores its last command, nesting level and previous folder, and an SSH server its connection. The comparison of
 * clients ignores them, since conductors don't use them.
 */
const ofShells: ReadonlySet<string> = new Set([
  ...["_", "SHLVL", "OLDPWD"],
  ...["SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "XDG_SESSION_ID"],
]);

/** Runs conductors and their sessions independently of their clients' connections. */
export class Host implements AsyncDisposable {
  readonly #conductors = new Map<string, RunningConductor>();
  readonly #clients = new Map<ConnectedClient, ClientConnection>();
  readonly #endings = new Set<Promise<void>>();
  /** Time at which a client was last connected, or a session was last running or waiting. */
  #usedAt: number;

  constructor(private readonly options: HostOptions) {
    this.#usedAt = options.now();
  }

  *conductors(): Iterable<ServedConductor> {
    for (const { conductor } of this.#conductors.values()) yield conductor;
  }

  *sessions(): Iterable<LiveSession> {
    for (const conductor of this.conductors()) yield* conductor.sessions;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** Cancels a session's turn and its queued prompts, or closes a quiet session without clients or with `ends`. */
  stop({ sessionId: id, cwd, ends = false }: SessionStop): void {
    for (const { conductor } of this.#conductors.values()) {
      const session = conductor.sessionOf(id);
      if (session?.folder !== cwd) continue;
      if (session.isQuiet && (ends || !session.isAttached)) conductor.close(session);
      else session.notify(undefined, Notification.of(acpMethods.sessionCancel, { sessionId: id }));
    }
    this.tidy();
  }

  /** Adds a connected client that was started with `start`. */
  connect(start: ClientStart, connection: ClientConnection): ConnectedClient {
    const host: ClientHost = {
      conductorFor: (request) => this.#conductorFor(start, request),
      find: (id, folder, preferred) => this.#find(id, folder, preferred),
      live: () => this.sessions(),
      left: (one) => this.#left(one),
    };
    const { peer, isCongested, close } = connection;
    const client = new ConnectedClient({ host, peer, isCongested, drop: close, remote: start.remote });
    this.#clients.set(client, connection);
    return client;
  }

  congestionChanged(client: ConnectedClient): void {
    if (!client.isCongested) client.drained();
    for (const { conductor, started } of this.#conductors.values()) {
      const readers = [...this.#clients.keys()].filter((one) => one.reads(conductor));
      started.pause(readers.length > 0 && readers.every(({ isCongested }) => isCongested));
    }
  }

  /**
   * Closes idle sessions and ends conductors without sessions and clients. Returns the milliseconds until the next check; undefined if the
   * host is idle.
   */
  tidy(): number | undefined {
    const { idleMs, now } = this.options;
    const time = now();
    let next = idleMs;
    for (const [key, { conductor }] of [...this.#conductors]) {
      for (const session of [...conductor.sessions]) {
        if (session.isAttached || !session.isQuiet) continue;
        // Close a session without messages immediately, since it has no history to preserve.
        const leftMs = session.hasHistory ? session.changedAt + idleMs - time : 0;
        if (leftMs <= 0) conductor.close(session);
        else next = Math.min(next, leftMs);
      }
      if (conductor.clients.size === 0 && [...conductor.sessions].length === 0) this.#end(key, "nobody needs it");
    }
    if (this.#clients.size > 0 || [...this.sessions()].some(({ isQuiet }) => !isQuiet)) this.#usedAt = time;
    const leftMs = this.#usedAt + idleMs - time;
    if (this.#conductors.size === 0 && this.#clients.size === 0 && leftMs <= 0) return undefined;
    return Math.max(1, leftMs > 0 ? Math.min(next, leftMs) : next);
  }

  /** Ends every conductor. Resolves when their processes have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const key of [...this.#conductors.keys()]) this.#end(key, "the host ends");
    await Promise.all(this.#endings);
  }

  #conductorFor(start: ClientStart, request: Request): ServedConductor {
    const { words, cwd, env } = start;
    const variables = Object.entries(env)
      .filter(([name]) => !ofShells.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const key = JSON.stringify([words, cwd, variables, request.params?.text ?? ""]);
    const running = this.#conductors.get(key);
    if (running) return running.conductor;
    const { disk, now, logger } = this.options;
    const client: Peer = {
      request: (asked, reply) => conductor.client.request(asked, reply),
      notify: (notification) => conductor.client.notify(notification),
    };
    const started = this.options.start(start, client, {
      ended: (reason) => this.#ended(key, conductor, reason),
      printed: (line) => {
        for (const connection of this.#connectionsOf(conductor)) connection.print(line);
      },
      congestionChanged: () => this.#pauseClients(),
    });
    const conductor: ServedConductor = new ServedConductor({ peer: started.peer, disk, now });
    this.#conductors.set(key, { conductor, started });
    logger.info("a conductor starts", { subcommand: words[0] ?? "", clients: this.#clients.size });
    return conductor;
  }

  #find(id: string, folder: string | undefined, preferred: ServedConductor): OwnedSession | undefined {
    const own = preferred.sessionOf(id);
    if (own) return { session: own, conductor: preferred };
    for (const { conductor } of this.#conductors.values()) {
      const session = conductor.sessionOf(id);
      if (session && session.folder === folder) return { session, conductor };
    }
    return undefined;
  }

  #left(client: ConnectedClient): void {
    this.#clients.delete(client);
    this.#usedAt = this.options.now();
    this.tidy();
  }

  /** Handles a conductor that ended by itself: disconnects its clients. A conductor that the host ended may already have a successor. */
  #ended(key: string, conductor: ServedConductor, reason: string): void {
    if (this.#conductors.get(key)?.conductor !== conductor) return;
    this.options.logger.warn("a conductor ended", { reason });
    this.#conductors.delete(key);
    conductor.end();
    for (const connection of this.#connectionsOf(conductor)) connection.close(reason);
  }

  #connectionsOf(conductor: ServedConductor): readonly ClientConnection[] {
    return [...this.#clients].flatMap(([client, connection]) => (client.conductor === conductor ? [connection] : []));
  }

  #pauseClients(): void {
    const congested = [...this.#conductors.values()].filter(({ started }) => started.isCongested);
    for (const [client, connection] of this.#clients) {
      connection.pause(congested.some(({ conductor }) => client.reads(conductor)));
    }
  }

  #end(key: string, reason: string): void {
    const running = this.#conductors.get(key);
    if (!running) return;
    this.options.logger.info("a conductor is ended", { reason });
    this.#conductors.delete(key);
    running.conductor.end();
    const ending = running.started.end().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}
