import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import { ClosableAgent } from "../../../../src/conductor/chain/emulate-session-close.js";
import { continuedIn } from "../../../../src/sessions/conversations/continued-session.js";
import { StoredConversations } from "../../../../src/sessions/conversations/node/stored-conversations.js";
import { SessionFolder } from "../../../../src/sessions/conversations/node/session-folder.js";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";
import { SessionRecorder } from "../../../../src/sessions/conversations/session-recorder.js";
import { SuppliedSessions } from "../../../../src/sessions/conversations/supplied-sessions.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../../../src/base/rpc/message.js";
import { ask, type Peer } from "../../../../src/base/rpc/peer.js";
import { defaultConversationSettings } from "../../../../src/settings/conversation-settings.js";
import { type Answer, RecordingPeer } from "../../../../testing/recording-peer.js";
import { scriptedClient } from "../../../../testing/scripted-client.js";

/** Agent that restarts with each connection and has no memory of earlier sessions. */
interface StagedAgent {
  readonly capabilities?: object;
  /** Added to `initialize`, `session/new` and `session/prompt`. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** An editor, the conversations that are kept of it, and an agent whose gaps they fill. */
export class SuppliedStage implements AsyncDisposable {
  static async open(keep = true): Promise<SuppliedStage> {
    return new SuppliedStage(await mkdtemp(join(tmpdir(), "supplied-sessions-")), keep);
  }

  editor = scriptedClient();
  agent = new RecordingPeer();
  /** The raw answer to `initialize`, as the editor got it. */
  initialized = "";
  #store: SessionFolder | undefined;
  #fromEditor: Peer = this.agent;
  #toEditor: Peer = this.editor;
  #next = 1;

  private constructor(
    readonly root: string,
    private readonly keep: boolean,
  ) {}

  /** The processes end, and others come. */
  async connect({ capabilities = {}, answers = {} }: StagedAgent = {}): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    const settings = { ...defaultConversationSettings, keep: this.keep };
    const folder = join(this.root, "sessions");
    const store = new SessionFolder({ folder, settings: () => Promise.resolve(settings), mask: (text) => text });
    this.#store = store;
    this.editor = scriptedClient();
    this.agent = new RecordingPeer({
      initialize: { protocolVersion: 1, agentCapabilities: capabilities },
      "session/new": () => ({ sessionId: `agent-${this.#next++}`, modes: { currentModeId: "a", availableModes: [] } }),
      "session/prompt": { stopReason: "end_turn" },
      "session/close": {},
      ...answers,
    });
    const recorder = new SessionRecorder(store, { agentOf: () => "test-agent" });
    const supplied = new SuppliedSessions({
      isAnnounced: this.keep,
      store: new StoredConversations({
        folder,
        keeps: () => Promise.resolve(this.keep),
        settled: () => store.settled(),
      }),
      agent: "test-agent",
      pause: () => others(),
    });
    this.#toEditor = supplied.towardClient(recorder.towardClient(this.editor));
    this.#fromEditor = recorder.towardAgent(supplied.towardAgent(new ClosableAgent(this.agent)));
    this.initialized = (
      await this.ask("initialize", { protocolVersion: 1, clientCapabilities: { subagents: {} } })
    ).json.text;
  }

  ask(method: string, params: object): Promise<Outcome> {
    return ask(this.#fromEditor, Request.of(method, params));
  }

  /** The result of a request that must succeed. */
  async result(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.ask(method, params);
    if (outcome.isError) throw new Error(`${method}: ${outcome.json.text}`);
    return outcome.json.object ?? {};
  }

  async open(): Promise<string> {
    return String((await this.result("session/new", this.setup()))["sessionId"]);
  }

  setup(sessionId?: string): object {
    return { ...(sessionId !== undefined && { sessionId }), cwd: this.root, mcpServers: [] };
  }

  prompt(sessionId: string, text: string): Promise<Readonly<Record<string, unknown>>> {
    return this.result("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The agent sends the editor an update. */
  sends(sessionId: string, update: object): void {
    const params = `{"sessionId":${JSON.stringify(sessionId)},"update":${JSON.stringify(update)}}`;
    this.#toEditor.notify(new Notification("session/update", Json.ofText(params)));
  }

  says(sessionId: string, text: string): void {
    this.sends(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  requests(request: Request): Promise<Outcome> {
    return ask(this.#toEditor, request);
  }

  /** A conversation with one turn, before the processes end. */
  async conversation(said = "An answer"): Promise<string> {
    await this.connect();
    const id = await this.open();
    await this.prompt(id, "A question");
    this.says(id, said);
    await this.prompt(id, "Another");
    return id;
  }

  /** The ids of the files, the latest first. */
  async kept(): Promise<readonly string[]> {
    return (await listSessions(join(this.root, "sessions"))).map(({ id }) => id);
  }

  /** Ids, in the order of the list. */
  async listed(params: object = {}): Promise<readonly unknown[]> {
    const { sessions } = await this.result("session/list", params);
    return Array.isArray(sessions) ? sessions.map((session: { sessionId?: unknown }) => session.sessionId) : [];
  }

  /** The updates that the editor got, raw. */
  get shown(): readonly string[] {
    return this.editor.received.flatMap(({ method, params }) =>
      method === "session/update" && params ? [params.text] : [],
    );
  }

  /** The conversations that new sessions of the agent go on with. */
  get continued(): readonly unknown[] {
    return this.agent.received.flatMap(({ method, params }) =>
      method === "session/new" ? [continuedIn(params?.object)?.conversation] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true, force: true });
  }
}
