import { Connection, Json, Notification, Outcome, type Peer, Request } from "@symposium-dev/core";
import { type RecordingPeer, scriptedClient } from "@symposium-dev/core/testing";
import { Child, type ChildOptions } from "./child.js";
import { type JsonObject, objectOf, stringOf } from "./json.js";

export interface Answer {
  readonly isError: boolean;
  /** The result or the error object, as it stood on the wire. */
  readonly text: string;
  readonly value: unknown;
  /** How many messages the client had been sent when the answer came. */
  readonly receivedBefore: number;
}

/** A request on its way. */
interface OpenCall {
  readonly answer: Promise<Answer>;
  /** Sends `$/cancel_request`. */
  cancel(): void;
}

/** Somebody who waits for a line. */
interface Waiting {
  readonly isMatch: (message: JsonObject) => boolean;
  readonly resolve: (line: string) => void;
}

/** A working folder that scripted agents only hear of. */
export const projectFolder = "/project";

/** The error code that stands for no answer at all. */
export const lostCode = 1;

const initializeParams = {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {}, url: {} },
    session: { configOptions: { boolean: {} } },
  },
  clientInfo: { name: "conformance", version: "1.0.0" },
};

/**
 * A client without any ACP library over the stdio of a child: it shows texts as they stood on the wire, and notices
 * lines that are no messages and answers that nobody asked for.
 */
export class RawClient implements AsyncDisposable {
  readonly child: Child;
  /** Plays the client toward the agent; replace it to answer otherwise. */
  peer: RecordingPeer = scriptedClient();
  /** Lines on the child's stdout that were no JSON objects, and answers to nothing. Empty for every well-behaved child. */
  readonly faults: string[] = [];
  readonly #connection: Connection;
  readonly #waiting: Waiting[] = [];
  #initialized: Promise<Answer> | undefined;
  /** The beginning of a line whose end has not come. */
  #parts: Buffer[] = [];

  constructor(options: ChildOptions) {
    this.child = new Child(options);
    const inbound: Peer = {
      request: (request, reply) => this.peer.request(request, reply),
      notify: (notification) => this.peer.notify(notification),
    };
    this.#connection = new Connection({
      send: (line) => this.send(line),
      inbound,
      answersGarbage: false,
      onSkipped: (reason) => this.faults.push(reason),
    });
    this.child.process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.child.process.once("close", () => this.#loseAll());
  }

  /** Sends one line verbatim. */
  send(line: string): void {
    this.write(`${line}\n`);
  }

  /** Writes bytes without adding a newline. */
  write(bytes: string | Buffer): void {
    this.child.process.stdin.write(bytes);
  }

  /** Sends a line and resolves with the first line that answers `id`, as it stood on the wire. */
  exchange(line: string, id: unknown): Promise<string> {
    const wanted = JSON.stringify(id);
    const isMatch = (message: JsonObject): boolean =>
      !("method" in message) && JSON.stringify(message["id"]) === wanted;
    const answer = new Promise<string>((resolve) => this.#waiting.push({ isMatch, resolve }));
    this.send(line);
    return answer;
  }

  /** Sends a request; `params` is raw JSON text, a value, or absent. */
  open(method: string, params?: unknown): OpenCall {
    let cancel: () => void = () => undefined;
    const answer = new Promise<Answer>((resolve) => {
      cancel = this.#connection.request(new Request(method, toJson(params)), ({ isError, json }) =>
        resolve({ isError, text: json.text, value: json.value, receivedBefore: this.peer.received.length }),
      );
    });
    return { answer, cancel: () => cancel() };
  }

  request(method: string, params?: unknown): Promise<Answer> {
    return this.open(method, params).answer;
  }

  notify(method: string, params?: unknown): void {
    this.#connection.notify(new Notification(method, toJson(params)));
  }

  /** Sends `initialize`, once for all callers. */
  /** Once; `extra` members are added to its parameters. */
  initialize(extra: JsonObject = {}): Promise<Answer> {
    this.#initialized ??= this.request("initialize", { ...initializeParams, ...extra });
    return this.#initialized;
  }

  /** Initializes and opens a session; resolves with its id. */
  async newSession(mcpServers: readonly unknown[] = []): Promise<string> {
    await this.initialize();
    const answer = await this.request("session/new", { cwd: projectFolder, mcpServers });
    const sessionId = stringOf(objectOf(answer.value)["sessionId"]);
    if (sessionId === "") throw new Error(`session/new answered ${answer.text}`);
    return sessionId;
  }

  /** Starts a prompt turn; the scripted agent takes one command a line. */
  openPrompt(sessionId: string, ...commands: readonly string[]): OpenCall {
    return this.open("session/prompt", { sessionId, prompt: [{ type: "text", text: commands.join("\n") }] });
  }

  prompt(sessionId: string, ...commands: readonly string[]): Promise<Answer> {
    return this.openPrompt(sessionId, ...commands).answer;
  }

  /** Returns the messages that the agent received, oldest first, as the raw text of its answer to `_test/received`. */
  async receivedByAgent(): Promise<string> {
    await this.initialize();
    return (await this.request("_test/received")).text;
  }

  /** Ends the child's input. */
  endInput(): void {
    this.child.process.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.child[Symbol.asyncDispose]();
  }

  /** Fails all unanswered requests, because the child has ended. */
  #loseAll(): void {
    if (this.#parts.length > 0) this.faults.push("an unterminated last line");
    const error = { code: lostCode, message: "never answered", data: { stderr: this.child.stderrTail } };
    this.#connection.close(Outcome.errorJson(Json.of(error)));
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#parts.push(rest.subarray(0, end));
      const line = Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      rest = rest.subarray(end + 1);
      this.#receiveLine(line);
    }
    if (rest.length > 0) this.#parts.push(rest);
  }

  #receiveLine(line: string): void {
    let message: JsonObject;
    try {
      message = objectOf(JSON.parse(line));
    } catch {
      this.faults.push(`not JSON: ${line.slice(0, 200)}`);
      return;
    }
    const index = this.#waiting.findIndex(({ isMatch }) => isMatch(message));
    const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiting) waiting.resolve(line);
    else this.#connection.receive(line);
  }
}

function toJson(params: unknown): Json | undefined {
  if (params === undefined) return undefined;
  return typeof params === "string" ? Json.ofText(params) : Json.of(params);
}
