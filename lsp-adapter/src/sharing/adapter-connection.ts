import type { Socket } from "node:net";
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
} from "vscode-languageserver-protocol/node";
import { SymposiumError } from "@symposium-dev/core";
import { FrameWriter, socketReader } from "../connection/frame-writer.js";

import { isProof, type Meeting, newChallenge, proofOf, proveMethod, textMember } from "./handshake.js";

/** Milliseconds for an adapter to prove itself; it may be busy with a whole workspace. */
const proveMs = 20_000;

/** Client connection to an adapter process. Disposing closes it. */
export class AdapterConnection implements Disposable {
  readonly #connection: MessageConnection;
  #isClosed = false;

  constructor(private readonly socket: Socket) {
    this.#connection = createMessageConnection(socketReader(socket), new FrameWriter(socket));
    socket.on("error", () => undefined);
    socket.once("close", () => this[Symbol.dispose]());
    this.#connection.listen();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Verifies that the adapter belongs to this user, and then proves the client's identity to the adapter. Rejects if the adapter refuses,
   * and with `ide-operation-failed` if an impostor is listening, which learns nothing.
   */
  async introduce(meeting: Meeting): Promise<void> {
    const proof = await this.#proofFor(meeting);
    const params = { processId: process.pid, rootUri: null, capabilities: {}, initializationOptions: { proof } };
    await this.#connection.sendRequest("initialize", params);
    await this.#connection.sendNotification("initialized", {});
  }

  /**
   * Sends a request. Rejects if the adapter refuses or the connection is lost. If `signal` aborts, cancels the request and rejects
   * immediately.
   */
  async request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    const source = new CancellationTokenSource();
    let onAbort: () => void = () => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      onAbort = () => {
        source.cancel();
        reject(new Error("cancelled"));
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
    const answer: Promise<unknown> = this.#connection.sendRequest(method, params, source.token);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      source.dispose();
    }
  }

  async #proofFor(meeting: Meeting): Promise<string> {
    const client = newChallenge();
    const silence = new AbortController();
    const timer = setTimeout(() => {
      silence.abort();
      this[Symbol.dispose]();
    }, proveMs);
    try {
      const answer: unknown = await this.#connection.sendRequest(proveMethod, { challenge: client });
      const challenges = { client, server: textMember(answer, "challenge") ?? "" };
      const isOurs = isProof(textMember(answer, "proof"), proofOf("server", meeting, challenges));
      if (!isOurs) throw stranger(meeting.socket, "it doesn't know your token");
      return proofOf("client", meeting, challenges);
    } catch (error) {
      if (silence.signal.aborted) throw stranger(meeting.socket, `it didn't answer within ${proveMs / 1000} s`);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Dispose the connection, which rejects pending requests.
    this.#connection.dispose();
    this.socket.destroy();
  }
}

function stranger(socket: string, reason: string): SymposiumError {
  return new SymposiumError(
    "ide-operation-failed",
    `The program listening at ${socket} isn't your language-server adapter: ${reason}.`,
    "Stop the program that listens there, or set SYMPOSIUM_CONFIG_DIR to another folder.",
  );
}
