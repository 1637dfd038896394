import { linkedSignal } from "../linked-signal.js";
import { abortOf } from "../until-aborted.js";
import type { Peer } from "../rpc/peer.js";

export interface RunCommand {
  /** Program name, looked up on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Environment variables added to this process's environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RunLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Receives decoded stdout and stderr in write order, split at arbitrary points. */
  readonly output: (text: string) => void;
  /** Receives stderr; if absent, `output` receives both. */
  readonly errors?: (text: string) => void;
}

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Error that prevented the start, for example `ENOENT`; absent if the program started. */
  readonly startError?: string;
  /** Reason why the program was killed; absent if it exited by itself. */
  readonly endedBy?: "cancel" | "timeout" | "output-limit";
  readonly durationMs: number;
}

export interface RunSession {
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Peer toward the editor, for asking the user about the folder's trust. */
  readonly client: Peer;
  /** Returns the session's id; undefined without an editor. */
  readonly sessionId: () => string | undefined;
}

/** Tracks calls that run programs. Disposing aborts them and resolves after all their processes have ended. */
export class RunningCalls implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Runs a call and settles like the call. Its signal is aborted by any of `signals` or by disposal. */
  async run<T>(signals: readonly AbortSignal[], call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    using linked = linkedSignal([...signals, this.#ending.signal]);
    const running = call(linked.signal);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#running]);
  }
}

/** Returns the recipient and lifetime of questions in a session; undefined without an editor. */
export function askerOf(
  { client, sessionId }: RunSession,
  signal: AbortSignal,
): { readonly client: Peer; readonly sessionId: string; readonly signal: AbortSignal } | undefined {
  const id = sessionId();
  return id === undefined ? undefined : { client, sessionId: id, signal };
}

/** Runs uses of a keyed resource one at a time, in order of arrival. */
export class RunQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for a turn; resolves with the function that ends the turn, or with undefined if `signal` aborts. Calls `waits` if another run has
   * the turn.
   */
  async take(key: string, signal: AbortSignal, waits: () => void): Promise<(() => void) | undefined> {
    const previous = this.#last.get(key);
    let end: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (end = resolve));
    const whole = (previous ?? Promise.resolve()).then(() => turn);
    this.#last.set(key, whole);
    void whole.then(() => {
      if (this.#last.get(key) === whole) this.#last.delete(key);
    });
    if (previous) {
      waits();
      await Promise.race([previous, abortOf(signal)]);
    }
    if (!signal.aborted) return end;
    end();
    return undefined;
  }
}
