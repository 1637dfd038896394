import { EventEmitter, once } from "node:events";
import type { OperationState } from "@symposium-dev/core";

export type ReadinessSignal =
  /** The server sends rust-analyzer's notification `experimental/serverStatus`. */
  | "server-status"
  /** The server is ready when the progress that it reports ends. */
  | "progress"
  /** The server gives no signal; its answers are always complete. */
  | "none";

/** Milliseconds in which a server that reports progress must start reporting. */
const firstProgressMs = 400;
/** Maximum milliseconds between related progress reports. */
const betweenProgressMs = 60;

export class Readiness {
  readonly #changes = new EventEmitter();
  readonly #work = new Map<string | number, number | undefined>();
  #isSettled = false;
  #isStarted = false;
  #isExpected = false;
  #problem: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `limitation` describes what is permanently missing from the server's answers. */
  constructor(
    private readonly signal: ReadinessSignal,
    private readonly limitation?: string,
  ) {
    this.#changes.setMaxListeners(0);
  }

  get state(): OperationState {
    if (!this.#isSettled) {
      const percents = [...this.#work.values()].filter((value) => value !== undefined);
      return percents.length > 0 ? { kind: "loading", percent: Math.min(...percents) } : { kind: "loading" };
    }
    const reason = this.limitation ?? this.#problem;
    return reason === undefined ? { kind: "ready" } : { kind: "degraded", reason };
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  start(): void {
    this.#isStarted = true;
    if (this.signal === "none") this.#settle();
    if (this.signal === "progress") this.#settleIn(firstProgressMs);
  }

  /** Call this when a document opens, since some servers read their project only when the first document opens. */
  expectWork(): void {
    if (this.signal !== "progress" || this.#isExpected) return;
    this.#isExpected = true;
    this.#unsettle();
    if (this.#work.size === 0) this.#settleIn(firstProgressMs);
  }

  progress(token: string | number, value: unknown): void {
    const kind = memberOf(value, "kind");
    if (kind === "end") this.#work.delete(token);
    else if (kind === "begin" || this.#work.has(token)) {
      const percent = memberOf(value, "percentage");
      this.#work.set(token, typeof percent === "number" ? Math.round(percent) : undefined);
    }
    if (this.signal !== "progress" || !this.#isStarted) return;
    if (this.#work.size > 0) this.#unsettle();
    else this.#settleIn(betweenProgressMs);
  }

  /** Handles `experimental/serverStatus`, whose parameters are `{health, quiescent, message}`. */
  serverStatus(params: unknown): void {
    if (this.signal !== "server-status") return;
    const health = memberOf(params, "health");
    const message = memberOf(params, "message");
    this.#problem =
      health === "ok" || typeof health !== "string"
        ? undefined
        : typeof message === "string" && message !== ""
          ? message.trim().replaceAll(/\s*\n\s*/g, " ")
          : `The language server reports its health as "${health}".`;
    if (memberOf(params, "quiescent") === true) this.#settle();
    else this.#unsettle();
  }

  /** Resolves with true when the server has read its workspace, or with false if `signal` aborts first. */
  async whenSettled(signal: AbortSignal): Promise<boolean> {
    while (!this.#isSettled) {
      if (signal.aborted) return false;
      try {
        await once(this.#changes, "settled", { signal });
      } catch {
        return false;
      }
    }
    return true;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #settleIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#work.size === 0) this.#settle();
    }, ms);
    this.#timer.unref();
  }

  #settle(): void {
    clearTimeout(this.#timer);
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#changes.emit("settled");
  }

  #unsettle(): void {
    clearTimeout(this.#timer);
    this.#isSettled = false;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
