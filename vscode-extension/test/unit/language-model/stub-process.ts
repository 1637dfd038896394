import {
  type Connection,
  Notification,
  Outcome,
  type Peer,
  type ProcessExit,
  Request,
  RpcError,
  type StartProcess,
} from "@symposium-dev/core";
import { connectionOver, memoryChannelPair } from "@symposium-dev/core/testing";
import { processOver } from "../acp/process-over.js";

type Params = Readonly<Record<string, unknown>>;

/** One request that a stub got, and how it is answered. */
export interface StubCall {
  readonly method: string;
  readonly params: Params;
  /** Sends a part for the request. */
  part(part: unknown): void;
  answer(result: unknown): void;
  /** `code` is that of an internal error where it is not given. */
  refuse(message: string, code?: number): void;
  /** Asks the extension for permission; resolves to the outcome. */
  permission(params: Params): { readonly answered: Promise<unknown>; readonly cancel: () => void };
}

/** Processes that are played by the test: `on` gets every request. */
export class StubProcesses {
  readonly calls: StubCall[] = [];
  readonly notifications: { readonly method: string; readonly params: unknown }[] = [];
  /** Arguments of each start. */
  readonly starts: (readonly string[])[] = [];
  readonly #ends: ((exit: ProcessExit) => void)[] = [];
  #waiting: (() => void)[] = [];

  constructor(private readonly on: (call: StubCall) => void = () => undefined) {}

  /** How many are running. */
  running = 0;

  readonly start: StartProcess = (_name, command, handlers) => {
    this.starts.push(command.args);
    this.running++;
    const [near, far] = memoryChannelPair();
    const { process, leave } = processOver(near, this.starts.length, () => this.running--);
    this.#ends.push(leave);
    connectionOver(far, (extension) => this.#peer(extension));
    near.start(handlers);
    return process;
  };

  /** The latest process ends by itself. */
  crash(): void {
    this.#ends.at(-1)?.({ code: 1, signal: null, stderrTail: "it broke" });
  }

  /** Resolves when there have been `count` requests. */
  async reached(count: number): Promise<void> {
    while (this.calls.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #peer(extension: Connection): Peer {
    return {
      request: ({ method, params }, reply) => {
        const value = (params?.value ?? {}) as Params;
        const call: StubCall = {
          method,
          params: value,
          part: (part) => extension.notify(Notification.of("lm/responsePart", { requestId: value["requestId"], part })),
          answer: (result) => reply(Outcome.of(result)),
          refuse: (message, code = -32_603) => reply(Outcome.error(new RpcError(code, message))),
          permission: (more) => askPermission(extension, { requestId: value["requestId"], ...more }),
        };
        this.calls.push(call);
        this.on(call);
        this.#wake();
        return () => undefined;
      },
      notify: ({ method, params }) => {
        this.notifications.push({ method, params: params?.value });
        this.#wake();
      },
    };
  }

  /** Resolves when there have been `count` notifications. */
  async notified(count: number): Promise<void> {
    while (this.notifications.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function askPermission(extension: Connection, params: Params): ReturnType<StubCall["permission"]> {
  const { promise: answered, resolve } = promiseWithResolvers<unknown>();
  const cancel = extension.request(Request.of("lm/requestPermission", params), (outcome) =>
    resolve(outcome.json.value),
  );
  return { answered, cancel };
}

function promiseWithResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
