import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionFolder } from "../../../../src/sessions/conversations/node/session-folder.js";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";
import type { StoredSession } from "../../../../src/sessions/conversations/node/stored-session.js";
import { linesOf } from "../../../../src/sessions/conversations/node/stored-lines.js";
import { SessionRecorder } from "../../../../src/sessions/conversations/session-recorder.js";
import { parseRecord, type StoredRecord } from "../../../../src/sessions/conversations/stored-record.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../../src/base/rpc/peer.js";
import { defaultConversationSettings } from "../../../../src/settings/conversation-settings.js";

type FolderOptions = ConstructorParameters<typeof SessionFolder>[0];

/** A folder of conversations that is gone at the end, and an editor and an agent whose conversations are kept in it. */
export class KeptSessions implements AsyncDisposable {
  static async open(options: Partial<FolderOptions> = {}): Promise<KeptSessions> {
    return new KeptSessions(await mkdtemp(join(tmpdir(), "kept-sessions-")), options);
  }

  readonly folder: string;
  /** The texts of the parameters that the editor was sent. */
  readonly shown: string[] = [];
  /** The agent's answer to a prompt. */
  answer: unknown = { stopReason: "end_turn" };
  /** Lines that the agent sends while a session is loaded. */
  history: readonly string[] = [];
  readonly faults: string[] = [];
  #turn: () => void = () => undefined;
  #store: SessionFolder;
  #client: Peer;
  #agent: Peer;

  private constructor(
    readonly root: string,
    private readonly options: Partial<FolderOptions>,
  ) {
    this.folder = join(root, "sessions");
    [this.#store, this.#client, this.#agent] = this.#connect();
  }

  /** The process ends, and another one comes. */
  async restart(): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    [this.#store, this.#client, this.#agent] = this.#connect();
  }

  request(method: string, params: object): Promise<Outcome> {
    return ask(this.#agent, Request.of(method, params));
  }

  async open(sessionId = "one"): Promise<void> {
    await this.request("session/new", { cwd: this.root, mcpServers: [], _meta: { sessionId } });
  }

  /** A prompt, in whose turn the agent does what `turn` does. */
  prompt(text: string, turn: () => void = () => undefined, sessionId = "one"): Promise<Outcome> {
    this.#turn = turn;
    return this.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The agent sends an update, whose text is `update`. */
  sends(update: string | object, sessionId = "one"): void {
    const text = typeof update === "string" ? update : JSON.stringify(update);
    this.#send(`{"sessionId":${JSON.stringify(sessionId)},"update":${text}}`);
  }

  says(text: string, sessionId = "one"): void {
    this.sends({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }, sessionId);
  }

  asks(sessionId = "one"): Promise<Outcome> {
    const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
    const params = { sessionId, toolCall: { toolCallId: "c", title: "rm -rf build" }, options };
    return ask(this.#client, Request.of("session/request_permission", params));
  }

  /** Resolves when everything is on disk that there is until now. */
  settled(): Promise<void> {
    return this.#store.settled();
  }

  sessions(): Promise<readonly StoredSession[]> {
    return listSessions(this.folder);
  }

  async files(): Promise<readonly string[]> {
    return (await readdir(this.folder).catch(() => [])).filter((name) => name.endsWith(".jsonl")).sort();
  }

  /** The path of the only file. */
  async file(): Promise<string> {
    return join(this.folder, (await this.files())[0] ?? "");
  }

  async text(): Promise<string> {
    return readFile(await this.file(), "utf8");
  }

  async records(): Promise<readonly StoredRecord[]> {
    return [...linesOf(await this.file())].flatMap((line) => parseRecord(line) ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true, force: true });
  }

  #send(params: string): void {
    this.shown.push(params);
    this.#client.notify(new Notification("session/update", Json.ofText(params)));
  }

  #connect(): [SessionFolder, Peer, Peer] {
    const store = new SessionFolder({
      folder: this.folder,
      settings: () => Promise.resolve(defaultConversationSettings),
      mask: (text) => text,
      onFault: (message) => this.faults.push(message),
      ...this.options,
    });
    const recorder = new SessionRecorder(store, { agentOf: () => "test-agent" });
    const editor: Peer = {
      request: (_request, reply) => {
        reply(Outcome.of({ outcome: { outcome: "selected", optionId: "yes" } }));
        return nothingToCancel;
      },
      notify: () => undefined,
    };
    const agent: Peer = {
      request: ({ method, params }, reply) => {
        if (method === "session/new" || method === "session/fork") reply(Outcome.of(params?.object?.["_meta"]));
        else if (method === "session/load") {
          for (const line of this.history) this.#send(line);
          reply(Outcome.of({}));
        } else if (method === "session/prompt") {
          this.#turn();
          reply(Outcome.of(this.answer));
        } else if (method === "_session/steering") {
          reply(Outcome.of({ outcome: params?.text.includes("too late") ? "promptRequired" : "injected" }));
        } else reply(Outcome.of({}));
        return nothingToCancel;
      },
      notify: () => undefined,
    };
    return [store, recorder.towardClient(editor), recorder.towardAgent(agent)];
  }
}
