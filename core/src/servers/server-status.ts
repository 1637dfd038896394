import type { ServerOrigin } from "../settings/user-server.js";

/** How a server is, for people. */
export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "needs-sign-in" }
  /** `retryAt`: when it is tried again, as `Date.now()` counts; absent where nothing but the user's next step helps. */
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string; readonly retryAt?: number }
  | { readonly kind: "stopped" };

/** One server, as a page or a command shows it. */
export interface ServerStatus {
  /** As its user wrote it. */
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly state: ServerState;
  /** Of this time or of last time; those that agents do not get are marked. */
  readonly tools: readonly { readonly name: string; readonly bytes: number; readonly isLeftOut: boolean }[];
  readonly prompts: readonly string[];
  /** In how many sessions it is. */
  readonly sessions: number;
}

/** A server of one session, as the board sees it. */
export interface WatchedServer {
  readonly origin: ServerOrigin;
  readonly originalName: string;
  status(): Omit<ServerStatus, "sessions" | "name" | "origin">;
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
      const shown = other && severity(other.state) >= severity(status.state) ? other : status;
      found.set(key, { ...shown, name: server.originalName, origin: server.origin, sessions });
    }
    return [...found.values()];
  }

  /** Ends the connections of the server of this name, and opens them anew: after a sign-in, or a change outside. */
  restart(name: string): void {
    for (const server of this.#servers) if (server.originalName === name) server.restart();
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
