import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { Logger } from "../../../src/base/logger.js";
import { TerminalChat, type TerminalChatOptions } from "../../../src/app/cli/terminal-chat/terminal-chat.js";
import type { Agent } from "../../../src/conductor/chain/component.js";
import { asObject } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, type Request } from "../../../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../../src/base/rpc/peer.js";

/** Keeps what is written to it, as a file or as a terminal. */
class Screen extends Writable {
  text = "";
  readonly columns = 80;
  #watchers: { readonly isShown: () => boolean; readonly resolve: () => void }[] = [];

  constructor(readonly isTTY: boolean) {
    super({ decodeStrings: false });
  }

  /** Written text without escape sequences and carriage returns. */
  get plain(): string {
    return stripVTControlCharacters(this.text).replaceAll("\r", "");
  }

  /** Resolves when `text` has been written `times` times. */
  shows(text: string, times = 1): Promise<void> {
    const isShown = (): boolean => this.plain.split(text).length > times;
    if (isShown()) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ isShown, resolve }));
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    const due = this.#watchers.filter(({ isShown }) => isShown());
    this.#watchers = this.#watchers.filter((watcher) => !due.includes(watcher));
    for (const { resolve } of due) resolve();
    done();
  }
}

export interface FixtureOptions extends Partial<TerminalChatOptions> {
  /** Which of the streams are a terminal; none when absent. */
  readonly terminals?: "all" | "output";
}

/** A chat over streams in memory, with an agent at its other side. */
export class ChatFixture {
  readonly input: PassThrough & { isTTY?: boolean } = new PassThrough();
  readonly output: Screen;
  readonly errors: Screen;
  readonly signals = new EventEmitter();
  readonly #chat: TerminalChat;
  readonly #agent: Peer;

  constructor(agent: Agent, { terminals, ...options }: FixtureOptions = {}) {
    this.input.isTTY = terminals === "all";
    this.output = new Screen(terminals !== undefined);
    this.errors = new Screen(terminals !== undefined);
    this.#chat = new TerminalChat({
      input: this.input,
      output: this.output,
      errors: this.errors,
      cwd: "/project",
      version: "1.2.3",
      logger: Logger.silent,
      signals: this.signals,
      env: {},
      ...options,
    });
    this.#agent = agent.connect(this.#chat.fromAgent).fromClient;
  }

  run(prompt?: string): Promise<number> {
    return this.#chat.run(this.#agent, prompt);
  }
}

/** One turn of a {@link TurnAgent}: its prompt and the ways to answer it. */
interface Turn {
  readonly client: Peer;
  readonly text: string;
  readonly reply: Reply;
  update(update: unknown): void;
  say(text: string): void;
  end(stopReason: string): void;
}

/** An agent whose turns are a function of the test. */
export class TurnAgent implements Agent {
  readonly name = "turn-agent";
  readonly prompts: string[] = [];
  clientCapabilities: Readonly<Record<string, unknown>> = {};

  constructor(private readonly onTurn: (turn: Turn) => void) {}

  connect(client: Peer): { fromClient: Peer } {
    return {
      fromClient: {
        request: (request, reply) => this.#answer(client, request, reply),
        notify: () => undefined,
      },
    };
  }

  #answer(client: Peer, request: Request, reply: Reply): Cancel {
    if (request.method === "initialize") {
      this.clientCapabilities = asObject(request.params?.object?.["clientCapabilities"]) ?? {};
      reply(Outcome.of({ protocolVersion: 1, agentInfo: { name: "turn-agent", version: "0" } }));
    } else if (request.method === "session/new") reply(Outcome.of({ sessionId: "s" }));
    else this.#run(client, request, reply);
    return nothingToCancel;
  }

  #run(client: Peer, request: Request, reply: Reply): void {
    const prompt = request.params?.object?.["prompt"] as { text: string }[];
    const text = prompt.map((block) => block.text).join("");
    this.prompts.push(text);
    const update = (value: unknown): void => {
      client.notify(Notification.of("session/update", { sessionId: "s", update: value }));
    };
    this.onTurn({
      client,
      text,
      reply,
      update,
      say: (piece) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: piece } }),
      end: (stopReason) => reply(Outcome.of({ stopReason })),
    });
  }
}
