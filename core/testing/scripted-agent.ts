import { acpMethods, acpVersion, isSessionSetup } from "../src/base/acp/methods.js";
import type { Agent, ConnectedAgent } from "../src/conductor/chain/component.js";
import { memberOf } from "../src/base/rpc/json-edit.js";
import { Json } from "../src/base/rpc/json.js";
import { Notification, Outcome, type Request } from "../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../src/base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../src/base/rpc/rpc-error.js";
import { type Faults, inProcessFaults } from "./faults.js";
import { type Flow, FlowGate } from "../src/base/flow-gate.js";
import { arrayMember, objectMember, stringMember } from "./members.js";
import { sampleConfigOptions, sampleModes } from "./sample-updates.js";
import { ScriptTurn } from "./script-turn.js";
import { runScript } from "./script.js";

export interface ScriptedAgentOptions {
  /** `agentInfo.name`, and the component's name; `scripted-agent` when absent. */
  readonly name?: string;
  /** Members that replace those of {@link scriptedAgentCapabilities}. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** The version it answers, whatever the client asked; 1 when absent. */
  readonly protocolVersion?: number;
  /** Sessions are refused with -32000 until `authenticate` with the method `scripted`. */
  readonly authRequired?: boolean;
  /** Milliseconds until `initialize` is answered. */
  readonly slowStartMs?: number;
  /** Exits with this code when `initialize` arrives. */
  readonly diesAtInitialize?: number;
  readonly neverAnswersInitialize?: boolean;
  /** Announces `_session/steering`; text with `refuse` in it is not taken. */
  readonly takesSteering?: boolean;
  /** Misbehaviour of the agent's process. By default, each fault throws, because the agent runs in the test's process. */
  readonly faults?: Faults;
  /** The channel whose back-pressure `stream` honours. */
  readonly flow?: Flow;
}

/** Default `agentCapabilities` in a scripted agent's answer to `initialize`. */
export const scriptedAgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, delete: {}, additionalDirectories: {}, resume: {}, close: {}, fork: {} },
  auth: { logout: {} },
} as const;

/**
 * An ACP v1 agent that does what prompts tell it, one command a line (`help` lists them). The vendor request
 * `_test/received` answers `{received: [{kind, method, params?}]}`, the latest messages it got, as raw text;
 * `_test/echo` answers its own parameters.
 */
export class ScriptedAgent implements Agent {
  readonly name: string;

  constructor(private readonly options: ScriptedAgentOptions = {}) {
    this.name = options.name ?? "scripted-agent";
  }

  connect(client: Peer): ConnectedAgent {
    return {
      fromClient: new ScriptedConnection(client, { faults: inProcessFaults, ...this.options, name: this.name }),
    };
  }
}

interface Session {
  readonly cwd: string;
  readonly mcpServers: Json;
  turn: ScriptTurn | undefined;
}

interface ScriptedConnectionOptions extends ScriptedAgentOptions {
  readonly name: string;
  readonly faults: Faults;
}

const authMethod = { id: "scripted", name: "Scripted login", description: "Succeeds at once" };

/** Scripted agent's connection to one client. */
class ScriptedConnection implements Peer {
  readonly #sessions = new Map<string, Session>();
  readonly #received = new ReceivedLog();
  readonly #flow: FlowGate;
  #nextSession = 1;
  #isAuthenticated: boolean;
  #clientCapabilities: Readonly<Record<string, unknown>> | undefined;

  constructor(
    private readonly client: Peer,
    private readonly options: ScriptedConnectionOptions,
  ) {
    this.#flow = new FlowGate(options.flow);
    this.#isAuthenticated = options.authRequired !== true;
  }

