import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { ComponentProcess, ProcessExit, StartProcess } from "../../../base/component-process.js";
import type { Command } from "../../../base/command.js";
import { UnaskedMessages } from "./unasked-messages.js";

interface ProcessTransportOptions {
  readonly name: string;
  readonly command: Command;
  readonly startProcess: StartProcess;
  /** Reads one line as a message, or throws. */
  readonly parseMessage: (line: string) => JSONRPCMessage;
}

/** MCP over the stdio of a process that we started: it ends, with all it has started, when the transport is closed. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #process: ComponentProcess | undefined;
  #isClosing = false;
  #ownExit: ProcessExit | undefined;
  #fault: Error | undefined;
  readonly #unasked = new UnaskedMessages();
  /** The ids of requests that have no answer yet. */
  readonly #asked = new Set<unknown>();

  constructor(private readonly options: ProcessTransportOptions) {}

  /** How the process ended, when it did so by itself or never started. */
  get ownExit(): ProcessExit | undefined {
    return this.#ownExit;
  }

  /** Why it was ended by us while it was still wanted. */
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

  /** Resolves with the process gone. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.[Symbol.asyncDispose]();
  }

  /** Lines that are no messages are skipped: many servers print a banner. */
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

  /** What was lost may have been an answer, so nobody may wait for it any longer. */
  #fail(error: Error): void {
    if (this.#fault) return;
    this.#fault = error;
    // It may go on for as long as it is being ended.
    this.#process?.pause();
    this.onerror?.(error);
    void this.close();
  }
}
