import type { ComponentProcess, ProcessExit, ProcessHandlers, StartProcess } from "../../../base/component-process.js";
import { productVersion } from "../../../base/node/product-version.js";
import { StderrTail } from "../../../base/node/stderr-tail.js";
import { shellWord } from "../../../base/shell-word.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import {
  type BridgeLine,
  type BridgeQuestion,
  type BridgeRequest,
  ownLine,
  readBridgeLine,
  readHostLine,
} from "../host-wire.js";
import { type ConnectionEnd, type ConnectionStart, RemoteConnection } from "./remote-connection.js";

export interface RemoteHost extends ConnectionStart {
  /** Name of the machine in messages and for `--on`, such as `ssh:HOST`. */
  readonly name: string;
  /** Called with each line that the conductor prints to stderr. */
  readonly printed?: (line: string) => void;
}

/** Returns a function that starts conductors in the host of another machine. Only the command's arguments are used. */
export function remoteProcess(remote: RemoteHost, folder?: string): StartProcess {
  return (_name, { args }, handlers) => {
    const request = { kind: "client", words: args, ...(folder !== undefined && { folder }) } as const;
    return new RemoteProcess(remote, request, handlers);
  };
}

/**
 * Asks another machine's host for its status as JSON, or to stop a session. Starts the host if needed. Throws `not-installed` if this
 * version can be copied to the machine, and `host-failed` if the machine can't be reached.
 */
export async function askRemoteHost(remote: RemoteHost, asked: BridgeQuestion = { kind: "status" }): Promise<string> {
  let status = "";
  const process = new RemoteProcess(remote, asked, {
    line: (line) => (status = line),
    oversize: () => undefined,
    stalled: () => undefined,
    end: () => undefined,
  });
  const { startError, stderrTail } = await process.exited;
  if (status !== "") return status;
  throw new SymposiumError(process.canBeCopied ? "not-installed" : "host-failed", startError ?? stderrTail);
}

/** Conductor in the host of another machine. Disposing ends the connection but not the conductor. */
class RemoteProcess implements ComponentProcess {
  readonly pid = undefined;
  readonly exited: Promise<ProcessExit>;
  readonly #connection: RemoteConnection;
  readonly #tail = new StderrTail();
  /** Lines to send when the conductor's input is connected. */
  #waiting: string[] | undefined = [];
  #hasBridge = false;
  #hasLeft = false;
  #exit: { readonly code: number; readonly reason: string } | undefined;
  /** Reason why the other machine can't be used. */
  #problem: string | undefined;
  #canBeCopied = false;

  constructor(
    private readonly remote: RemoteHost,
    private readonly request: BridgeRequest,
    private readonly handlers: ProcessHandlers,
  ) {
    this.#connection = new RemoteConnection(remote, {
      line: (line) => this.#take(line),
      oversize: (line) => handlers.oversize(line),
      end: () => handlers.end(),
    });
    this.exited = this.#connection.ended.then((end) => this.#exitOf(end));
  }

  /** Whether the machine has no version of Symposium, or an earlier copy. Known after the exit. */
  get canBeCopied(): boolean {
    return this.#canBeCopied;
  }

  send(line: string): void {
    if (this.#waiting) this.#waiting.push(line);
    else this.#connection.send(line);
  }

  get isCongested(): boolean {
    return this.#connection.isCongested;
  }

  onCongestion(listener: () => void): void {
    this.#connection.onCongestion(listener);
  }

  pause(): void {
    this.#connection.pause();
  }

  resume(): void {
    this.#connection.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasLeft = true;
    await this.#connection[Symbol.asyncDispose]();
  }

  #take(line: string): void {
    if (!this.#hasBridge) this.#meet(readBridgeLine(line));
    else if (!line.startsWith(ownLine)) this.handlers.line(line);
    else this.#hear(line.slice(ownLine.length));
  }

  /** Ignores lines before the bridge's first one, which login scripts print. */
  #meet(bridge: BridgeLine | undefined): void {
    if (!bridge) return;
    const { version, isCopy = false } = bridge;
    this.#hasBridge = true;
    if (version === productVersion) {
      this.#connection.send(JSON.stringify(this.request));
      return;
    }
    this.#canBeCopied = isCopy;
    this.#problem =
      `${this.remote.name} has symposium-acp-agent ${version}, but this machine has ${productVersion}. ` +
      "Install the same version on both.";
    void this.#connection[Symbol.asyncDispose]();
  }

  #hear(text: string): void {
    const said = readHostLine(text);
    if (said?.kind === "ready") {
      for (const line of this.#waiting ?? []) this.#connection.send(line);
      this.#waiting = undefined;
    } else if (said?.kind === "print") {
      if (this.remote.printed) this.remote.printed(said.text);
      else this.#tail.push(`${said.text}\n`);
    } else if (said) this.#exit = said;
  }

  #exitOf(end: ConnectionEnd): ProcessExit {
    this.#canBeCopied ||= !this.#hasBridge && end.code === notFoundCode;
    const problem = this.#problem ?? (this.#hasBridge ? undefined : cannotReach(this.remote, end));
    if (this.#hasLeft) return { code: 0, signal: null, stderrTail: "" };
    if (problem !== undefined) return { code: null, signal: null, stderrTail: "", startError: problem };
    if (this.#exit) this.#tail.push(`${this.#exit.reason}\n`);
    else {
      const { name } = this.remote;
      this.#tail.push(
        `${end.stderrTail}\nThe connection to ${name} ended; its sessions continue there. ` +
          `To list them, run: symposium-acp-agent chat --on ${shellWord(name)}\n`,
      );
    }
    return { code: this.#exit?.code ?? 1, signal: null, stderrTail: this.#tail.text };
  }
}

/** Exit code of shells, SSH and container engines if they don't find the program. */
const notFoundCode = 127;

function cannotReach({ name, command }: RemoteHost, { code, signal, stderrTail, startError }: ConnectionEnd): string {
  if (startError === "ENOENT") return `${command.command} isn't installed on this machine. --on ${name} needs it.`;
  if (startError !== undefined) return `${command.command} couldn't start: ${startError}.`;
  const said = stderrTail.trim();
  if (code === notFoundCode) {
    return (
      `symposium-acp-agent isn't installed on ${name}. Install it there: npm install --global ` +
      `symposium-acp-agent@${productVersion}${said === "" ? "" : `\n${said}`}`
    );
  }
  const how = signal === null ? `exit code ${code ?? "unknown"}` : signal;
  return `${command.command} can't reach symposium-acp-agent on ${name} (${how}).${said === "" ? "" : `\n${said}`}`;
}
