import { acpMethods, isSessionEnd, isSessionSetup } from "../../base/acp/methods.js";
import { announcedChild } from "../../base/acp/child-session.js";
import { answersIn, secretFieldsOf } from "../../base/acp/secret-answers.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { memberOf } from "../../base/rpc/json-edit.js";
import { asObject, type Json, stringOf, textOf } from "../../base/rpc/json.js";
import type { Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { continuedIn } from "./continued-session.js";
import type { SessionLog, SessionLogs, SessionOpening } from "./session-log.js";

interface SessionRecorderOptions {
  readonly agentOf: (sessionId: string) => string;
  /** Receives parameters that open a session, which may contain secrets. */
  readonly learn?: (params: unknown) => void;
  /** Receives the user's answers in secret form fields, which agents may repeat. */
  readonly learnSecret?: (answer: string) => void;
}

interface OpenSession {
  readonly log: SessionLog;
  readonly opening: SessionOpening;
}

/**
 * Observes the traffic with the editor and reports sessions to `logs`. Forwards each message immediately as the same object and doesn't
 * parse updates.
 */
export class SessionRecorder implements Disposable {
  readonly #open = new Map<string, OpenSession>();
  /** Sub-agents' sessions with their parents. */
  readonly #children = new Map<string, string>();
  #client: string | undefined;

  constructor(
    private readonly logs: SessionLogs,
    private readonly options: SessionRecorderOptions,
  ) {}

  /** Wraps `client` to record the messages that the agents send. */
  towardClient(client: Peer): Peer {
    return {
      request: (request, reply) => client.request(request, this.#noting(request, reply)),
      notify: (notification) => {
        client.notify(notification);
        if (notification.method !== acpMethods.sessionUpdate) return;
        if (notification.params) this.#update(notification.params);
      },
    };
  }

  /** Wraps `agent` to record the messages that the editor sends. */
  towardAgent(agent: Peer): Peer {
    return {
      request: (request, reply) => this.#request(agent, request, reply),
      notify: (notification) => agent.notify(notification),
    };
  }

  [Symbol.dispose](): void {
    for (const { log } of this.#open.values()) log.close();
    this.#open.clear();
  }

  /** Records sub-agents' activity in the parent session. */
  #update(params: Json): void {
    const id = sessionIdOf(params) ?? "";
    const parent = this.#children.get(id);
    const log = this.#open.get(parent ?? id)?.log;
    if (!log) return;
    const child = announcedChild(params);
    if (child !== undefined && !this.#open.has(child)) this.#children.set(child, parent ?? id);
    if (parent === undefined) log.update(params.text);
    else log.child(params.text);
  }

  #request(agent: Peer, request: Request, reply: Reply): Cancel {
    const { method } = request;
    if (method === acpMethods.initialize) this.#client = clientName(request);
    else if (isSessionSetup(method)) return this.#setUp(agent, request, reply);
    else if (method === acpMethods.sessionPrompt) return this.#prompt(agent, request, reply);
    else if (method === acpMethods.sessionSteering) return this.#steer(agent, request, reply);
    else if (isSessionEnd(method)) return this.#end(agent, request, reply);
    return agent.request(request, reply);
  }

  #setUp(agent: Peer, request: Request, reply: Reply): Cancel {
    const { method, params } = request;
    this.options.learn?.(params?.object);
    const known = method === acpMethods.sessionLoad || method === acpMethods.sessionResume;
    const id = known ? sessionIdOf(params) : undefined;
    if (id !== undefined) {
      const isNew = !this.#open.has(id);
      const log = this.#open.get(id)?.log ?? this.#begin(id, request, true);
      log.replays();
      return agent.request(request, (outcome) => {
        log.replayed(!outcome.isError);
        if (outcome.isError && isNew) this.#close(id);
        reply(outcome);
      });
    }
    return agent.request(request, (outcome) => {
      // Updates that arrive before the answer that opens a session belong to no session, as in the editor.
      const opened = outcome.isError ? undefined : sessionIdOf(outcome.json);
      if (opened !== undefined) {
        this.#close(opened);
        this.#begin(opened, request, false, method === acpMethods.sessionFork);
      }
      reply(outcome);
    });
  }

  #begin(id: string, request: Request, hasHistory: boolean, isFork = false): SessionLog {
    const copyOf = isFork ? sessionIdOf(request.params) : undefined;
    const copyUntil = isFork ? forkPoint(request) : undefined;
    const cwd = request.params?.object?.["cwd"];
    const continues = hasHistory ? undefined : continuedIn(request.params?.object);
    const opening: SessionOpening = {
      id,
      cwd: textOf(cwd),
      agent: this.options.agentOf(id),
      ...(this.#client !== undefined && { client: this.#client }),
      ...(continues && { continues }),
      hasHistory,
      ...(copyOf !== undefined && { copyOf }),
      ...(copyUntil !== undefined && { copyUntil }),
    };
    const log = this.logs.open(opening);
    this.#open.set(id, { log, opening });
    return log;
  }

  #prompt(agent: Peer, request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params) ?? "";
    const log = this.#open.get(id)?.log;
    const blocks = log && request.params && memberOf(request.params, "prompt");
    if (!blocks) return agent.request(request, reply);
    log.prompt(blocks.text, request.params);
    return agent.request(request, (outcome) => {
      reply(outcome);
      log.end(outcome.json.text, this.options.agentOf(id));
    });
  }

  /**
   * Records a message that the user sends into a running turn. Agents don't repeat such messages, so each is recorded as an update, which a
   * replay includes.
   */
  #steer(agent: Peer, request: Request, reply: Reply): Cancel {
    const sessionId = sessionIdOf(request.params) ?? "";
    return agent.request(request, (outcome) => {
      reply(outcome);
      const log = this.#open.get(sessionId)?.log;
      if (!log || outcome.isError || outcome.json.object?.["outcome"] !== "injected") return;
      const blocks: unknown = request.params?.object?.["prompt"];
      for (const content of Array.isArray(blocks) ? (blocks as readonly unknown[]) : []) {
        log.update(JSON.stringify({ sessionId, update: { sessionUpdate: "user_message_chunk", content } }), true);
      }
    });
  }

  #end(agent: Peer, request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params);
    if (id === undefined) return agent.request(request, reply);
    // Get the agent's name now, since it is unknown after the deletion.
    const name = this.options.agentOf(id);
    return agent.request(request, (outcome) => {
      reply(outcome);
      if (outcome.isError) return;
      if (request.method === acpMethods.sessionDelete) {
        this.logs.forget({ id, agent: name, cwd: this.#open.get(id)?.opening.cwd });
      }
      this.#close(id);
    });
  }

  #close(id: string): void {
    this.#open.get(id)?.log.close();
    this.#open.delete(id);
    for (const [child, parent] of this.#children) if (parent === id) this.#children.delete(child);
  }

  #noting(request: Request, reply: Reply): Reply {
    if (request.method === acpMethods.createElicitation) {
      const fields = secretFieldsOf(request.params?.object);
      if (fields.length === 0) return reply;
      return (outcome) => {
        for (const answer of answersIn(outcome.json.object, fields)) this.options.learnSecret?.(answer);
        reply(outcome);
      };
    }
    if (request.method !== acpMethods.requestPermission) return reply;
    const { params } = request;
    const id = sessionIdOf(params) ?? "";
    const log = this.#open.get(this.#children.get(id) ?? id)?.log;
    if (!log || !params) return reply;
    const askedAt = Date.now();
    return (outcome) => {
      reply(outcome);
      log.permission(params.text, outcome.json.text, askedAt);
    };
  }
}

function clientName(request: Request): string | undefined {
  const { name } = asObject(request.params?.object?.["clientInfo"]) ?? {};
  return stringOf(name);
}

/** Returns the agent message with which a `session/fork` should end; undefined if unspecified. */
function forkPoint(request: Request): string | undefined {
  const path = ["_meta", "jetbrains", "air", "fork"];
  const fork = path.reduce<unknown>((value, name) => asObject(value)?.[name], request.params?.object);
  const messageId = asObject(fork)?.["messageId"];
  return stringOf(messageId);
}
