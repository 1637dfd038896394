import type { ServerLaunch, ServerOrigin } from "../../settings/user-server.js";

/** How a server is, for people. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "needs-sign-in" }
  /** `retryAt`: when it is tried again, as `Date.now()` counts; absent where nothing but the user's next step helps. */
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string; readonly retryAt?: number }
  | { readonly kind: "stopped" };

/** One server, as a page or a command shows it. */
interface ServerStatus {
  /** As its user wrote it. */
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly type: ServerLaunch["type"];
  readonly state: ServerState;
  /** Of this time or of last time; those that agents do not get are marked. */
  readonly tools: readonly { readonly name: string; readonly bytes: number; readonly isLeftOut: boolean }[];
  readonly prompts: readonly string[];
  /** In how many sessions it is. */
  readonly sessions: number;
}

/** How one session's connection to a server is, and what it has. */
export type ServerCondition = Pick<ServerStatus, "state" | "tools" | "prompts">;

/** A server of one session, as the board sees it. */
export interface WatchedServer {
  readonly origin: ServerOrigin;
  readonly type: ServerLaunch["type"];
  readonly originalName: string;
  status(): ServerCondition;
  restart(): void;
}

/** The servers of all sessions of this process, and who wants to hear of them. */
export class ServerStatuses {
  readonly #servers = new Set<WatchedServer>();
  readonly #listeners = new Set<() => void>();

  add(server: WatchedServer): Disposable {
    this.#servers.add(server);
    this.changed();
    return {
      [Symbol.dispose]: () => {
        this.#servers.delete(server);
        this.changed();
      },
    };
  }

  /** One of the servers is in another state than before. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `listener` after each change. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Each server once, by its name and origin: of several sessions, the one that is worst off. */
  list(): ServerStatus[] {
    const found = new Map<string, ServerStatus>();
    for (const server of this.#servers) {
      const key = `${server.originalName}\n${server.origin.kind}\n${server.origin.file ?? ""}`;
      const status = server.status();
      const other = found.get(key);
      const sessions = (other?.sessions ?? 0) + 1;
      const shown: ServerCondition = other && severity(other.state) >= severity(status.state) ? other : status;
      const { originalName: name, origin, type } = server;
      found.set(key, { ...shown, name, origin, type, sessions });
    }
    return [...found.values()];
  }

  /** Ends the connections of the server of this name, and opens them anew. False where no session has one of this name. */
  restart(name: string): boolean {
    const found = [...this.#servers].filter((server) => server.originalName === name);
    for (const server of found) server.restart();
    return found.length > 0;
  }

  /** Opens the connections of the server of this name that do not stand: those that do take a new sign-in with their next request. */
  retry(name: string): void {
    for (const server of this.#servers) {
      if (server.originalName === name && server.status().state.kind !== "ready") server.restart();
    }
  }
}

function severity({ kind }: ServerState): number {
  return ["stopped", "ready", "starting", "needs-sign-in", "failed"].indexOf(kind);
}
