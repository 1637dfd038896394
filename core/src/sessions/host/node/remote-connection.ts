import type { ChildProcess } from "node:child_process";
import type { Command } from "../../../base/command.js";
import type { ChannelHandlers, LineChannel } from "../../../base/line-channel-contract.js";
import { LineSplitter } from "../../../base/line-splitter.js";
import { LineWriter } from "../../../base/node/line-writer.js";
import { startProgram } from "../../../base/node/start-program.js";
import { StderrTail } from "../../../base/node/stderr-tail.js";
import { isDoneWithin } from "../../../base/until-aborted.js";

/** Milliseconds that the program has to send its last messages and exit, then to handle SIGTERM. */
const graceMs = 2_000;
/** Milliseconds to read the output after the exit. An SSH master connection keeps stderr open for longer. */
const outputMs = 500;

export interface ConnectionStart {
  /** Program that starts the bridge on the other machine. */
  readonly command: Command;
  readonly maxLineBytes: number;
}

export interface ConnectionEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  /** Error that prevented the program's start, for example `ENOENT`. */
  readonly startError?: string;
}

/**
 * Running `ssh`, `podman exec` or similar program that carries a connection. Disposing ends the program but, unlike a component, not its
 * descendants: an SSH master connection serves other programs too. The program ends with this process, since its input ends.
 */
export class RemoteConnection implements LineChannel, AsyncDisposable {
  readonly ended: Promise<ConnectionEnd>;
  readonly #child: ChildProcess | undefined;
  readonly #writer: LineWriter | undefined;

  constructor({ command, maxLineBytes }: ConnectionStart, handlers: ChannelHandlers) {
    const started = startProgram(command, { env: process.env, stdio: "pipe", confined: "not asked for" });
    if ("startError" in started) {
      this.ended = Promise.resolve({ code: null, signal: null, stderrTail: "", startError: started.startError });
      return;
    }
    const { child } = started;
    this.#child = child;
    if (child.stdin) this.#writer = new LineWriter(child.stdin);
    const splitter = new LineSplitter(handlers, maxLineBytes);
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => splitter.push(chunk));
    this.ended = endOf(child).finally(() => {
      splitter.end();
      handlers.end();
    });
  }

  send(line: string): void {
    this.#writer?.send(line);
  }

  get isCongested(): boolean {
    return this.#writer?.isCongested ?? false;
  }

  onCongestion(listener: () => void): void {
    this.#writer?.onCongestion(listener);
  }

  pause(): void {
    this.#child?.stdout?.pause();
  }

  resume(): void {
    this.#child?.stdout?.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#writer?.end();
    this.resume();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await isDoneWithin(this.ended, graceMs)) return;
      this.#child?.kill(signal);
    }
    await this.ended;
  }
}

async function endOf(child: ChildProcess): Promise<ConnectionEnd> {
  const tail = new StderrTail();
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => tail.push(chunk));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = await new Promise<ConnectionEnd>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      resolve({ code: null, signal: null, stderrTail: "", startError: error.code ?? error.message });
    });
    child.once("exit", (code, signal) => resolve({ code, signal, stderrTail: "" }));
  });
  if (end.startError === undefined) await isDoneWithin(closed, outputMs);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  tail.end();
  return { ...end, stderrTail: tail.text };
}
