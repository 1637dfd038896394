import { isDoneWithin } from "../../../base/until-aborted.js";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { openStdout } from "../../../base/node/non-blocking-stdout.js";
import { type Hello, readHostLine } from "../host-wire.js";
import type { HostAddress } from "./host-address.js";
import { greet, withHost } from "./host-connection.js";
import { OwnLines } from "./split-host-lines.js";

/** Milliseconds to deliver the last messages to a slow editor. */
const flushMs = 2_000;

/**
 * Forwards bytes between an editor and the host without parsing. Resolves with the exit code when either side ends. `start` starts the
 * host.
 */
export async function passToHost(address: HostAddress, hello: Hello, start: () => Promise<string>): Promise<number> {
  const output = openStdout();
  const exitCode = await withHost(address, start, (socket) => {
    const client = new ThinClient(socket, output);
    greet(socket, hello);
    return client.ended;
  });
  await isDoneWithin(new Promise((resolve) => output.write("", resolve)), flushMs);
  return exitCode;
}

class ThinClient {
  /** Exit code; undefined if the host exits before it is ready. */
  readonly ended: Promise<number | undefined>;
  #isReady = false;
  #hasLeft = false;
  #exitCode: number | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly output: Writable,
  ) {
    this.ended = new Promise((resolve) => {
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(this.#end()));
      output.on("error", () => socket.destroy());
    });
    const lines = new OwnLines({ pass: (chunk) => this.#pass(chunk), hear: (line) => this.#hear(line) });
    socket.on("data", (chunk) => lines.push(chunk));
  }

  #pass(chunk: Buffer): void {
    if (this.output.write(chunk)) return;
    this.socket.pause();
    this.output.once("drain", () => this.socket.resume());
  }

  #hear(text: string): void {
    const line = readHostLine(text);
    if (line?.kind === "ready") this.#open();
    else if (line?.kind === "print") process.stderr.write(`${line.text}\n`);
    else if (line) {
      this.#exitCode = line.code;
      if (line.reason !== "") process.stderr.write(`symposium-acp-agent: ${line.reason}\n`);
    }
  }

  #open(): void {
    this.#isReady = true;
    const leave = (): void => {
      this.#hasLeft = true;
    };
    process.stdin.on("end", leave).on("close", leave).on("error", leave);
    process.stdin.pipe(this.socket);
  }

  #end(): number | undefined {
    if (!this.#isReady) return undefined;
    process.stdin.destroy();
    if (this.#hasLeft) return 0;
    if (this.#exitCode === undefined) process.stderr.write("symposium-acp-agent: the host has ended\n");
    return this.#exitCode ?? 1;
  }
}
