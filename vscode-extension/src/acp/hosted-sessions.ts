import { isInside, type LiveSession, liveSessions, stopSession } from "@symposium-dev/core/node";

export interface HostedSession extends Pick<
  LiveSession,
  "sessionId" | "cwd" | "title" | "agent" | "state" | "updated"
> {
  /** Other machine whose host has the session, as a value of `--on`. */
  readonly on?: string;
}

interface AskedHost {
  list(version?: string): Promise<readonly HostedSession[]>;
  stop(
    session: Pick<HostedSession, "sessionId" | "cwd"> & { readonly ends?: boolean },
    version?: string,
  ): Promise<void>;
}

/** Sessions in the host, including those whose tab is closed or in another window. */
export class HostedSessions {
  /** `version` is the version of the host; default: this version. */
  constructor(
    private readonly version?: string,
    private readonly host: AskedHost = { list: liveSessions, stop: stopSession },
  ) {}

  /** Returns the host's sessions; none if the host doesn't answer. */
  list(): Promise<readonly HostedSession[]> {
    return this.host.list(this.version).catch(() => []);
  }

  /** Cancels a session's turn. */
  stop(session: HostedSession): Promise<void> {
    return this.host.stop(session, this.version);
  }

  async has(sessionId: string): Promise<boolean> {
    return (await this.host.list(this.version)).some((one) => one.sessionId === sessionId);
  }

  /** Returns whether an agent in `folder` is working or waits for the user. */
  async isAtWork(folder: string): Promise<boolean> {
    return (await this.#in(folder)).some(({ state }) => state === "working" || state === "waiting");
  }

  /** Ends the idle sessions in `folder`, even those that a client has open. */
  async end(folder: string): Promise<void> {
    for (const session of await this.#in(folder)) await this.host.stop({ ...session, ends: true }, this.version);
  }

  async #in(folder: string): Promise<readonly HostedSession[]> {
    return (await this.host.list(this.version)).filter(({ cwd }) => isInside(cwd, folder));
  }
}
