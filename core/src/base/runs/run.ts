import { linkedSignal } from "../linked-signal.js";
import { abortOf } from "../until-aborted.js";
import type { Peer } from "../rpc/peer.js";

/** A program that is run to its end, without input, for what it writes. */
export interface RunCommand {
  /** A program's name, looked up on PATH, or its path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** On top of the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RunLimits {
  /** Ends the whole tree when aborted. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Stdout and stderr, decoded, in the order in which they were written; cut anywhere. */
  readonly output: (text: string) => void;
  /** Gets stderr, where the two are wanted apart. */
  readonly errors?: (text: string) => void;
}

export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it never started, for example `ENOENT`; absent when it did. */
  readonly startError?: string;
  /** Why we ended it; absent when it ended by itself. */
  readonly endedBy?: "cancel" | "timeout" | "output-limit";
  readonly durationMs: number;
}

/** The session for which programs run. */
export interface RunSession {
  /** Absolute. */
  readonly cwd: string;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Toward the editor, which asks the user whether the folder is trusted. */
  readonly client: Peer;
  /** Undefined where there is no editor. */
  readonly sessionId: () => string | undefined;
}

/** Calls that run programs. Disposing ends those that are under way, and resolves when all they started is gone. */
export class RunningCalls implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  /** Runs a call, whose signal is aborted with the first of `signals` or by disposal; settles as it does. */
  async run<T>(signals: readonly AbortSignal[], call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const linked = linkedSignal([...signals, this.#ending.signal]);
    const running = call(linked.signal).finally(() => linked.release());
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

/** Whom to ask for a session, and until when; undefined where there is no editor. */
export function askerOf(
  { client, sessionId }: RunSession,
  signal: AbortSignal,
): { readonly client: Peer; readonly sessionId: string; readonly signal: AbortSignal } | undefined {
  const id = sessionId();
  return id === undefined ? undefined : { client, sessionId: id, signal };
}

/** Lets one run at a time use a thing that is named by a key; the others wait in the order in which they came. */
export class RunQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Resolves when it is this run's turn, with the function that ends the turn; with undefined when `signal` is aborted
   * before. `waits` is called when another has the turn.
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
