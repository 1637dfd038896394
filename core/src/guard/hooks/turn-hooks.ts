import { canBypass, hasOwnAnswers } from "../../base/acp/must-ask.js";
import { type Mark, markedBlock, withoutMarked } from "../../base/acp/marked-text.js";
import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import { sessionIdOf, updateKindOf } from "../../base/acp/session-message.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, objectsOf, stringOf, textOf } from "../../base/rpc/json.js";
import { type Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../../base/rpc/peer.js";
import { untilAborted } from "../../base/until-aborted.js";
import { rowOf } from "../../agents/agent-quirks.js";
import { subagentOwner } from "../../conductor/chain/in-process-proxy.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../../conductor/chain/proxy.js";
import { openedSessionId } from "../../conductor/chain/session-resources.js";
import { parseInitialized } from "../../conductor/client/initialized-agent.js";
import { continuedTurnResult } from "../continued-turn-result.js";
import { asksYesOrNo, optionOf } from "../permission-options.js";
import type { HookAnswer } from "./hook-answer.js";
import { HookedSession, type HookedSessions, type HookedTurn, type OpenHooks } from "./hooked-session.js";
import { cancelled, refusalOf } from "./tool-hooks.js";

interface TurnHooksOptions {
  readonly open: OpenHooks;
  /** Milliseconds that a question stays unanswered before the Notification event. */
  readonly questionMs?: number;
  /** Milliseconds after a turn before the Notification event. */
  readonly idleMs?: number;
}

const hooksMark: Mark = { tag: "symposium-hooks", uri: "symposium://hooks" };

const cancelledTurn = Outcome.of({ stopReason: "cancelled" });

/** Maximum number of times that Stop hooks continue one turn. */
const maxContinuations = 8;

const sources: Readonly<Record<string, string>> = {
  [acpMethods.sessionNew]: "startup",
  [acpMethods.sessionFork]: "fork",
};

/**
 * Raises the events of sessions, prompts and questions. Must be nearer to the editor than the rules and the session's context, so that hooks
 * see the user's own prompts and only the questions that no rule answers.
 */
export function turnHooks(sessions: HookedSessions, options: TurnHooksOptions): Proxy {
  return { name: "hooks", connect: (chain) => new TurnHooks(chain, sessions, options).handlers };
}

class TurnHooks {
  readonly handlers: ProxyHandlers;
  /** SessionEnd hooks that are running. */
  readonly #closing = new Set<Promise<void>>();
  readonly #idle = new Map<HookedSession, ReturnType<typeof setTimeout>>();

  constructor(
    private readonly chain: ProxyChain,
    private readonly sessions: HookedSessions,
    private readonly options: TurnHooksOptions,
  ) {
    this.handlers = {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) => this.#initialize(request, reply),
        ...sessionHandlers<RequestHandler>(
          (request, reply) => this.#setUp(request, reply),
          (request, reply) => this.#end(request, reply),
        ),
        [acpMethods.sessionPrompt]: (request, reply) => this.#prompt(request, reply),
      },
      clientNotifications: { [acpMethods.sessionCancel]: (notification) => this.#cancel(notification) },
      agentRequests: {
        [acpMethods.requestPermission]: (request, reply) => this.#permission(request, reply),
        [acpMethods.createElicitation]: (request, reply) => this.#question(request, reply, "elicitation_dialog"),
      },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#update(notification) },
      [Symbol.asyncDispose]: async () => {
        for (const session of sessions.all) this.#close(session);
        await Promise.all(this.#closing);
      },
    };
  }

  #initialize(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const result = outcome.isError ? undefined : outcome.json.object;
      if (result) {
        const initialized = parseInitialized(result);
        const row = rowOf(initialized);
        Object.assign(this.sessions.agent, {
          name: row?.name ?? initialized.title ?? initialized.name ?? "The agent",
          titlesCommands: row?.titlesCommands === true,
          isClaude: row?.id === "claude-code",
          takesResources: initialized.accepts.embeddedContext && row?.dropsResources !== true,
        });
      }
      reply(outcome);
    });
  }

  /** Forwards the opening after the session's hooks are known, so that no later message precedes them. */
  #setUp(request: Request, reply: Reply): Cancel {
    const { client, successor } = this.chain;
    const cwd = stringOf(request.params?.object?.["cwd"]);
    if (cwd === undefined || subagentOwner(request) !== undefined) return successor.request(request, reply);
    const hooks = this.options.open({ cwd, runsOwn: this.sessions.agent.isClaude });
    return deferredRequest(hooks, (found) =>
      successor.request(request, (outcome) => {
        const id = openedSessionId(request, outcome);
        if (id !== undefined && found) {
          const session = new HookedSession(id, cwd, found, client, this.sessions);
          this.sessions.add(session);
          const source = sources[request.method] ?? "resume";
          session.await(
            session.run("SessionStart", { source }).then(({ context }) => session.context.push(...context)),
          );
        }
        reply(outcome);
      }),
    );
  }

  #end(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const session = outcome.isError ? undefined : this.sessions.remove(sessionIdOf(request.params) ?? "");
      if (session) this.#close(session);
      reply(outcome);
    });
  }

  #close(session: HookedSession): void {
    this.#isBusy(session);
    const ended = session.run("SessionEnd", { reason: "other" });
    const closed = ended.then(() => session.close()).then(() => void this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const session = this.sessions.of(sessionIdOf(request.params));
    if (!session) return this.chain.successor.request(request, reply);
    this.#isBusy(session);
    session.promptId = crypto.randomUUID();
    const turn: HookedTurn = { stop: new AbortController(), isSent: false };
    session.turns.add(turn);
    const prepared = untilAborted(this.#prepared(session, turn, request), turn.stop.signal).catch(() => cancelledTurn);
    const cancel = deferredRequest(prepared, (ready) => {
      const answer = turn.stop.signal.aborted ? cancelledTurn : ready;
      if (answer instanceof Request) return this.#send({ session, turn, reply, continued: 0 }, answer);
      session.turns.delete(turn);
      reply(answer);
      return undefined;
    });
    return () => {
      turn.stop.abort();
      cancel();
    };
  }

  /** Returns the prompt with the hooks' texts, or the answer to a blocked prompt. Never rejects. */
  async #prepared(session: HookedSession, turn: HookedTurn, request: Request): Promise<Request | Outcome> {
    await session.settled();
    const blocks = objectsOf(request.params?.object?.["prompt"]);
    const prompt = blocks.flatMap(({ type, text }) => (type === "text" ? [textOf(text)] : [])).join("\n");
    const answer = await session.run("UserPromptSubmit", { prompt }, { turn });
    // Keep the session's context for the next prompt.
    if (answer.isCancelled || turn.stop.signal.aborted) return cancelledTurn;
    if (answer.decision === "deny" || answer.stop !== undefined) {
      const reason = answer.reason ?? answer.stop ?? "";
      session.show([reason === "" ? "A hook blocked this prompt." : `A hook blocked this prompt: ${reason}`]);
      return Outcome.of({ stopReason: "refusal" });
    }
    return this.#withContext(session, request, answer.context);
  }

  #withContext(session: HookedSession, request: Request, more: readonly string[] = []): Request {
    const texts = [...session.context.splice(0), ...more];
    const { params, method } = request;
    const blocks = params && elementsOf(memberOf(params, "prompt") ?? Json.null);
    if (texts.length === 0 || !blocks) return request;
    const block = markedBlock(texts.join("\n\n"), hooksMark, this.sessions.agent.takesResources);
    return new Request(method, withMember(params, ["prompt"], arrayOf([...blocks, block])));
  }

  #send(going: GoingTurn, prompt: Request): Cancel {
    const { session, turn, reply, before } = going;
    turn.isSent = true;
    session.lastMessage = "";
    return this.chain.successor.request(prompt, (outcome) => {
      const all = before ? continuedTurnResult(before, outcome) : outcome;
      const isEnd = !outcome.isError && outcome.json.object?.["stopReason"] === "end_turn";
      if (isEnd && session.hooks.has("Stop")) void this.#stopping({ ...going, before: all });
      else this.#finish(session, turn, () => reply(all));
    });
  }

  /** Runs the Stop hooks, and continues the turn if one of them wants that. Never rejects. */
  async #stopping(going: GoingTurn & { readonly before: Outcome }): Promise<void> {
    const { session, turn, reply, continued, before } = going;
    const { signal } = turn.stop;
    await untilAborted(session.settled(), signal).catch(() => undefined);
    const answer = signal.aborted ? undefined : await session.run("Stop", this.#stopInput(going), { turn });
    const reasons = answer && [...(answer.decision === "deny" ? [answer.reason ?? ""] : []), ...answer.context];
    const isOver = !reasons || reasons.length === 0 || answer.stop !== undefined || signal.aborted;
    if (!isOver && continued < maxContinuations) {
      const text = reasons.filter((one) => one !== "").join("\n\n") || "A hook asks you to continue.";
      session.show([`A Stop hook continues the turn: ${text}`]);
      const prompt = Request.of(acpMethods.sessionPrompt, { sessionId: session.id, prompt: [{ type: "text", text }] });
      this.#send({ ...going, continued: continued + 1 }, this.#withContext(session, prompt));
      return;
    }
    if (!isOver)
      session.show([`The turn ends although a Stop hook wants to continue it: it did so ${continued} times.`]);
    if (answer?.stop) session.show([answer.stop]);
    this.#finish(session, turn, () => reply(before));
  }

  #stopInput({ session, continued }: GoingTurn): Readonly<Record<string, unknown>> {
    const last = session.lastMessage;
    return { stop_hook_active: continued > 0, last_assistant_message: last, background_tasks: [], session_crons: [] };
  }

  #finish(session: HookedSession, turn: HookedTurn, reply: () => void): void {
    session.turns.delete(turn);
    const wait = this.options.idleMs ?? 60_000;
    const timer = this.#notifyLater(session, wait, "idle_prompt", "is waiting for your input");
    if (timer !== undefined) this.#idle.set(session, timer);
    reply();
  }

  #isBusy(session: HookedSession): void {
    const timer = this.#idle.get(session);
    if (timer !== undefined) clearTimeout(timer);
    this.#idle.delete(session);
  }

  #notifyLater(
    session: HookedSession,
    ms: number,
    type: string,
    what: string,
  ): ReturnType<typeof setTimeout> | undefined {
    if (!session.hooks.has("Notification")) return undefined;
    const message = `${this.sessions.agent.name} ${what}`;
    const timer = setTimeout(() => void session.run("Notification", { message, notification_type: type }), ms);
    timer.unref?.();
    return timer;
  }

  #cancel(notification: Notification): Notification | undefined {
    const turns = [...(this.sessions.of(sessionIdOf(notification.params))?.turns ?? [])];
    for (const { stop } of turns) stop.abort();
    // The agent doesn't have the prompts that wait for hooks.
    return turns.length > 0 && turns.every(({ isSent }) => !isSent) ? undefined : notification;
  }

  #permission(request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params);
    const session = this.sessions.of(id);
    const ask = (): Cancel => this.#question(request, reply, "permission_prompt");
    if (this.sessions.allowed.has(request)) return answered(request, reply, "allow_once") ?? ask();
    const params = request.params?.object;
    const open = session?.merged(asObject(params?.["toolCall"]));
    const isOwn = !canBypass(params) || hasOwnAnswers(params);
    if (!session || !open || isOwn || !session.hooks.has("PermissionRequest")) return ask();
    const judged = session.runFor("PermissionRequest", session.callsOf(open), () => this.sessions.subagentOf(id));
    return deferredRequest(judged, (answer, isCancelled) => {
      if (isCancelled || answer.isCancelled) {
        reply(cancelled);
        return undefined;
      }
      return this.#permitted(session, request, reply, answer) ?? ask();
    });
  }

  /** Answers a permission request as the hooks decided. Returns undefined if the user should decide. */
  #permitted(session: HookedSession, request: Request, reply: Reply, answer: HookAnswer): Cancel | undefined {
    session.context.push(...answer.context);
    const allowed =
      answer.decision === "allow" && asksYesOrNo(request) ? answered(request, reply, "allow_once") : undefined;
    if (answer.decision !== "deny" && answer.stop === undefined) return allowed;
    const text = `A hook denied this${answer.reason ? `: ${answer.reason}` : "."}`;
    session.show([text]);
    session.context.push(text);
    reply(refusalOf(request));
    if (answer.stop !== undefined) session.endTurns(this.chain.successor, answer.stop);
    return () => undefined;
  }

  /** Forwards a question to the user, and raises Notification if it stays unanswered. */
  #question(request: Request, reply: Reply, type: string): Cancel {
    const session = this.sessions.of(sessionIdOf(request.params));
    const wait = this.options.questionMs ?? 6_000;
    const timer = session && this.#notifyLater(session, wait, type, "needs your permission or answer");
    return this.chain.client.request(request, (outcome) => {
      if (timer !== undefined) clearTimeout(timer);
      reply(outcome);
    });
  }

  #update(notification: Notification): Notification | undefined {
    const kind = updateKindOf(notification);
    if (kind === "user_message_chunk") return withoutMarked(notification, hooksMark);
    if (kind !== "agent_message_chunk" && kind !== "tool_call") return notification;
    const session = this.sessions.of(sessionIdOf(notification.params));
    const params = session?.hooks.has("Stop") === true ? notification.params?.object : undefined;
    if (params) session?.said(params);
    return notification;
  }
}

interface GoingTurn {
  readonly session: HookedSession;
  readonly turn: HookedTurn;
  readonly reply: Reply;
  /** How many times Stop hooks have continued the turn. */
  readonly continued: number;
  /** Result of the turn so far. */
  readonly before?: Outcome;
}

/** Answers a permission request with an option. Returns undefined if it has no such option. */
function answered(request: Request, reply: Reply, kind: "allow_once"): Cancel | undefined {
  const option = optionOf(request, kind);
  if (option === undefined) return undefined;
  reply(Outcome.of({ outcome: { outcome: "selected", optionId: option } }));
  return () => undefined;
}
