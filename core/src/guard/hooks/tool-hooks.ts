import { announcedChild } from "../../base/acp/child-session.js";
import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import { sessionIdOf, updateKindOf } from "../../base/acp/session-message.js";
import type { McpToolCall } from "../../base/mcp/mcp-server.js";
import { asObject, type Members, stringOf } from "../../base/rpc/json.js";
import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, deferredRequest, type Reply } from "../../base/rpc/peer.js";
import type { CallingSession, Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../../conductor/chain/proxy.js";
import { openedSessionId } from "../../conductor/chain/session-resources.js";
import { askUser } from "../../settings/trust/question.js";
import { serverNames } from "../open-tool-calls.js";
import { asksYesOrNo, forUserAlone, optionOf } from "../permission-options.js";
import { claudeResponseOf } from "./claude-tools.js";
import type { HookAnswer } from "./hook-answer.js";
import type { HookedSession, HookedSessions } from "./hooked-session.js";

/** Id prefix of permission requests that are questions of MCP servers. */
const questionIds = "elicitation-";

/**
 * Raises the events of tool calls. Must be nearer to the agent than the user's rules: PreToolUse hooks can deny a call that a rule allows,
 * but can't allow a call that a rule denies.
 */
export function toolHooks(sessions: HookedSessions): Proxy {
  return { name: "tool hooks", connect: (chain) => new ToolHooks(chain, sessions).handlers };
}

class ToolHooks {
  readonly handlers: ProxyHandlers;
  /** Answers whose texts are kept already, since a call's announcement and its permission request share one. */
  readonly #noted = new WeakSet<HookAnswer>();

  constructor(
    private readonly chain: ProxyChain,
    private readonly sessions: HookedSessions,
  ) {
    this.handlers = {
      clientRequests: sessionHandlers<RequestHandler>((request, reply) =>
        chain.successor.request(request, (outcome) => {
          const id = openedSessionId(request, outcome);
          if (id !== undefined) sessions.servers.set(id, serverNames(request));
          reply(outcome);
        }),
      ),
      agentRequests: { [acpMethods.requestPermission]: (request, reply) => this.#permission(request, reply) },
      agentNotifications: { [acpMethods.sessionUpdate]: (notification) => this.#observe(notification) },
      refuseTool: (call, session, signal) => this.#refuseTool(call, session, signal),
    };
  }

  #permission(request: Request, reply: Reply): Cancel {
    const { client } = this.chain;
    const id = sessionIdOf(request.params);
    const session = this.sessions.of(id);
    const asked = asObject(request.params?.object?.["toolCall"]);
    const isQuestion = stringOf(asked?.["toolCallId"])?.startsWith(questionIds) === true;
    const open = isQuestion ? undefined : session?.merged(asked);
    if (!session || !open || !session.hooks.has("PreToolUse")) return client.request(request, reply);
    const judged = session.preTool(open, this.sessions.subagentOf(id));
    return deferredRequest(judged, (answer, isCancelled) => {
      if (isCancelled || answer.isCancelled) {
        reply(cancelled);
        return undefined;
      }
      this.#note(session, answer);
      switch (answer.stop === undefined ? answer.decision : "deny") {
        case "deny":
          open.isRefused = true;
          reply(refusalOf(request));
          this.#tell(session, `denied ${toolOf(session, open)}`, answer);
          return undefined;
        case "ask":
          if (answer.reason) session.show([`A hook asks you to decide: ${answer.reason}`]);
          return client.request(forUserAlone(request), reply);
        case "allow":
          if (asksYesOrNo(request)) this.sessions.allowed.add(request);
          break;
        case undefined:
      }
      return client.request(request, reply);
    });
  }

  #observe(notification: Notification): Notification {
    const id = sessionIdOf(notification.params);
    const session = this.sessions.of(id);
    if (!session) return notification;
    const kind = updateKindOf(notification);
    if (kind === "subagent_update" && notification.params) {
      const child = announcedChild(notification.params);
      if (child !== undefined) this.sessions.adopt(session.id, child);
    }
    if (kind !== "tool_call" && kind !== "tool_call_update") return notification;
    const open = session.merged(asObject(notification.params?.object?.["update"]));
    const status = open?.call["status"];
    if (open && (status === "in_progress" || status === "completed" || status === "failed")) {
      session.await(this.#watch(session, open, this.sessions.subagentOf(id)));
    }
    return notification;
  }

  /** Runs the hooks for a call that has begun or finished. Never rejects. */
  async #watch(session: HookedSession, open: Open, subagent: Members): Promise<void> {
    const { status, toolCallId } = open.call;
    const isFinished = status !== "in_progress";
    const [first] = session.callsOf(open);
    const isKnown = isFinished || Object.keys(first?.input ?? {}).length > 0;
    if (!open.judged && isKnown && session.hooks.has("PreToolUse")) {
      this.#note(session, await session.preTool(open, subagent));
    }
    if (!isFinished || open.isFinished) return;
    open.isFinished = true;
    const judged = await open.judged?.answer;
    if (judged?.decision === "deny" && !open.isRefused) {
      this.#tell(session, `would deny ${toolOf(session, open)}, but the agent didn't ask`, judged);
    }
    if (status !== "completed") return;
    const calls = session.callsOf(open);
    const response = (call: (typeof calls)[number]): Members => ({
      tool_response: claudeResponseOf(open.call, call),
      tool_use_id: toolCallId,
      ...subagent,
    });
    this.#note(session, await session.runFor("PostToolUse", calls, response));
    if (first?.tool !== "Agent" && first?.tool !== "Task") return;
    const input = {
      stop_hook_active: false,
      agent_id: toolCallId,
      agent_type: stringOf(first.input["subagent_type"]) ?? "",
      last_assistant_message: asObject(claudeResponseOf({ content: open.call["content"] }, first))?.["content"],
    };
    const answer = await session.run("SubagentStop", input);
    // The sub-agent has ended, so only the agent itself can act on the reason.
    session.context.push(...answer.context, ...(answer.reason ? [answer.reason] : []));
  }

  async #refuseTool(
    { server, tool, arguments: args }: McpToolCall,
    { sessionId }: CallingSession,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const session = this.sessions.of(sessionId);
    if (!session?.hooks.has("PreToolUse")) return undefined;
    const call = { tool: `mcp__${server}__${tool}`, input: asObject(args) ?? {} };
    const answer = await session.preServerTool(call);
    this.#note(session, answer);
    if (answer.isCancelled) return "The turn has ended.";
    const text = answer.reason ?? answer.stop;
    const reason = text ? ` ${text}` : "";
    if (answer.decision === "deny" || answer.stop !== undefined) return `A hook denies this.${reason}`;
    if (answer.decision !== "ask") return undefined;
    const chosen = await askUser(
      { client: this.chain.client, sessionId: session.id, signal },
      {
        title: `Call ${tool} of the MCP server ${server}`,
        text: `A hook asks you to decide.${reason}\n${JSON.stringify(args).slice(0, 2_000)}`,
        options: {
          allow: { name: "Allow", kind: "allow_once" },
          reject: { name: "Reject", kind: "reject_once" },
        },
        isForUserAlone: true,
      },
    );
    return chosen === "allow" ? undefined : "The user denies this.";
  }

  /** Keeps an answer's texts for the model, and ends the turn if a hook wants that. */
  #note(session: HookedSession, answer: HookAnswer): void {
    if (this.#noted.has(answer)) return;
    this.#noted.add(answer);
    const { context, stop } = answer;
    session.context.push(...context);
    if (stop !== undefined) session.endTurns(this.chain.successor, stop);
  }

  /** Tells the user about a denial, and the model with its next prompt, since answers to permission requests contain no reason. */
  #tell(session: HookedSession, what: string, { reason, stop }: HookAnswer): void {
    // The user has read why the agent stops.
    if (reason === undefined && stop !== undefined) return;
    const text = `A hook ${what}${reason ? `: ${reason}` : "."}`;
    session.show([text]);
    session.context.push(text);
  }
}

type Open = NonNullable<ReturnType<HookedSession["merged"]>>;

export const cancelled = Outcome.of({ outcome: { outcome: "cancelled" } });

/** Returns the denial of a permission request: by the agent's option to reject once, if it has one. */
export function refusalOf(request: Request): Outcome {
  const option = optionOf(request, "reject_once");
  return option === undefined ? cancelled : Outcome.of({ outcome: { outcome: "selected", optionId: option } });
}

function toolOf(session: HookedSession, open: Open): string {
  return [...new Set(session.callsOf(open).map(({ tool }) => tool))].join(", ");
}
