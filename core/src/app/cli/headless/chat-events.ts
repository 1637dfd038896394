import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { asObject, type Members, stringOf } from "../../../base/rpc/json.js";
import { isUpdate, type Unchecked } from "../../../conductor/client/unchecked.js";
import { amountText } from "../../../guard/budget.js";
import type { UsedUpBudget } from "../../../guard/budget-use.js";
import type { GuardRecord } from "../../../guard/guard-record.js";
import { exitCodes } from "../terminal-chat/chat-turn.js";
import type { Decided } from "../terminal-chat/permission-desk.js";
import type { ChatListener } from "../terminal-chat/chat-listener.js";
import { contentText } from "../terminal-chat/tool-call.js";

/** Values of `status` in a result, with their exit codes. */
export const resultStatuses = {
  done: exitCodes.success,
  failed: exitCodes.failure,
  stopped_early: exitCodes.incomplete,
  sign_in_required: exitCodes.authRequired,
  refused: exitCodes.refused,
  over_budget: exitCodes.overBudget,
  timed_out: exitCodes.timedOut,
  cancelled: exitCodes.cancelled,
} as const;

/** A permission request and its answer. */
interface Answered {
  readonly title: string;
  readonly answer: "allowed" | "refused" | "cancelled";
  /** Source of the answer. `rule`: a rule of guard.jsonc or the sandbox; `chat`: the options of `chat`. */
  readonly by: "rule" | "chat";
  /** Reason for the answer: `FILE:LINE` of the rule, or another reason. */
  readonly rule?: string;
}

const maxAnswerLength = 16 * 1024 * 1024;

/**
 * Converts a chat with one prompt to events for programs. `print` receives each event immediately; {@link result} is the last one. The
 * formats are those of chat-events.schema.json.
 */
export class ChatEvents implements ChatListener {
  readonly #answer: string[] = [];
  #answerLength = 0;
  #messageId: string | undefined;
  #isInterrupted = false;
  readonly #refused: object[] = [];
  /** Updates that arrived before the session's id. */
  readonly #early: Unchecked<SessionUpdate>[] = [];
  #sessionId: string | undefined;
  #turn: Members = {};
  #cost: unknown;
  #error: string | undefined;
  #budget: UsedUpBudget | undefined;
  readonly #turns = new AgentTurns();

  /** `onLastTurn` is called once, when the agent starts a turn after `maxTurns`; see {@link AgentTurns}. */
  constructor(
    private readonly print: (event: object) => void = () => undefined,
    private readonly maxTurns = Infinity,
    private readonly onLastTurn: () => void = () => undefined,
  ) {}

