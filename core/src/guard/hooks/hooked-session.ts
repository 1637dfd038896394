import { updatedToolCall } from "../../base/acp/tool-call.js";
import { asObject, type Members, stringOf } from "../../base/rpc/json.js";
import { Notification, type Request } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import { acpMethods } from "../../base/acp/methods.js";
import type { HookEvent } from "../../settings/hooks.js";
import { canonicalJson } from "../../settings/project/approved-content.js";
import { untilAborted } from "../../base/until-aborted.js";
import { notice } from "../budget-question.js";
import { type ClaudeCall, claudeCallsOf } from "./claude-tools.js";
import { cancelledAnswer, type HookAnswer, joined, noAnswer } from "./hook-answer.js";

/** Hooks of one session. */
export interface SessionHooks {
  has(event: HookEvent): boolean;
  /** Returns the absolute path of a path that an agent named. */
  absolute(path: string): string;
  /**
   * Runs the hooks that an event selects. Never rejects. Aborting `signal` ends them without an answer; for hooks in the background, aborting
   * `ended` does. `onLate` gets the answers of hooks in the background.
   */
  run(
    event: HookEvent,
    input: Members & { readonly session_id: string },
    options: {
      readonly call: ClaudeCall | undefined;
      readonly signal: AbortSignal;
      readonly ended: AbortSignal;
      readonly onLate: (answer: HookAnswer) => void;
    },
  ): Promise<HookAnswer>;
}

/** Opens a session's hooks; undefined if it has none. Never rejects. `runsOwn`: whether the agent runs imported hooks itself. */
export type OpenHooks = (session: {
  readonly cwd: string;
  readonly runsOwn: boolean;
}) => Promise<SessionHooks | undefined>;

/** Facts about the agent that the hooks of all its sessions need. */
interface HookedAgent {
  name: string;
  titlesCommands: boolean;
  /** Whether the agent is Claude Code, which runs its own hooks. */
  isClaude: boolean;
  /** Whether the model sees embedded resources. */
  takesResources: boolean;
}

/** A tool call with what is known about it so far. */
interface OpenCall {
  call: Members;
  /** PreToolUse's answer for the input that `key` stands for. */
  judged?: { readonly key: string; readonly answer: Promise<HookAnswer>; isTaken?: true };
  isFinished?: true;
  /** Whether the agent's permission request was denied. A call that is judged without one has run. */
  isRefused?: true;
}

export interface HookedTurn {
  readonly stop: AbortController;
  /** Whether the agent has the prompt. */
  isSent: boolean;
}

/** Maximum number of tool calls that are remembered. */
const maxCalls = 200;
/** Maximum length of the last message that Stop hooks get, in UTF-16 code units. */
const maxMessage = 100_000;

/** State of a session that has hooks. */
export class HookedSession {
  /** Texts for the model, sent with the next prompt. */
  readonly context: string[] = [];
  readonly turns = new Set<HookedTurn>();
  promptId: string | undefined;
  lastMessage = "";
  readonly #ended = new AbortController();
  readonly #running = new Set<Promise<HookAnswer>>();
  readonly #calls = new Map<string, OpenCall>();
  /** Answers about calls that arrived at an MCP server before the agent announced them. */
  readonly #atServer = new Map<string, Promise<HookAnswer>>();
  #pending: Promise<unknown> = Promise.resolve();

  constructor(
    readonly id: string,
    readonly cwd: string,
    readonly hooks: SessionHooks,
    private readonly client: Peer,
    private readonly sessions: Pick<HookedSessions, "agent" | "servers">,
  ) {}

  /**
   * Runs an event's hooks, and shows the user their messages and failures. Cancelling the turn (default: the latest one) cancels the hooks.
   */
  async run(
    event: HookEvent,
    input: Members,
    { call, turn }: { readonly call?: ClaudeCall; readonly turn?: HookedTurn } = {},
  ): Promise<HookAnswer> {
    if (!this.hooks.has(event)) return noAnswer;
    const own = { session_id: this.id, ...(this.promptId !== undefined && { prompt_id: this.promptId }) };
    const onLate = ({ context, failures }: HookAnswer): void => {
      this.context.push(...context);
      this.show(failures);
    };
    const ended = this.#ended.signal;
    const stop = (turn ?? [...this.turns].at(-1))?.stop.signal;
    const isOnlyOfSession = event === "Notification" || event === "SessionEnd";
    const signal = stop && !isOnlyOfSession ? AbortSignal.any([ended, stop]) : ended;
    if (signal.aborted) return cancelledAnswer;
    const running = this.hooks.run(event, { ...own, ...input }, { call, signal, ended, onLate });
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    const answer = await untilAborted(running, signal).catch(() => cancelledAnswer);
    this.show([...answer.failures, ...(isOnlyOfSession ? [] : answer.messages)]);
    return answer;
  }

  /** Ends the programs of running hooks, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#running);
  }

  /** Runs a tool event for each call, and joins the answers. Allows only if the hooks allow each call. */
  async runFor(
    event: HookEvent,
    calls: readonly ClaudeCall[],
    more: (call: ClaudeCall) => Members,
  ): Promise<HookAnswer> {
    const run = (call: ClaudeCall): Promise<HookAnswer> =>
      this.run(event, { tool_name: call.tool, tool_input: call.input, ...more(call) }, { call });
    const answers = await Promise.all(calls.map(run));
    const { decision, reason, ...undecided } = joined(answers);
    const isPartial = decision === "allow" && answers.some((one) => one.decision !== "allow");
    return isPartial
      ? undecided
      : { ...undecided, ...(decision && { decision }), ...(reason !== undefined && { reason }) };
  }

