import { Logger } from "../../../src/base/logger.js";
import { type ClientStart, type ConductorHooks, Host } from "../../../src/sessions/host/host.js";
import type { ConnectedClient } from "../../../src/sessions/host/connected-client.js";
import { Json, textOf } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, type Peer } from "../../../src/base/rpc/peer.js";
import { type Answer, type OpenRequest, RecordingPeer } from "../../../testing/recording-peer.js";

const permissionOptions = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** The answer that selects an option of a permission request. */
export function selected(optionId: string): Outcome {
  return Outcome.of({ outcome: { outcome: "selected", optionId } });
}

/** A conductor whose requests and answers the test makes. */
class PlayedConductor {
  readonly peer: RecordingPeer;
  isPaused = false;
  isEnded = false;
  sessions = 0;
  #isCongested = false;

  constructor(
    readonly start: ClientStart,
    /** The client's methods. */
    readonly client: Peer,
    readonly hooks: ConductorHooks,
    answers: Readonly<Record<string, Answer>>,
  ) {
    const open = (): undefined => undefined;
    this.peer = new RecordingPeer({
      initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } } },
      "session/new": () => ({ sessionId: `s${++this.sessions}`, modes: { currentModeId: "ask", availableModes: [] } }),
      "session/load": {},
      "session/prompt": open,
      "session/list": { sessions: [] },
      "session/close": {},
      "session/set_mode": {},
      ...answers,
    });
  }

  get isCongested(): boolean {
    return this.#isCongested;
  }

  set isCongested(value: boolean) {
    this.#isCongested = value;
    this.hooks.congestionChanged();
  }

  update(update: Readonly<Record<string, unknown>>, sessionId = "s1"): void {
    this.client.notify(Notification.of("session/update", { sessionId, update }));
  }

  say(text: string, sessionId = "s1"): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, sessionId);
  }

  /** Asks for leave, and collects the answers that it hears. */
  askPermission(sessionId = "s1"): { readonly heard: unknown[]; readonly abandon: () => void } {
    const heard: unknown[] = [];
    const params = { sessionId, toolCall: { toolCallId: "call-1" }, options: permissionOptions };
    const abandon = this.client.request(Request.of("session/request_permission", params), ({ isError, json }) => {
      heard.push(isError ? json.object?.["message"] : json.value);
    });
    return { heard, abandon };
  }

  /** Answers the oldest prompt that it has. */
  endTurn(stopReason = "end_turn"): void {
    this.prompts[0]?.reply(Outcome.of({ stopReason }));
  }

  get prompts(): readonly OpenRequest[] {
    return this.peer.open.filter(({ request }) => request.method === "session/prompt");
  }
}

/** A client of the host, whose answers the test gives. */
export class StageClient {
  readonly peer: RecordingPeer;
  readonly hostClient: ConnectedClient;
  readonly printed: string[] = [];
  closedWith: string | undefined;
  isPaused = false;
  #isCongested = false;

  constructor(
    private readonly host: Host,
    start: ClientStart,
    answers: Readonly<Record<string, Answer>>,
  ) {
    const open = (): undefined => undefined;
    this.peer = new RecordingPeer({ "session/request_permission": open, "elicitation/create": open, ...answers });
    this.hostClient = host.connect(start, {
      peer: this.peer,
      isCongested: () => this.#isCongested,
      pause: (isPaused) => (this.isPaused = isPaused),
      print: (line) => this.printed.push(line),
      close: (reason) => (this.closedWith = reason),
    });
  }

  set isCongested(value: boolean) {
    this.#isCongested = value;
    this.host.congestionChanged(this.hostClient);
  }

  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return ask(this.hostClient.fromClient, Request.of(method, params));
  }

  notify(method: string, params: Readonly<Record<string, unknown>>): void {
    this.hostClient.fromClient.notify(Notification.of(method, params));
  }

  prompt(text: string, sessionId = "s1"): Promise<Outcome> {
    return this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  load(sessionId = "s1", cwd = "/w"): Promise<Outcome> {
    return this.ask("session/load", { sessionId, cwd, mcpServers: [] });
  }

  /** The permission request that it has open. */
  get question(): OpenRequest | undefined {
    return this.peer.open.find(({ request }) => request.method === "session/request_permission");
  }

  /** The texts of all messages that it was sent, the user's with `> ` before them. */
  get texts(): readonly string[] {
    return this.peer.updates.flatMap((update) => {
      const text = textOf(Json.of(update["content"]).object?.["text"]);
      if (update["sessionUpdate"] === "user_message_chunk") return [`> ${text}`];
      return update["sessionUpdate"] === "agent_message_chunk" ? [text] : [];
    });
  }

  /** The states of turns that it was told, in order. */
  get turns(): readonly unknown[] {
    return this.peer.updates.flatMap((update) => {
      const meta = Json.of(update["_meta"]).object?.["symposium"];
      const turn = Json.of(meta).object?.["turn"];
      return turn === undefined ? [] : [turn];
    });
  }
}

interface StageOptions {
  readonly conductor?: Readonly<Record<string, Answer>>;
  readonly idleMs?: number;
}

/** A host whose conductors and clients are played. */
export class HostStage {
  readonly conductors: PlayedConductor[] = [];
  /** Requests that the disk was asked. */
  readonly disk: Request[] = [];
  readonly host: Host;
  time = 0;

  constructor({ conductor = {}, idleMs = 1_000 }: StageOptions = {}) {
    this.host = new Host({
      start: (start, client, hooks) => {
        const played = new PlayedConductor(start, client, hooks, conductor);
        this.conductors.push(played);
        return {
          peer: played.peer,
          get isCongested() {
            return played.isCongested;
          },
          pause: (isPaused) => (played.isPaused = isPaused),
          end: () => {
            played.isEnded = true;
            return Promise.resolve();
          },
        };
      },
      disk: {
        answer: (request) => {
          this.disk.push(request);
          return Promise.resolve(Outcome.of({ content: "of the disk" }));
        },
      },
      logger: new Logger(() => undefined),
      idleMs,
      now: () => this.time,
    });
  }

  /** The first conductor. */
  get conductor(): PlayedConductor {
    const [first] = this.conductors;
    if (!first) throw new Error("no conductor was started");
    return first;
  }

  /** A client that has said `initialize`. */
  async connect(
    answers: Readonly<Record<string, Answer>> = {},
    {
      capabilities = {},
      ...start
    }: Partial<ClientStart> & { readonly capabilities?: Readonly<Record<string, unknown>> } = {},
  ): Promise<StageClient> {
    const client = new StageClient(this.host, { words: ["run"], cwd: "/w", env: {}, ...start }, answers);
    await client.ask("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    return client;
  }

  /** A client that has opened the session `s1`. */
  async open(...given: Parameters<HostStage["connect"]>): Promise<StageClient> {
    const client = await this.connect(...given);
    await client.ask("session/new", { cwd: "/w", mcpServers: [] });
    return client;
  }

  /** A client that is attached to the session `s1` by `session/load`. */
  async attach(...given: Parameters<HostStage["connect"]>): Promise<StageClient> {
    const client = await this.connect(...given);
    await client.load();
    return client;
  }
}
