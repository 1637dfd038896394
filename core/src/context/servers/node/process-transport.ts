import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ComponentProcess, ProcessExit, StartProcess } from "../../../base/component-process.js";
import type { Command } from "../../../base/command.js";
import { MessageRateLimit } from "./message-rate-limit.js";

interface ProcessTransportOptions {
  readonly name: string;
  readonly command: Command;
  readonly startProcess: StartProcess;
  /** Parses one line as a message; throws if it isn't one. */
  readonly parseMessage: (line: string) => JSONRPCMessage;
}

/** MCP over stdio of a process that this transport starts. Closing ends the process and its children. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #process: ComponentProcess | undefined;
  #isClosing = false;
  #ownExit: ProcessExit | undefined;
  #fault: Error | undefined;
  readonly #unasked = new MessageRateLimit();
  readonly #asked = new Set<unknown>();

  constructor(private readonly options: ProcessTransportOptions) {}

  /** Exit of the process if it ended by itself or failed to start. */
  get ownExit(): ProcessExit | undefined {
    return this.#ownExit;
  }

  /** Reason why the transport ended the process early. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  start(): Promise<void> {
    const { name, command, startProcess } = this.options;
    const process = startProcess(name, command, {
      line: (line) => this.#receive(line),
      oversize: ({ bytes }) => this.#fail(new Error(`it sent a line of ${bytes} bytes.`)),
      end: () => undefined,
      stalled: (ms) => this.#fail(new Error(`it has taken no input for ${ms} ms.`)),
    });
    this.#process = process;
    void process.exited.then((exit) => {
      if (!this.#isClosing) this.#ownExit = exit;
      this.onclose?.();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    if ("method" in message && "id" in message) this.#asked.add(message.id);
    this.#process?.send(JSON.stringify(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.[Symbol.asyncDispose]();
  }

  /** Skips lines that aren't messages, since many servers print a banner. */
  #receive(line: string): void {
    if (this.#isClosing) return;
    let message: JSONRPCMessage;
    try {
      message = this.options.parseMessage(line);
    } catch (thrown) {
      this.#countUnasked();
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return;
    }
    if ("method" in message || !this.#asked.delete(message.id)) this.#countUnasked();
    this.onmessage?.(message);
  }

  #countUnasked(): void {
    const fault = this.#unasked.add();
    if (fault) this.#fail(fault);
  }

  /** The lost message may have been a response, so all waiting requests must fail. */
  #fail(error: Error): void {
    if (this.#fault) return;
    this.#fault = error;
    // Stop reading, since the process may keep writing until it is gone.
    this.#process?.pause();
    this.onerror?.(error);
    void this.close();
  }
}