  show(texts: readonly string[]): void {
    for (const text of texts) notice(this.client, this.id, text);
  }

  /** Merges an update or a request into its tool call. Returns undefined without an id. */
  merged(update: Members | undefined): OpenCall | undefined {
    const id = stringOf(update?.["toolCallId"]);
    if (id === undefined || !update) return undefined;
    const known = this.#calls.get(id);
    const open: OpenCall = known ?? { call: {} };
    open.call = updatedToolCall(open.call, update);
    if (!known) this.#calls.set(id, open);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest);
    return open;
  }

  callsOf({ call }: OpenCall): readonly ClaudeCall[] {
    const { agent, servers } = this.sessions;
    return claudeCallsOf(call, {
      servers: servers.get(this.id) ?? [],
      titlesCommands: agent.titlesCommands,
      absolute: (path) => this.hooks.absolute(path),
    });
  }

  /** Returns PreToolUse's answer about a call. The hooks run once for each input. */
  preTool(open: OpenCall, more: Members): Promise<HookAnswer> {
    const calls = this.callsOf(open);
    const key = keyOf(calls);
    if (open.judged?.key === key) return open.judged.answer;
    const known = this.#atServer.get(key);
    this.#atServer.delete(key);
    const id = { ...more, tool_use_id: open.call["toolCallId"] };
    const answer = known ?? this.runFor("PreToolUse", calls, () => id);
    open.judged = { key, answer };
    void answer.then(({ isCancelled }) => {
      if (isCancelled && open.judged?.answer === answer) delete open.judged;
    });
    // The MCP server denied the call.
    if (known) [open.judged.isTaken, open.isRefused] = [true, true];
    return answer;
  }

  /** Returns PreToolUse's answer about a call of an MCP tool; the one about the agent's permission request, if it asked. */
  preServerTool(call: ClaudeCall): Promise<HookAnswer> {
    const key = keyOf([call]);
    const asked = [...this.#calls.values()].find(({ judged }) => judged?.key === key && !judged.isTaken);
    if (asked?.judged) {
      [asked.judged.isTaken, asked.isRefused] = [true, true];
      return asked.judged.answer;
    }
    const answer = this.runFor("PreToolUse", [call], () => ({}));
    this.#atServer.set(key, answer);
    void answer.then(({ isCancelled }) => {
      if (isCancelled && this.#atServer.get(key) === answer) this.#atServer.delete(key);
    });
    return answer;
  }

  /** Makes the next prompt and the end of the turn wait for `work`, which never rejects. */
  await(work: Promise<unknown>): void {
    this.#pending = Promise.all([this.#pending, work]);
  }

  async settled(): Promise<void> {
    await this.#pending;
  }

  /** Collects the agent's last message: its text since the last tool call. */
  said(params: Members): void {
    const update = asObject(params["update"]);
    if (update?.["sessionUpdate"] !== "agent_message_chunk") {
      this.lastMessage = "";
      return;
    }
    const text = stringOf(asObject(update["content"])?.["text"]) ?? "";
    if (this.lastMessage.length < maxMessage) this.lastMessage += text;
  }

  /** Ends the session's turns because a hook asked for it. */
  endTurns(successor: Peer, reason: string): void {
    this.show([reason === "" ? "A hook stopped the agent." : `A hook stopped the agent: ${reason}`]);
    for (const { stop } of this.turns) stop.abort();
    successor.notify(Notification.of(acpMethods.sessionCancel, { sessionId: this.id }));
  }
}

/** Identifies calls by their effect. Agents add and drop descriptions during a call. */
function keyOf(calls: readonly ClaudeCall[]): string {
  return canonicalJson(calls.map(({ tool, input: { description: _description, ...input } }) => ({ tool, input })));
}

/** State that the two proxies of a chain share. */
export class HookedSessions {
  readonly agent: HookedAgent = { name: "The agent", titlesCommands: false, isClaude: false, takesResources: false };
  /** Names of the MCP servers that the agent gets, by session. */
  readonly servers = new Map<string, readonly string[]>();
  /** Permission requests that a PreToolUse hook allows, unless a rule decides otherwise. */
  readonly allowed = new WeakSet<Request>();
  readonly #sessions = new Map<string, HookedSession>();
  /** The user's session that each sub-agent session belongs to. */
  readonly #parents = new Map<string, string>();

  get all(): readonly HookedSession[] {
    return [...this.#sessions.values()];
  }

  /** Returns the session of a message, or the parent of a sub-agent's session. */
  of(id: string | undefined): HookedSession | undefined {
    if (this.#sessions.size === 0 || id === undefined) return undefined;
    return this.#sessions.get(this.#parents.get(id) ?? id);
  }

  add(session: HookedSession): void {
    void this.#sessions.get(session.id)?.close();
    this.#sessions.set(session.id, session);
  }

  adopt(parent: string, child: string): void {
    if (this.of(parent) && !this.#sessions.has(child)) this.#parents.set(child, this.#parents.get(parent) ?? parent);
  }

  /** Members that tell hooks which sub-agent a session belongs to. */
  subagentOf(id: string | undefined): Members {
    return id !== undefined && this.#parents.has(id) ? { agent_id: id } : {};
  }

  remove(id: string): HookedSession | undefined {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    this.servers.delete(id);
    for (const [child, parent] of this.#parents) if (parent === id) this.#parents.delete(child);
    return session;
  }
}
