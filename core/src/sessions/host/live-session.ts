import { symposiumIn } from "../../base/acp/symposium-meta.js";
import { acpMethods } from "../../base/acp/methods.js";
import { sessionIdOf, updateKindIn } from "../../base/acp/session-message.js";
import { elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { Attachment, type AttachWish, type SessionClient } from "./attachment.js";
import { PromptQueue } from "./prompt-queue.js";
import { cancelledAnswer, isQuestion, Question } from "./question.js";
import { ClientTerminals } from "./client-terminals.js";
import { promptTitle } from "./prompt-title.js";
import { UpdateLog } from "./update-log.js";

/** Disk access for an agent's files while the prompt's client isn't attached. */
export interface HostDisk {
  /** Answers `fs/read_text_file` and `fs/write_text_file` for a session in `folder`. */
  answer(request: Request, folder: string): Promise<Outcome>;
}

type SessionState = "working" | "waiting" | "idle" | "failed";

interface LiveSessionOptions {
  readonly id: string;
  readonly folder: string;
  readonly conductor: Peer;
  readonly disk: HostDisk;
  /** Current time in milliseconds. */
  readonly now: () => number;
}

/**
 * Session of a conductor with its attached clients. All clients receive the same updates and questions; prompts run one after another. The
 * session continues without clients.
 */
export class LiveSession {
  readonly #attachments = new Map<SessionClient, Attachment>();
  readonly #log = new UpdateLog();
  readonly #questions = new Set<Question>();
  readonly #terminals = new ClientTerminals();
  readonly #prompts: PromptQueue;
  /** Clients that tried to attach before the session was open. */
  #waiting: { readonly client: SessionClient; readonly reply: Reply; readonly attach: () => void }[] = [];
  #setup: Json | undefined;
  #commands: string | undefined;
  #title = "";
  #hasEnded = false;
  #hasHistory = false;
  #hasFailed = false;
  #changedAt: number;
  /** End of the newest turn, as reported to clients. */
  #lastEnd: Readonly<Record<string, unknown>> = { state: "idle" };
  /** Client of the newest prompt. */
  #prompter: SessionClient | undefined;
  /** Attachment that sent the newest prompt and gets its answer. If its client attaches again, the new attachment gets neither. */
  #prompted: Attachment | undefined;
  /** Whether the agent's next updates may repeat the prompt, as some agents do. All clients already have the prompt. */
  #mayEcho = false;
  /** Number of option changes reported by the agent. */
  #optionChanges = 0;

  constructor(private readonly options: LiveSessionOptions) {
    this.#changedAt = options.now();
    this.#prompts = new PromptQueue(options.conductor, {
      begins: (request, client) => this.#beginTurn(request, client),
      ended: (outcome) => this.#endTurn(outcome),
    });
  }

  get id(): string {
    return this.options.id;
  }

  get folder(): string {
    return this.options.folder;
  }

  get conductor(): Peer {
    return this.options.conductor;
  }

  get title(): string {
    return this.#title;
  }

  get changedAt(): number {
    return this.#changedAt;
  }

  get hasHistory(): boolean {
    return this.#hasHistory;
  }

  get isAttached(): boolean {
    return this.#attachments.size > 0;
  }

  get state(): SessionState {
    if (this.#questions.size > 0) return "waiting";
    if (this.#prompts.isBusy) return "working";
    return this.#hasFailed ? "failed" : "idle";
  }

  /** Whether the session is open without running prompts or open questions. */
  get isQuiet(): boolean {
    return this.#setup !== undefined && this.#questions.size === 0 && !this.#prompts.isBusy;
  }

  /** Stores the conductor's opening result and attaches waiting clients. */
  opened(setup: Json): void {
    this.#setup = setup;
    for (const { attach } of this.#waiting.splice(0)) attach();
  }

  /**
   * Ends the session after the conductor has closed it. Requests that are still pending at the conductor are answered by its connection.
   */
  end(): void {
    this.#hasEnded = true;
    for (const question of [...this.#questions]) question.abandon();
    this.#attachments.clear();
    for (const { attach } of this.#waiting.splice(0)) attach();
  }

  /** Attaches the client that opened the session; it receives all updates. */
  join(client: SessionClient): void {
    this.#add(client, 0, () => undefined);
  }

  /**
   * Attaches a client. With `replays`, sends all stored updates before the answer; otherwise, sends the available commands after the
   * answer. `after` names a turn whose prompt the client already has: the client receives the updates that follow the prompt before the
   * answer, and the turn's state after the answer.
   */
  attach(client: SessionClient, { replays, after }: AttachWish, reply: Reply): void {
    if (this.#hasEnded) {
      reply(Outcome.error(RpcError.internal(`The session ${this.id} has ended. Open it again.`)));
      return;
    }
    if (!this.#setup) {
      this.#waiting.push({ client, reply, attach: () => this.attach(client, { replays, after }, reply) });
      return;
    }
    const place = replays || after === undefined ? undefined : this.#log.placeAfter(after);
    this.#add(client, place ?? (replays ? this.#log.first : this.#log.end), () => {
      reply(this.#setupAnswer(place === undefined ? {} : { after }));
      const commands = replays ? undefined : this.#commands;
      if (commands !== undefined) client.peer.notify(new Notification(acpMethods.sessionUpdate, Json.ofText(commands)));
      const isBusy = this.#prompts.isBusy;
      if (isBusy || place !== undefined) client.peer.notify(this.#turnNotice({ state: "working" }));
      if (!isBusy && place !== undefined) client.peer.notify(this.#turnNotice(this.#lastEnd));
    });
  }

  /** Removes a client that leaves the session or disconnects. */
  detach(client: SessionClient): void {
    const left = this.#waiting.filter((one) => one.client === client);
    this.#waiting = this.#waiting.filter((one) => one.client !== client);
    for (const { reply } of left) reply(Outcome.error(RpcError.cancelled()));
    if (!this.#attachments.delete(client)) return;
    this.#terminals.leave(client);
    for (const question of [...this.#questions]) question.leave(client);
    this.#changed();
  }

  drained(client: SessionClient): void {
    this.#attachments.get(client)?.walk();
  }

  request(client: SessionClient, request: Request, reply: Reply): Cancel {
    const { conductor } = this.options;
    switch (request.method) {
      case acpMethods.sessionPrompt:
        return this.#prompts.add(client, request, reply);
      case acpMethods.sessionSteering:
        return this.#steer(client, request, reply);
      case acpMethods.setMode:
      case acpMethods.setModel:
      case acpMethods.setConfigOption:
        return this.#choose(client, request, reply);
    }
    return conductor.request(request, reply);
  }

  /** Handles a notification from an attached client, or from the host if `client` is undefined. */
  notify(client: SessionClient | undefined, notification: Notification): void {
    if (notification.method !== acpMethods.sessionCancel) {
      this.options.conductor.notify(notification);
      return;
    }
    this.#prompts.cancel(notification);
    for (const question of [...this.#questions]) question.cancel(client);
  }

  /** Handles a conductor's notification about this session or its sub-agents' sessions. */
  fromConductor(notification: Notification): void {
    const { method, params } = notification;
    if (method === acpMethods.sessionUpdate && params) {
      this.#update(notification, params);
      return;
    }
    for (const { isLive, client } of this.#attachments.values()) if (isLive) client.peer.notify(notification);
  }

  /** Handles a conductor's request: asks all clients, the prompt's client, or the disk. */
  ask(request: Request, reply: Reply): Cancel {
    const { method } = request;
    if (isQuestion(method)) return this.#askAll(request, reply);
    const client = this.#asked();
    if (method.startsWith("terminal/")) return this.#terminals.request(request, client, reply);
    const capability = method === "fs/read_text_file" ? "fs.readTextFile" : "fs.writeTextFile";
    const isFile = method === "fs/read_text_file" || method === "fs/write_text_file";
    if (isFile && client !== this.#prompter) return this.#askDisk(request, reply);
    if (isFile && client?.can(capability) !== true) return this.#askDisk(request, reply);
    if (!client) {
      reply(Outcome.error(RpcError.internal(`No attached client can answer ${method}.`)));
      return nothingToCancel;
    }
    return client.peer.request(request, (outcome) => {
      const isLost = isFile && outcome.isError && !this.#attachments.has(client);
      if (isLost) this.#askDisk(request, reply);
      else reply(outcome);
    });
  }

  /** Returns the client that sent the newest prompt; if that client isn't attached, another attached client. */
  #asked(): SessionClient | undefined {
    const prompter = this.#prompter && this.#attachments.has(this.#prompter) ? this.#prompter : undefined;
    return prompter ?? [...this.#attachments.keys()][0];
  }

  #askDisk(request: Request, reply: Reply): Cancel {
    void this.options.disk.answer(request, this.options.folder).then(reply);
    return nothingToCancel;
  }

  #askAll(request: Request, reply: Reply): Cancel {
    if (this.#prompts.isCancelled) {
      reply(cancelledAnswer(request.method));
      return nothingToCancel;
    }
    const question = new Question(request, reply, (settled) => {
      this.#questions.delete(settled);
      this.#changed();
    });
    this.#questions.add(question);
    this.#changed();
    for (const { isLive, client } of [...this.#attachments.values()]) if (isLive) question.ask(client);
    return () => question.abandon();
  }

  #add(client: SessionClient, from: number, onLive: () => void): void {
    this.detach(client);
    const attachment = new Attachment({
      client,
      log: this.#log,
      from,
      shown: (params) => this.#terminals.shownTo(client, params),
      onLive: () => {
        onLive();
        for (const question of [...this.#questions]) question.ask(client);
      },
    });
    this.#attachments.set(client, attachment);
    attachment.walk();
  }

  #publish(params: string, options: Parameters<UpdateLog["append"]>[1] = {}, received?: Notification): void {
    this.#log.append(params, options);
    for (const attachment of [...this.#attachments.values()]) attachment.walk(received);
  }

  #update(notification: Notification, params: Json): void {
    const { text } = params;
    const kind = updateKindIn(text);
    if (kind === "user_message_chunk" && this.#mayEcho) {
      const prompter = this.#prompter && this.#attachments.get(this.#prompter);
      if (prompter?.isLive === true) prompter.client.peer.notify(notification);
      return;
    }
    if (kind !== undefined && /^(?:agent_|tool_|plan)/.test(kind)) {
      this.#mayEcho = false;
      this.#hasHistory = true;
    } else this.#note(kind, params);
    this.#publish(text, {}, notification);
  }

  /** Stores session state from an update, for clients that attach later. */
  #note(kind: string | undefined, params: Json): void {
    if (sessionIdOf(params) !== this.id) return;
    if (kind === "available_commands_update") this.#commands = params.text;
    if (kind === "user_message_chunk" && this.#title === "") {
      const content = asObject(params.object?.["update"])?.["content"];
      this.#title = promptTitle([content]);
    }
    if (kind !== "current_mode_update" && kind !== "config_option_update" && kind !== "session_info_update") return;
    const update = memberOf(params, "update") ?? Json.null;
    if (kind === "session_info_update") {
      const { title } = update.object ?? {};
      this.#title = stringOf(title) ?? this.#title;
      return;
    }
    this.#optionChanges++;
    const mode = memberOf(update, "currentModeId");
    const options = memberOf(update, "configOptions");
    if (mode) this.#setSetup(["modes", "currentModeId"], mode);
    if (options) this.#setSetup(["configOptions"], options);
  }

  #setSetup(path: readonly [string, ...string[]], value: Json): void {
    if (this.#setup && memberOf(this.#setup, path[0])) this.#setup = withMember(this.#setup, path, value);
  }

  /** Builds the answer for an attaching client. Only an answer to `session/new` contains the session id. */
  #setupAnswer(more: { readonly after?: string | undefined }): Outcome {
    const { sessionId: _id, ...members } = this.#setup?.object ?? {};
    return Outcome.of({
      ...members,
      _meta: { ...asObject(members["_meta"]), symposium: { state: this.state, ...more } },
    });
  }

  #beginTurn({ params }: Request, client: SessionClient): void {
    this.#prompter = client;
    this.#prompted = this.#attachments.get(client);
    this.#mayEcho = true;
    this.#hasFailed = false;
    this.#hasHistory = true;
    if (this.#title === "") this.#title = promptTitle(params?.object?.["prompt"]);
    this.#say(params, client);
    this.#tellOthers({ state: "working" });
    this.#changed();
  }

  #say(params: Json | undefined, client: SessionClient, isTurn = true): void {
    const blocks = elementsOf((params && memberOf(params, "prompt")) ?? Json.null) ?? [];
    const turn = isTurn ? stringOf(symposiumIn(params?.object?.["_meta"])["turn"]) : undefined;
    const except = this.#attachments.get(client);
    for (const [index, block] of blocks.entries()) {
      const update = `{"sessionUpdate":"user_message_chunk","content":${block.text}}`;
      const text = `{"sessionId":${JSON.stringify(this.id)},"update":${update}}`;
      this.#publish(text, { except, beginsTurn: isTurn && index === 0, turn });
    }
  }

  #endTurn(outcome: Outcome): void {
    this.#mayEcho = false;
    this.#hasFailed = outcome.isError;
    const { stopReason } = outcome.json.object ?? {};
    this.#lastEnd = outcome.isError ? { state: "failed" } : { state: "idle", stopReason };
    this.#tellOthers(this.#lastEnd);
    this.#changed();
  }

  #tellOthers(turn: Readonly<Record<string, unknown>>): void {
    for (const attachment of [...this.#attachments.values()]) {
      if (attachment.isLive && attachment !== this.#prompted) attachment.client.peer.notify(this.#turnNotice(turn));
    }
  }

  #turnNotice(turn: Readonly<Record<string, unknown>>): Notification {
    const update = { sessionUpdate: "session_info_update", _meta: { symposium: { turn } } };
    return Notification.of(acpMethods.sessionUpdate, { sessionId: this.id, update });
  }

  #steer(client: SessionClient, request: Request, reply: Reply): Cancel {
    return this.options.conductor.request(request, (outcome) => {
      reply(outcome);
      if (!outcome.isError && outcome.json.object?.["outcome"] === "injected") this.#say(request.params, client, false);
    });
  }

  #choose(client: SessionClient, request: Request, reply: Reply): Cancel {
    const before = this.#optionChanges;
    return this.options.conductor.request(request, (outcome) => {
      reply(outcome);
      if (outcome.isError || before !== this.#optionChanges) return;
      const options = memberOf(outcome.json, "configOptions");
      const { modeId, modelId } = request.params?.object ?? {};
      const except = this.#attachments.get(client);
      const told = (update: string): void =>
        this.#publish(`{"sessionId":${JSON.stringify(this.id)},"update":${update}}`, { except });
      if (options) {
        this.#setSetup(["configOptions"], options);
        told(`{"sessionUpdate":"config_option_update","configOptions":${options.text}}`);
      }
      if (typeof modelId === "string") this.#setSetup(["models", "currentModelId"], Json.of(modelId));
      if (typeof modeId !== "string") return;
      this.#setSetup(["modes", "currentModeId"], Json.of(modeId));
      told(`{"sessionUpdate":"current_mode_update","currentModeId":${JSON.stringify(modeId)}}`);
    });
  }

  #changed(): void {
    this.#changedAt = this.options.now();
  }
}
