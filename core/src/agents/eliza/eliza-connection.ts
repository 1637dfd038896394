import type {
  AvailableCommand,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { acpMethods, acpVersion } from "../../base/acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import type { ConnectedAgent } from "../../conductor/chain/component.js";
import type { ConnectMcp } from "../../base/mcp/mcp-client-contract.js";
import { type McpServerEntry, parseMcpServerEntry } from "../../base/mcp/mcp-server-entry.js";
import { Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { answerPrompt } from "./answer-prompt.js";
import { type Choose, Doctor } from "./doctor.js";
import {
  configOptions,
  ElizaSession,
  modeOptionId,
  modeState,
  parseModeId,
  type RecordedUpdate,
} from "./eliza-session.js";
import { parsePromptContent } from "./prompt-content.js";
import { SessionServers } from "./session-servers.js";
import { Turn } from "./turn.js";

type Params = Readonly<Record<string, unknown>>;

export interface ElizaConnectionOptions {
  readonly version: string;
  readonly choose: Choose;
  readonly connectMcp: ConnectMcp;
  /** Resolves in a later turn of the event loop, after pending input has been read. */
  readonly yieldNow: () => Promise<void>;
}

export class ElizaConnection implements ConnectedAgent {
  readonly fromClient: Peer;
  readonly #sessions = new Map<string, ElizaSession>();
  readonly #handlers: Readonly<Record<string, (params: Params, reply: Reply) => Cancel | undefined>>;

  constructor(
    private readonly client: Peer,
    private readonly options: ElizaConnectionOptions,
  ) {
    this.#handlers = {
      [acpMethods.initialize]: (_params, reply) => {
        reply(Outcome.of(describeEliza(options.version)));
        return undefined;
      },
      [acpMethods.sessionNew]: (params, reply) =>
        this.#open(new ElizaSession(crypto.randomUUID(), new Doctor(options.choose)), params, reply),
      [acpMethods.sessionLoad]: (params, reply) =>
        this.#with(params, reply, (session) => this.#open(session, params, reply, session.history)),
      [acpMethods.sessionResume]: (params, reply) =>
        this.#with(params, reply, (session) => this.#open(session, params, reply)),
      "session/list": (params, reply) => {
        reply(this.#list(params));
        return undefined;
      },
      [acpMethods.sessionClose]: (params, reply) => this.#with(params, reply, (session) => closeFor(session, reply)),
      [acpMethods.sessionDelete]: (params, reply) =>
        this.#with(params, reply, (session) => {
          this.#sessions.delete(session.id);
          closeFor(session, reply);
          return undefined;
        }),
      "session/set_mode": (params, reply) =>
        this.#with(params, reply, (session) => this.#setMode(session, params, reply)),
      "session/set_config_option": (params, reply) =>
        this.#with(params, reply, (session) => this.#setOption(session, params, reply)),
      [acpMethods.sessionPrompt]: (params, reply) =>
        this.#with(params, reply, (session) => this.#prompt(session, params, reply)),
    };
    this.fromClient = {
      request: (request, reply) => this.#receive(request, reply),
      notify: (notification) => this.#hear(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }

  #receive(request: Request, reply: Reply): Cancel {
    const handler = Object.hasOwn(this.#handlers, request.method) ? this.#handlers[request.method] : undefined;
    if (handler) return handler(request.params?.object ?? {}, reply) ?? nothingToCancel;
    reply(Outcome.error(RpcError.methodNotFound(request.method)));
    return nothingToCancel;
  }

  #hear(notification: Notification): void {
    if (notification.method !== acpMethods.sessionCancel) return;
    const sessionId = notification.params?.object?.["sessionId"];
    if (typeof sessionId === "string") this.#sessions.get(sessionId)?.cancelTurn();
  }

  #with(params: Params, reply: Reply, use: (session: ElizaSession) => Cancel | undefined): Cancel | undefined {
    const { sessionId } = params;
    const session = typeof sessionId === "string" ? this.#sessions.get(sessionId) : undefined;
    if (session) return use(session);
    reply(Outcome.error(sessionNotFound(sessionId)));
    return undefined;
  }

  /** Sets the folder and servers of a new or loaded session. `replayed` is sent before the answer. */
  #open(session: ElizaSession, params: Params, reply: Reply, replayed: readonly RecordedUpdate[] = []): undefined {
    const setup = parseSessionSetup(params);
    if (typeof setup === "string") {
      reply(Outcome.error(RpcError.invalidParams(setup)));
      return;
    }
    const { cwd, servers } = setup;
    const previous = session.servers;
    session.cwd = cwd;
    session.servers = new SessionServers(servers, this.options.connectMcp, { client: this.client, cwd });
    // Close the connections of an earlier setup; errors while closing them no longer matter.
    void previous?.[Symbol.asyncDispose]().catch(() => undefined);
    for (const update of replayed) this.#update(session, update);
    const state: LoadSessionResponse = { modes: modeState(session.mode), configOptions: configOptions(session.mode) };
    if (this.#sessions.has(session.id)) reply(Outcome.of(state));
    else reply(Outcome.of({ sessionId: session.id, ...state } satisfies NewSessionResponse));
    this.#sessions.set(session.id, session);
    this.#update(session, { sessionUpdate: "available_commands_update", availableCommands });
  }

  #list({ cwd }: Params): Outcome {
    const sessions = [...this.#sessions.values()].map((session) => session.info).reverse();
    const found = typeof cwd === "string" ? sessions.filter((session) => session.cwd === cwd) : sessions;
    return Outcome.of({ sessions: found } satisfies ListSessionsResponse);
  }

  #setMode(session: ElizaSession, { modeId }: Params, reply: Reply): undefined {
    const mode = parseModeId(modeId);
    if (mode === undefined) {
      reply(Outcome.error(RpcError.invalidParams(`there is no mode ${JSON.stringify(modeId ?? null)}`)));
      return;
    }
    session.mode = mode;
    reply(Outcome.of({}));
    this.#update(session, { sessionUpdate: "config_option_update", configOptions: configOptions(mode) });
  }

  #setOption(session: ElizaSession, { configId, value }: Params, reply: Reply): undefined {
    const mode = configId === modeOptionId ? parseModeId(value) : undefined;
    if (mode === undefined) {
      const problem = `the option ${JSON.stringify(configId ?? null)} does not accept the value ${JSON.stringify(value ?? null)}`;
      reply(Outcome.error(RpcError.invalidParams(problem)));
      return;
    }
    session.mode = mode;
    reply(Outcome.of({ configOptions: configOptions(mode) } satisfies SetSessionConfigOptionResponse));
    this.#update(session, { sessionUpdate: "current_mode_update", currentModeId: mode });
  }

  #prompt(session: ElizaSession, params: Params, reply: Reply): Cancel | undefined {
    const { servers } = session;
    const content = parsePromptContent(params["prompt"]);
    let problem: RpcError | undefined;
    if (servers === undefined) problem = sessionNotFound(session.id);
    else if (content === undefined) problem = RpcError.invalidParams('"prompt" must be a list of content blocks');
    else if (session.isInTurn)
      problem = RpcError.invalidRequest("the session is still in a prompt turn; cancel the turn or wait until it ends");
    if (servers === undefined || content === undefined || problem) {
      reply(Outcome.error(problem ?? sessionNotFound(session.id)));
      return undefined;
    }
    const controller = session.beginTurn(content.texts.join(" "));
    const { signal } = controller;
    for (const block of content.blocks) session.record({ sessionUpdate: "user_message_chunk", content: block });
    const turn = new Turn(session, servers, signal, this.client, this.options.yieldNow);
    void answerPrompt(turn, content).then(
      () => {
        session.endTurn();
        reply(Outcome.of({ stopReason: signal.aborted ? "cancelled" : "end_turn" } satisfies PromptResponse));
      },
      (thrown: unknown) => {
        session.endTurn();
        reply(Outcome.error(RpcError.internal(messageOf(thrown))));
      },
    );
    return () => controller.abort();
  }

  #update(session: ElizaSession, update: RecordedUpdate): void {
    this.client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId: session.id, update }));
  }
}