  opened(sessionId: string, cwd: string, agent: Members): void {
    this.#sessionId = sessionId;
    this.print({ type: "session", sessionId, cwd, agent });
    for (const update of this.#early.splice(0)) this.update(update);
  }

  update(update: Unchecked<SessionUpdate>, childId?: string): void {
    const sessionId = childId ?? this.#sessionId;
    if (sessionId === undefined) {
      this.#early.push(update);
      return;
    }
    if (childId === undefined) this.#observe(update);
    this.print({ type: "update", sessionId, update });
  }

  decided({ request, isAllowed, optionId }: Decided): void {
    const toolCall = asObject(request["toolCall"]) ?? {};
    const answer = isAllowed ? "allowed" : optionId === undefined ? "cancelled" : "refused";
    const answered = { title: stringOf(toolCall["title"]) ?? "", answer, by: "chat" } as const;
    this.#add(answered, { toolCall, ...(optionId !== undefined && { optionId }) });
  }

  /** Records an answer that a rule gave. If a rule requires asking, the answer arrives at {@link decided} instead. */
  ruled({ subject, answer, rule }: GuardRecord): void {
    if (answer === "ask") return;
    const said = answer === "allow" ? "allowed" : "refused";
    this.#add({ title: subject, answer: said, by: "rule", ...(rule !== undefined && { rule }) });
  }

  /** Adds the budget that ends the turn. */
  overBudget(budget: UsedUpBudget): void {
    this.#budget = budget;
  }

  turnEnded({ stopReason, usage }: Unchecked<PromptResponse>): void {
    this.#turn = { stopReason, ...(usage !== undefined && usage !== null && { usage }) };
    this.print({ type: "turn_end", ...this.#turn });
  }

  failed(text: string): void {
    this.#error = text.replace(/^error: /, "");
  }

  /** Returns the final event. `exitCode` is the chat's exit code, which doesn't consider refusals and budgets. */
  result(exitCode: number): { readonly exitCode: number } {
    const code = this.#exitCode(exitCode);
    const [status] = Object.entries(resultStatuses).find(([, known]) => known === code) ?? ["cancelled"];
    return {
      type: "result",
      status,
      exitCode: code,
      ...(this.#sessionId !== undefined && { sessionId: this.#sessionId }),
      answer: this.#answer.join(""),
      ...(this.#answerLength > maxAnswerLength && { isAnswerCut: true }),
      ...this.#turn,
      ...(this.#cost !== undefined && { cost: this.#cost }),
      ...(this.#budget !== undefined && { budget: this.#budget }),
      refused: this.#refused,
      // A cancelled agent may also report an error, so the error is included only if the run failed.
      ...(this.#error !== undefined &&
        (code === exitCodes.failure || code === exitCodes.authRequired) && { error: this.#error }),
    } as { readonly exitCode: number };
  }

  #exitCode(exitCode: number): number {
    const isEndOfTurn = ([exitCodes.success, exitCodes.incomplete, exitCodes.cancelled] as number[]).includes(exitCode);
    if (this.#budget !== undefined && isEndOfTurn) return exitCodes.overBudget;
    return exitCode === exitCodes.success && this.#refused.length > 0 ? exitCodes.refused : exitCode;
  }

  #endTurns(): void {
    const budget = { scope: "session", figure: "turns", limit: this.maxTurns, place: "--max-turns" } as const;
    this.overBudget({ ...budget, used: amountText(budget, this.maxTurns) });
    this.onLastTurn();
  }

  #add(answered: Answered, more: object = {}): void {
    const { answer, ...rest } = answered;
    if (answer !== "allowed") this.#refused.push(rest);
    this.print({ type: "permission", ...answered, ...more });
  }

  #observe(update: Unchecked<SessionUpdate>): void {
    if (this.#turns.add(update) > this.maxTurns && !this.#budget) this.#endTurns();
    if (isUpdate(update, "usage_update") && asObject(update.cost)) this.#cost = update.cost;
    if (!isUpdate(update, "agent_message_chunk")) {
      this.#isInterrupted ||= isUpdate(update, "tool_call");
      return;
    }
    const id = stringOf(update.messageId);
    const isNew = this.#isInterrupted || id !== this.#messageId;
    const needsBreak = isNew && this.#answer.at(-1)?.endsWith("\n") === false;
    [this.#messageId, this.#isInterrupted] = [id, false];
    const text = `${needsBreak ? "\n" : ""}${contentText(update.content)}`;
    this.#answerLength += text.length;
    if (this.#answerLength <= maxAnswerLength) this.#answer.push(text);
  }
}

/** Kinds of updates with parts of a model's reply. */
const replyKinds = new Set<unknown>(["agent_message_chunk", "agent_thought_chunk", "tool_call"]);

/**
 * Counts the agent's turns: replies of its model, with all tool calls that a reply requests. ACP doesn't report model requests, so a turn
 * starts at the first part of a reply after all tool calls have ended. An agent that reports the calls of one reply one after another
 * therefore has a turn for each call.
 */
export class AgentTurns {
  readonly #running = new Set<string>();
  #count = 0;
  #isOpen = false;

  /** Adds an update of the session. Returns the number of turns, including the running one. */
  add(update: Unchecked<SessionUpdate>): number {
    const { sessionUpdate: kind, toolCallId, status } = update as Readonly<Record<string, unknown>>;
    if (replyKinds.has(kind) && !this.#isOpen) {
      this.#isOpen = true;
      this.#count++;
    }
    const id = stringOf(toolCallId);
    if (id === undefined) return this.#count;
    if (kind === "tool_call") this.#running.add(id);
    const hasEnded = status === "completed" || status === "failed";
    if (hasEnded && this.#running.delete(id) && this.#running.size === 0) this.#isOpen = false;
    return this.#count;
  }
}
