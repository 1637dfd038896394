import type { Logger } from "../../base/logger.js";
import type { Request } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { ClientHost, OwnedSession } from "./host-client.js";
import { HostClient } from "./host-client.js";
import type { HostDisk, LiveSession } from "./live-session.js";
import { ServedConductor } from "./served-conductor.js";

/** How a client was started. Its conductor starts in the same way. Nothing of it is written to disk. */
export interface ClientStart {
  /** The subcommand and its words. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Hears of a conductor's process. */
export interface ConductorHooks {
  /** It has ended, after the answers to everything that waited for it. Called once. */
  ended(reason: string): void;
  /** It has printed a line for people. */
  printed(line: string): void;
  /** {@link StartedConductor.isCongested} has changed. */
  congestionChanged(): void;
}

/** A conductor's process that runs. */
export interface StartedConductor {
  /** The process, as its client calls it. */
  readonly peer: Peer;
  /** True while it reads more slowly than it is sent to. */
  readonly isCongested: boolean;
  /** Stops reading what the conductor says, while `isPaused`. */
  pause(isPaused: boolean): void;
  /** Ends the process, which ends its agents. Resolves when it is gone. */
  end(): Promise<void>;
}

interface HostOptions {
  /** Starts a conductor, which calls `client`. */
  start(start: ClientStart, client: Peer, hooks: ConductorHooks): StartedConductor;
  readonly disk: HostDisk;
  readonly logger: Logger;
  /** How long nothing may be open, running or waiting. */
  readonly idleMs: number;
  /** The time in milliseconds. */
  readonly now: () => number;
}

interface RunningConductor {
  readonly conductor: ServedConductor;
  readonly started: StartedConductor;
}

/** A client's connection, as the host sees it. */
interface ClientConnection {
  /** The methods of the client. */
  readonly peer: Peer;
  readonly isCongested: () => boolean;
  /** Stops reading what the client sends, while `isPaused`. */
  readonly pause: (isPaused: boolean) => void;
  /** Shows the client's user a line. */
  readonly print: (line: string) => void;
  /** Ends the connection for this reason. */
  readonly close: (reason: string) => void;
}

/** Variables in which a shell notes its last command, its depth and its last folder. Conductors do not depend on them. */
const ofShells: ReadonlySet<string> = new Set(["_", "SHLVL", "OLDPWD"]);

/** Keeps conductors and their sessions for clients that come and go. */
export class Host implements AsyncDisposable {
  readonly #conductors = new Map<string, RunningConductor>();
  readonly #clients = new Map<HostClient, ClientConnection>();
  readonly #endings = new Set<Promise<void>>();
  /** When a client was connected, or a session ran or waited, the last time. */
  #usedAt: number;

  constructor(private readonly options: HostOptions) {
    this.#usedAt = options.now();
  }

  /** Every live session. */
  *sessions(): Iterable<LiveSession> {
    for (const { conductor } of this.#conductors.values()) yield* conductor.sessions;
  }

  get clientCount(): number {
    return this.#clients.size;
  }

  /** A client has connected that was started like this. */
  connect(start: ClientStart, connection: ClientConnection): HostClient {
    const host: ClientHost = {
      conductorFor: (request) => this.#conductorFor(start, request),
      find: (id, folder, preferred) => this.#find(id, folder, preferred),
      live: () => this.sessions(),
      left: (one) => this.#left(one),
    };
    const { peer, isCongested, close } = connection;
    const client = new HostClient({ host, peer, isCongested, drop: close });
    this.#clients.set(client, connection);
    return client;
  }

  /** The client takes messages again, or does not any more. */
  congestionChanged(client: HostClient): void {
    if (!client.isCongested) client.drained();
    for (const { conductor, started } of this.#conductors.values()) {
      const readers = [...this.#clients.keys()].filter((one) => one.reads(conductor));
      started.pause(readers.length > 0 && readers.every(({ isCongested }) => isCongested));
    }
  }

  /**
   * Closes sessions that nobody has needed for the idle time, ends conductors without sessions and clients, and returns in how many
   * milliseconds to look again; undefined if the host has nothing to do any more.
   */
  tidy(): number | undefined {
    const { idleMs, now } = this.options;
    const time = now();
    let next = idleMs;
    for (const [key, { conductor }] of [...this.#conductors]) {
      for (const session of [...conductor.sessions]) {
        if (session.isAttached || !session.isQuiet) continue;
        // Nobody can come back to a session in which nothing was said.
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

  /** Ends every conductor. Resolves when their processes are gone. */
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
      ended: (reason) => this.#ended(key, reason),
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

  #left(client: HostClient): void {
    this.#clients.delete(client);
    this.#usedAt = this.options.now();
    this.tidy();
  }

  /** The conductor has ended by itself: its own clients end as if they had started it. */
  #ended(key: string, reason: string): void {
    const running = this.#conductors.get(key);
    if (!running) return;
    this.options.logger.warn("a conductor ended", { reason });
    this.#conductors.delete(key);
    running.conductor.end();
    for (const connection of this.#connectionsOf(running.conductor)) connection.close(reason);
  }

  /** The connections of the clients that have started a conductor. */
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
