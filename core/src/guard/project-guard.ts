import { acpMethods, isSessionEnd, sessionHandlers } from "../base/acp/methods.js";
import { sessionIdOf } from "../base/acp/session-message.js";
import { messageOf } from "../base/symposium-error.js";
import { rowOf, rowOfCommand } from "../agents/agent-quirks.js";
import { parseInitialized } from "../conductor/client/initialized-agent.js";
import { heldMethods, QueuedMessages } from "../conductor/chain/queued-messages.js";
import { subagentOwner } from "../conductor/chain/in-process-proxy.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../conductor/chain/proxy.js";
import { openedSessionId } from "../conductor/chain/session-resources.js";
import type { AgentRow } from "../agents/registry/agent-table.js";
import type { ProjectStarts } from "../agents/project-starts/project-start.js";
import { withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { type Notification, Outcome, Request } from "../base/rpc/message.js";
import type { Cancel, Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";
import type { Command } from "../base/command.js";
import { type FolderTrust, trustRemedy } from "../settings/trust/folder-trust.js";
import { type AgentStart, describeStarts, stillStarting } from "../agents/project-starts/agent-starts.js";
import type { ApprovalState, Approvals, AskedContent } from "../settings/project/approvals.js";

interface ProjectGuardParts {
  readonly trust: FolderTrust;
  readonly approvals: Approvals;
  /** Returns what the project files in a folder request; undefined if they request nothing. Never rejects. */
  readonly inspect: (
    cwd: string,
  ) => Promise<{ readonly asked: AskedContent; readonly state: ApprovalState } | undefined>;
  /** Returns the programs that an agent starts on its own in a folder. Never rejects. */
  readonly findStarts: (starts: ProjectStarts, cwd: string) => Promise<readonly AgentStart[]>;
  /** Command that starts the agent; absent for a built-in agent. */
  readonly command?: Command;
  readonly inherited: (name: string) => string | undefined;
}

interface Questions {
  readonly cwd: string;
  readonly asked?: AskedContent;
  /** Sentence that lists the programs that would run in the folder. */
  readonly reason?: string;
}

/**
 * Stops an agent from starting programs that an untrusted folder names. Before the first turn, asks the user about these programs and about
 * project files; the turn waits for the answer, and approvals apply from the next session.
 */
export function projectGuard(parts: ProjectGuardParts): Proxy {
  return { name: "project", connect: (chain) => new GuardedChain(chain, parts).handlers };
}

class GuardedChain {
  readonly handlers: ProxyHandlers;
  /** Questions for the users of each session. Each question is asked once. */
  readonly #questions = new Map<string, Questions>();
  /** Sessions whose users are being asked. The turns of these sessions wait. */
  readonly #asking = new Map<string, { readonly given: AbortController; readonly done: Promise<void> }>();
  /** Messages for sessions that wait for the decision whether they may open. */
  readonly #held = new QueuedMessages();
  #row: AgentRow | undefined;
  #agentName = "The agent";

  constructor(
    private readonly chain: ProxyChain,
    private readonly parts: ProjectGuardParts,
  ) {
    const { command } = parts;
    this.#row = command && rowOfCommand(command);
    const inTurn: RequestHandler = (request, reply) =>
      this.#held.request(request, reply, () => this.#passOn(request, reply));
    this.handlers = {
      clientRequests: {
        [acpMethods.initialize]: (request, reply) => this.#initialize(request, reply),
        ...sessionHandlers<RequestHandler>((request, reply) => this.#setUp(request, reply)),
        [acpMethods.sessionPrompt]: (request, reply) =>
          this.#held.request(request, reply, () => this.#prompt(request, reply)),
        ...Object.fromEntries(heldMethods.map((method) => [method, inTurn])),
      },
      clientNotifications: { [acpMethods.sessionCancel]: (notification) => this.#cancel(notification) },
      [Symbol.asyncDispose]: () => {
        for (const { given } of this.#asking.values()) given.abort();
        return Promise.resolve();
      },
    };
  }

  #initialize(request: Request, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const result = outcome.isError ? undefined : outcome.json.object;
      if (result) {
        const initialized = parseInitialized(result);
        this.#row = rowOf(initialized) ?? this.#row;
        this.#agentName = this.#row?.name ?? initialized.title ?? initialized.name ?? this.#agentName;
      }
      reply(outcome);
    });
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const cwd = request.params?.object?.["cwd"];
    if (typeof cwd !== "string") return this.chain.successor.request(request, reply);
    const place = this.#held.add(sessionIdOf(request.params));
    let sent: Cancel | undefined;
    const judging = this.#judge(request, cwd).catch((failure: unknown) => RpcError.internal(messageOf(failure)));
    void judging.then((judged) =>
      place.ready(() => {
        if (judged instanceof RpcError) reply(Outcome.error(judged));
        else sent = this.#send(judged.request, judged.questions, reply);
      }),
    );
    return () => {
      if (sent) sent();
      else if (place.leave()) reply(Outcome.error(RpcError.cancelled()));
    };
  }

  #passOn(request: Request, reply: Reply): Cancel {
    if (isSessionEnd(request.method)) this.#forget(sessionIdOf(request.params) ?? "");
    return this.chain.successor.request(request, reply);
  }

  #send(request: Request, questions: Questions | undefined, reply: Reply): Cancel {
    return this.chain.successor.request(request, (outcome) => {
      const sessionId = openedSessionId(request, outcome);
      if (sessionId !== undefined && questions && subagentOwner(request) === undefined) {
        this.#questions.set(sessionId, questions);
      }
      reply(outcome);
    });
  }

  /** Returns the request to forward, or the reason why no session may open in the folder. */
  async #judge(
    request: Request,
    cwd: string,
  ): Promise<{ readonly request: Request; readonly questions: Questions | undefined } | RpcError> {
    const starts = this.#row?.projectStarts;
    const [own, found] = await Promise.all([
      this.parts.inspect(cwd),
      starts && !(await this.parts.trust.isTrusted(cwd)) ? this.parts.findStarts(starts, cwd) : [],
    ]);
    const asked = own?.state === "unasked" ? own.asked : undefined;
    if (!starts || found.length === 0) return { request, questions: asked && { cwd, asked } };
    const { command, inherited } = this.parts;
    const running = stillStarting(starts, found, (name) => command?.env[name] ?? inherited(name));
    if (running.length > 0) return this.#refusal(cwd, running);
    const reason = this.#reason(starts, found);
    return { request: switchedOffIn(request, starts), questions: { cwd, reason, ...(asked && { asked }) } };
  }

  #reason({ off }: ProjectStarts, found: readonly AgentStart[]): string {
    const also = off.kind === "config" ? "" : `, together with ${off.alsoOff}`;
    return (
      `${this.#agentName} would start or use the following from this folder without asking:\n\n${describeStarts(found)}\n\nIt is ` +
      `disabled in this session${also}; your answer applies from the agent's next start in this folder.`
    );
  }

  #refusal(cwd: string, running: readonly AgentStart[]): RpcError {
    const message =
      `${this.#agentName} would start or use the following from the folder ${cwd} without asking, and runs in a way that can't ` +
      `prevent this:\n${describeStarts(running)}\nThe folder isn't trusted, so no session was opened.`;
    return RpcError.internal(`${message} ${trustRemedy(cwd)}`, { hint: trustRemedy(cwd) });
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const { successor } = this.chain;
    if (this.#questions.size === 0 && this.#asking.size === 0) return successor.request(request, reply);
    const sessionId = sessionIdOf(request.params);
    const asking = sessionId === undefined ? undefined : (this.#asking.get(sessionId) ?? this.#startAsking(sessionId));
    if (!asking) return successor.request(request, reply);
    const { given, done } = asking;
    let sent: Cancel | undefined;
    void done.then(() => {
      if (given.signal.aborted) reply(Outcome.of({ stopReason: "cancelled" }));
      else sent = successor.request(request, reply);
    });
    return () => {
      if (sent) sent();
      else given.abort();
    };
  }

  #startAsking(sessionId: string): { readonly given: AbortController; readonly done: Promise<void> } | undefined {
    const questions = this.#questions.get(sessionId);
    if (!questions) return undefined;
    this.#questions.delete(sessionId);
    const given = new AbortController();
    const done = this.#ask(sessionId, questions, given.signal).finally(() => this.#asking.delete(sessionId));
    const asking = { given, done };
    this.#asking.set(sessionId, asking);
    return asking;
  }

  /** Asks the session's user about the folder, and stores the answers. Never rejects. */
  async #ask(sessionId: string, { cwd, asked, reason }: Questions, signal: AbortSignal): Promise<void> {
    const { approvals, trust } = this.parts;
    const { client, logger } = this.chain;
    const asker = { client, sessionId, signal };
    try {
      const isTrusted = reason === undefined || (await trust.asked({ folder: cwd, reason, asker }));
      if (!isTrusted) logger.warn("a folder isn't trusted, so what it starts stays disabled", { folder: cwd });
      if (!asked || signal.aborted || (await approvals.stateOf(asked)) !== "unasked") return;
      const state = await approvals.ask(asked, asker);
      if (state !== "approved")
        logger.warn("a project's configuration isn't approved", { files: asked.files.join(" ") });
    } catch (failure) {
      logger.error("couldn't store an answer about a project", { reason: messageOf(failure) });
    }
  }

  /** Forgets an ended session and cancels its waiting turns, since nobody can answer its questions. */
  #forget(sessionId: string): void {
    this.#questions.delete(sessionId);
    this.#asking.get(sessionId)?.given.abort();
  }

  #cancel(notification: Notification): Notification | undefined {
    const isHeld = this.#held.notify(notification, () => {
      const passed = this.#cancel(notification);
      if (passed) this.chain.successor.notify(passed);
    });
    if (isHeld) return undefined;
    const sessionId = this.#asking.size === 0 ? undefined : sessionIdOf(notification.params);
    const asking = sessionId === undefined ? undefined : this.#asking.get(sessionId);
    asking?.given.abort();
    return asking ? undefined : notification;
  }
}

function switchedOffIn(request: Request, { off }: ProjectStarts): Request {
  if (off.kind !== "session" || !request.params) return request;
  return new Request(request.method, withMember(request.params, off.at, Json.of(off.value)));
}
