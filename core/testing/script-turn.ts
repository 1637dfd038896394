import { Json } from "../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../src/base/rpc/message.js";
import { ask, type Peer } from "../src/base/rpc/peer.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";
import type { Faults } from "./faults.js";
import type { FlowGate } from "../src/base/flow-gate.js";

/** The two ways in which a client gives a prompt turn up. */
type CancelSource = "session/cancel" | "$/cancel_request";

interface ScriptTurnOptions {
  readonly sessionId: string;
  readonly cwd: string;
  /** Raw `mcpServers` of the session. */
  readonly mcpServers: Json;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  readonly client: Peer;
  readonly faults: Faults;
  readonly flow: FlowGate;
}

/** One prompt turn as its commands see it. */
export class ScriptTurn {
  /** Added to the result of the turn, beside its stop reason. */
  readonly resultMembers: Record<string, unknown> = {};
  readonly #abort = new AbortController();
  readonly #cancelled: Promise<CancelSource>;
  #cancel: (source: CancelSource) => void = () => undefined;
  #cancelledBy: CancelSource | undefined;
  readonly #steered: Promise<string>;
  #steer: (text: string) => void = () => undefined;

  constructor(readonly options: ScriptTurnOptions) {
    this.#cancelled = new Promise((resolve) => (this.#cancel = resolve));
    this.#steered = new Promise((resolve) => (this.#steer = resolve));
  }

  get sessionId(): string {
    return this.options.sessionId;
  }

  get cancelledBy(): CancelSource | undefined {
    return this.#cancelledBy;
  }

  /** Resolves when the turn is given up. */
  get cancelled(): Promise<CancelSource> {
    return this.#cancelled;
  }

  /** Resolves with what was first said into the turn. */
  get steered(): Promise<string> {
    return this.#steered;
  }

  steer(text: string): void {
    this.#steer(text);
  }

  /** Gives the turn up, and every request to the client that waits for its answer. The first source counts. */
  cancel(source: CancelSource): void {
    if (this.#cancelledBy !== undefined) return;
    this.#cancelledBy = source;
    this.#cancel(source);
    this.#abort.abort();
  }

  /** Sends one `session/update`. */
  update(update: Readonly<Record<string, unknown>>): void {
    this.notify("session/update", { sessionId: this.sessionId, update });
  }

  /** Sends one agent message of a line of text. */
  say(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n` } });
  }

  notify(method: string, params: unknown): void {
    this.options.client.notify(Notification.of(method, params));
  }

  /** Asks the client and says its answer as `METHOD result JSON` or `METHOD error JSON`. */
  async call(method: string, params: unknown): Promise<Outcome> {
    const outcome = await ask(this.options.client, new Request(method, Json.of(params)), this.#abort.signal);
    this.say(`${method} ${outcome.isError ? "error" : "result"} ${outcome.json.text}`);
    return outcome;
  }

  /** The answer to `session/prompt` when no command gave another. */
  get ending(): Outcome {
    if (this.#cancelledBy === "$/cancel_request") return Outcome.error(RpcError.cancelled());
    const stopReason = this.#cancelledBy === undefined ? "end_turn" : "cancelled";
    return Outcome.of({ stopReason, ...this.resultMembers });
  }
}

/** One word of the language that prompts to the scripted agent are written in. */
export interface ScriptCommand {
  /** Name with its arguments, and a description of the effect. */
  readonly usage: string;
  /** An outcome ends the turn with it; nothing goes on with the next line. Throwing ends the turn with an error. */
  run(turn: ScriptTurn, argument: string): ScriptStep;
}

/** Result of a command, either immediate or later. */
export type ScriptStep = Outcome | undefined | Promise<Outcome | undefined>;

export type ScriptCommands = Readonly<Record<string, ScriptCommand>>;