function closeFor(session: ElizaSession, reply: Reply): undefined {
  void session.close().then(
    () => reply(Outcome.of({})),
    (thrown: unknown) => reply(Outcome.error(RpcError.internal(messageOf(thrown)))),
  );
}

function sessionNotFound(sessionId: unknown): RpcError {
  const shown = JSON.stringify(sessionId ?? null);
  return new RpcError(rpcErrorCodes.notFound, `There is no open session ${shown}.`, { sessionId: sessionId ?? null });
}

function describeEliza(version: string): InitializeResponse {
  return {
    protocolVersion: acpVersion,
    agentInfo: { name: "eliza", title: "Eliza", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false, acp: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    },
    authMethods: [],
  };
}

const availableCommands: AvailableCommand[] = [
  { name: "help", description: "Shows what Eliza understands" },
  {
    name: "tools",
    description: "Lists the tools of the session's MCP servers",
    input: { hint: "server name (empty for all servers)" },
  },
];

interface SessionSetup {
  readonly cwd: string;
  readonly servers: readonly McpServerEntry[];
}

function parseSessionSetup(params: Readonly<Record<string, unknown>>): SessionSetup | string {
  const { cwd, mcpServers } = params;
  if (typeof cwd !== "string" || !isAbsolute(cwd))
    return `"cwd" must be an absolute path, got ${JSON.stringify(cwd ?? null)}.`;
  if (!Array.isArray(mcpServers)) return `"mcpServers" must be a list, got ${JSON.stringify(mcpServers ?? null)}.`;
  const servers: McpServerEntry[] = [];
  for (const value of mcpServers as readonly unknown[]) {
    const entry = parseMcpServerEntry(value);
    if (typeof entry === "string") return entry;
    servers.push(entry);
  }
  return { cwd, servers };
}

/** Accepts POSIX and Windows paths, since the client may run on another system. */
function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}