  request(request: Request, reply: Reply): Cancel {
    const { method, params } = request;
    if (method === "_test/received") return answer(reply, this.#received.outcome);
    this.#received.add("request", method, params);
    if (method === acpMethods.initialize) return this.#initialize(params, reply);
    if (this.#clientCapabilities === undefined) {
      return answer(reply, Outcome.error(RpcError.invalidRequest("expected `initialize` request")));
    }
    if (method === acpMethods.sessionPrompt) return this.#prompt(params, reply);
    return answer(reply, this.#answerTo(method, params));
  }

  notify({ method, params }: Notification): void {
    this.#received.add("notification", method, params);
    if (method === acpMethods.sessionCancel) this.#session(params)?.turn?.cancel("session/cancel");
  }

  #initialize(params: Json | undefined, reply: Reply): Cancel {
    const { options } = this;
    if (options.diesAtInitialize !== undefined) {
      options.faults.writeStderr("scripted death at initialize\n");
      options.faults.exit(options.diesAtInitialize);
      return nothingToCancel;
    }
    if (options.neverAnswersInitialize === true) return nothingToCancel;
    this.#clientCapabilities = objectMember(params, "clientCapabilities") ?? {};
    const outcome = Outcome.of({
      protocolVersion: options.protocolVersion ?? acpVersion,
      agentCapabilities: { ...scriptedAgentCapabilities, ...options.capabilities },
      authMethods: [authMethod],
      agentInfo: { name: options.name, title: "Scripted agent", version: "1.0.0" },
      ...(options.takesSteering === true && { _meta: { steering: { supported: true } } }),
    });
    if (options.slowStartMs === undefined) return answer(reply, outcome);
    setTimeout(() => reply(outcome), options.slowStartMs);
    return nothingToCancel;
  }

  #prompt(params: Json | undefined, reply: Reply): Cancel {
    const session = this.#session(params);
    if (session === undefined) return answer(reply, notFound(params));
    if (session.turn)
      return answer(reply, Outcome.error(RpcError.invalidRequest("the session has an open prompt turn")));
    const turn = new ScriptTurn({
      sessionId: stringMember(params, "sessionId") ?? "",
      cwd: session.cwd,
      mcpServers: session.mcpServers,
      clientCapabilities: this.#clientCapabilities ?? {},
      client: this.client,
      faults: this.options.faults,
      flow: this.#flow,
    });
    session.turn = turn;
    void runScript(turn, textOf(params)).then((outcome) => {
      session.turn = undefined;
      reply(outcome);
    });
    return () => turn.cancel("$/cancel_request");
  }

  #answerTo(method: string, params: Json | undefined): Outcome {
    switch (method) {
      case acpMethods.authenticate:
        return this.#authenticate(params);
      case "logout":
        this.#isAuthenticated = this.options.authRequired !== true;
        return Outcome.of({});
      case "_test/echo":
        return Outcome.result(params ?? Json.null);
      case acpMethods.sessionSteering:
        if (this.options.takesSteering === true) return this.#steer(params);
    }
    if (!method.startsWith("session/")) return Outcome.error(RpcError.methodNotFound(method));
    if (!this.#isAuthenticated) {
      return Outcome.error(
        new RpcError(rpcErrorCodes.authRequired, "Authentication required", { authMethods: [authMethod] }),
      );
    }
    if (isSessionSetup(method)) return this.#open(method, params);
    if (method === "session/list") return Outcome.of({ sessions: this.#listed });
    return this.#answerInSession(method, params);
  }

  #authenticate(params: Json | undefined): Outcome {
    const methodId = stringMember(params, "methodId");
    if (methodId !== authMethod.id) {
      return Outcome.error(RpcError.invalidParams(`there is no authentication method "${methodId ?? ""}"`));
    }
    this.#isAuthenticated = true;
    return Outcome.of({});
  }

