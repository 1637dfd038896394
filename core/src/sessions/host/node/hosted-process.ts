import type { Socket } from "node:net";
import type { ComponentProcess, ProcessExit, ProcessHandlers, StartProcess } from "../../../base/component-process.js";
import type { SelfCommand } from "../../../base/node/mcp-bridge/loopback-bridge.js";
import { StderrTail } from "../../../base/node/stderr-tail.js";
import { streamChannel } from "../../../base/node/stdio-channel.js";
import { isDoneWithin } from "../../../base/until-aborted.js";
import { messageOf } from "../../../base/symposium-error.js";
import type { OtherMachine } from "../from-other-machine.js";
import { type Hello, ownLine, readHostLine } from "../host-wire.js";
import { hostAddress } from "./host-address.js";
import { greet, withHost } from "./host-connection.js";
import { startHost } from "./start-host.js";

/** Milliseconds allowed for sending the last messages to the host. */
const flushMs = 500;

type Channel = ReturnType<typeof streamChannel>;
type Start = Omit<Extract<Hello, { readonly kind: "client" }>, "kind" | "token">;

interface HostedProcessOptions {
  /** Symposium's own command without arguments, which can start the host. */
  readonly self: SelfCommand;
  /** Version of Symposium's own command. */
  readonly version?: string;
  /** Environment that conductors inherit; the variables of the command itself are added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxLineBytes: number;
  /** Set if the client may be on another machine. */
  readonly remote?: OtherMachine;
}

/**
 * Returns a function that starts conductors in the host, where they keep running. The arguments given to the function are the conductor's
 * subcommand and its arguments.
 */
export function hostedProcess(options: HostedProcessOptions): StartProcess {
  return (_name, { args, env, cwd = process.cwd() }, handlers) => {
    const inherited = Object.entries(options.env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const variables = Object.fromEntries([...inherited, ...Object.entries(env)]);
    const start = { words: args, cwd, env: variables, ...(options.remote && { remote: options.remote }) };
    return new HostedProcess(options, start, handlers);
  };
}

/** Conductor in the host, presented as a process started by this one. Disposing the object doesn't end the conductor. */
class HostedProcess implements ComponentProcess {
  readonly pid = undefined;
  readonly exited: Promise<ProcessExit>;
  readonly #tail = new StderrTail();
  readonly #congestionListeners: (() => void)[] = [];
  /** Lines to send once the host is ready. */
  #waiting: string[] = [];
  #channel: Channel | undefined;
  #hasLeft = false;

  constructor(
    private readonly options: HostedProcessOptions,
    start: Start,
    private readonly handlers: ProcessHandlers,
  ) {
    this.exited = this.#run(start).then(
      (code) => ({ code, signal: null, stderrTail: this.#tail.text }),
      (thrown: unknown) => ({ code: null, signal: null, startError: messageOf(thrown), stderrTail: "" }),
    );
  }

  send(line: string): void {
    if (this.#channel) this.#channel.send(line);
    else this.#waiting.push(line);
  }

  get isCongested(): boolean {
    return this.#channel?.isCongested ?? false;
  }

  onCongestion(listener: () => void): void {
    this.#congestionListeners.push(listener);
  }

  pause(): void {
    this.#channel?.pause();
  }

  resume(): void {
    this.#channel?.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasLeft = true;
    const channel = this.#channel;
    if (channel) await isDoneWithin(channel.flushed(), flushMs);
    channel?.[Symbol.dispose]();
    await this.exited;
  }

  async #run(start: Start): Promise<number> {
    const address = await hostAddress(this.options.version);
    const hello: Hello = { kind: "client", token: address.token, ...start };
    return withHost(
      address,
      () => startHost(address, this.options.self),
      (socket) => this.#serve(socket, hello),
    );
  }

  /** Resolves with the exit code; with undefined if the host ended before it was ready. */
  #serve(socket: Socket, hello: Hello): Promise<number | undefined> {
    return new Promise((resolve) => {
      let code: number | undefined;
      const over = (): void => resolve(this.#channel || this.#hasLeft ? (code ?? (this.#hasLeft ? 0 : 1)) : undefined);
      const channel = streamChannel(socket, socket, {
        maxLineBytes: this.options.maxLineBytes,
        handlers: {
          line: (line) => {
            if (!line.startsWith(ownLine)) {
              this.handlers.line(line);
              return;
            }
            const said = readHostLine(line.slice(ownLine.length));
            if (said?.kind === "ready") this.#opened(channel);
            else if (said?.kind === "print") this.#tail.push(`${said.text}\n`);
            else if (said) {
              code = said.code;
              this.#tail.push(`${said.reason}\n`);
            }
          },
          oversize: (line) => this.handlers.oversize(line),
          end: () => undefined,
        },
      });
      socket.on("close", over);
      if (this.#hasLeft) channel[Symbol.dispose]();
      else greet(socket, hello);
    });
  }

  #opened(channel: Channel): void {
    this.#channel = channel;
    for (const listener of this.#congestionListeners) channel.onCongestion(listener);
    for (const line of this.#waiting.splice(0)) channel.send(line);
  }
}
