import type { ServerLaunch, ServerOrigin } from "../../settings/user-server.js";

export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "needs-sign-in" }
  /** `retryAt` is the time of the next attempt, in milliseconds since 1970; undefined if only the user can fix the failure. */
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string; readonly retryAt?: number }
  | { readonly kind: "stopped" };

interface ServerStatus {
  /** Name in the user's configuration. */
  readonly name: string;
  readonly origin: ServerOrigin;
  readonly type: ServerLaunch["type"];
  readonly state: ServerState;
  /** Current or last known tools. `isLeftOut` marks tools hidden from agents. */
  readonly tools: readonly { readonly name: string; readonly bytes: number; readonly isLeftOut: boolean }[];
  readonly prompts: readonly string[];
  readonly sessions: number;
}

export type ServerCondition = Pick<ServerStatus, "state" | "tools" | "prompts">;

export interface WatchedServer {
  readonly origin: ServerOrigin;
  readonly type: ServerLaunch["type"];
  readonly originalName: string;
  status(): ServerCondition;
  restart(): void;
}

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

  /** Notifies the listeners. Call after each change of a state. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Lists each server once, by name and origin, with its worst state among all sessions. */
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

  /** Restarts all connections of the server. Returns false if no session has a server of this name. */
  restart(name: string): boolean {
    const found = [...this.#servers].filter((server) => server.originalName === name);
    for (const server of found) server.restart();
    return found.length > 0;
  }

  /** Restarts the server's connections that aren't ready. Ready connections use a new sign-in with their next request. */
  retry(name: string): void {
    for (const server of this.#servers) {
      if (server.originalName === name && server.status().state.kind !== "ready") server.restart();
    }
  }
}

function severity({ kind }: ServerState): number {
  return ["stopped", "ready", "starting", "needs-sign-in", "failed"].indexOf(kind);
}