  #steer(params: Json | undefined): Outcome {
    const session = this.#session(params);
    if (session === undefined) return notFound(params);
    if (session.turn === undefined) return Outcome.of({ outcome: "promptRequired", reason: "noRunningTurn" });
    const text = textOf(params);
    if (text.includes("refuse")) return Outcome.of({ outcome: "failed", reason: "It was told to refuse." });
    session.turn.steer(text);
    return Outcome.of({ outcome: "injected" });
  }

  #open(method: string, params: Json | undefined): Outcome {
    const isNew = method === acpMethods.sessionNew || method === acpMethods.sessionFork;
    const sessionId = isNew ? `session-${this.#nextSession++}` : stringMember(params, "sessionId");
    if (sessionId === undefined) return Outcome.error(RpcError.invalidParams(`${method} needs a sessionId`));
    const mcpServers = (params && memberOf(params, "mcpServers")) ?? Json.ofText("[]");
    this.#sessions.set(sessionId, { cwd: stringMember(params, "cwd") ?? "/", mcpServers, turn: undefined });
    if (method === acpMethods.sessionLoad) this.#replay(sessionId);
    return Outcome.of({ ...(isNew ? { sessionId } : {}), modes: sampleModes, configOptions: this.#configOptions });
  }

  /** The history of a loaded session: one question and its answer. */
  #replay(sessionId: string): void {
    const chunks = [
      ["user_message_chunk", "An earlier question"],
      ["agent_message_chunk", "An earlier answer\n"],
    ] as const;
    for (const [sessionUpdate, text] of chunks)
      this.#update(sessionId, { sessionUpdate, content: { type: "text", text } });
  }

  #answerInSession(method: string, params: Json | undefined): Outcome {
    const session = this.#session(params);
    const sessionId = stringMember(params, "sessionId") ?? "";
    if (session === undefined) return notFound(params);
    switch (method) {
      case acpMethods.sessionClose:
      case acpMethods.sessionDelete:
        session.turn?.cancel("session/cancel");
        this.#sessions.delete(sessionId);
        return Outcome.of({});
      case "session/set_mode":
        this.#update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: params?.object?.["modeId"] });
        return Outcome.of({});
      case "session/set_config_option":
        return Outcome.of({ configOptions: this.#configOptionsWith(params) });
      default:
        return Outcome.error(RpcError.methodNotFound(method));
    }
  }

  get #configOptions(): readonly { readonly id: string }[] {
    const session = Json.of(this.#clientCapabilities?.["session"]);
    const takesBooleans = objectMember(Json.of(objectMember(session, "configOptions")), "boolean") !== undefined;
    return sampleConfigOptions.filter((option) => takesBooleans || option.type !== "boolean");
  }

  #configOptionsWith(params: Json | undefined): unknown[] {
    const { configId, value } = params?.object ?? {};
    return this.#configOptions.map((option) => (option.id === configId ? { ...option, currentValue: value } : option));
  }

  get #listed(): unknown[] {
    return [...this.#sessions].map(([sessionId, { cwd }]) => ({ sessionId, cwd, title: `Session ${sessionId}` }));
  }

  #session(params: Json | undefined): Session | undefined {
    return this.#sessions.get(stringMember(params, "sessionId") ?? "");
  }

  #update(sessionId: string, update: Readonly<Record<string, unknown>>): void {
    this.client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  }
}

function textOf(params: Json | undefined): string {
  return arrayMember(params, "prompt")
    .map((block) => stringMember(block, "text") ?? "")
    .join("\n");
}

function answer(reply: Reply, outcome: Outcome): Cancel {
  reply(outcome);
  return nothingToCancel;
}

function notFound(params: Json | undefined): Outcome {
  const sessionId = stringMember(params, "sessionId");
  return Outcome.error(
    new RpcError(rpcErrorCodes.notFound, `Session not found: ${sessionId ?? "(none)"}`, { sessionId }),
  );
}

const kept = 500;

/** The latest messages of one connection, as raw text. Bounded, so that long runs stay flat in memory. */
class ReceivedLog {
  readonly #entries: string[] = [];

  add(kind: "request" | "notification", method: string, params: Json | undefined): void {
    const tail = params === undefined ? "" : `,"params":${params.text}`;
    this.#entries.push(`{"kind":"${kind}","method":${JSON.stringify(method)}${tail}}`);
    if (this.#entries.length > kept) this.#entries.shift();
  }

  /** `{received: [{kind, method, params?}]}`, oldest first. */
  get outcome(): Outcome {
    return Outcome.result(Json.ofText(`{"received":[${this.#entries.join(",")}]}`));
  }
}
