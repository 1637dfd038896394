import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { Command, ComponentProcess, ProcessExit, StartProcess } from "../conductor/component.js";

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

  constructor(private readonly options: ProcessTransportOptions) {}

  /** How the process ended, when it did so by itself or never started. */
  get ownExit(): ProcessExit | undefined {
    return this.#ownExit;
  }

  start(): Promise<void> {
    const { name, command, startProcess } = this.options;
    const process = startProcess(name, command, {
      line: (line) => this.#receive(line),
      oversize: ({ bytes }) => this.#fail(new Error(`MCP server "${name}" sent a line of ${bytes} bytes.`)),
      end: () => undefined,
      stalled: (ms) => this.#fail(new Error(`MCP server "${name}" has taken no input for ${ms} ms.`)),
    });
    this.#process = process;
    void process.exited.then((exit) => {
      if (!this.#isClosing) this.#ownExit = exit;
      this.onclose?.();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
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
    let message: JSONRPCMessage;
    try {
      message = this.options.parseMessage(line);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return;
    }
    this.onmessage?.(message);
  }

  /** What was lost may have been an answer, so nobody may wait for it any longer. */
  #fail(error: Error): void {
    this.onerror?.(error);
    void this.close();
  }
}
