import {
  asObject,
  type Members,
  messageOf,
  numberOf,
  objectsOf,
  rateLimitOf,
  stringOf,
  textOf,
} from "@symposium-dev/core";
import type { Change, Command, TabState } from "../../protocol/index.js";
import { toTerminalChanges } from "./tool-output.js";
import type { SessionOptions } from "./session-options.js";
import type { CallEdit, ObservedToolCall } from "./session-observers.js";
import { ChildFold } from "./child-fold.js";
import { PlanAndNoticeFold } from "./plan-and-notice-fold.js";
import type { FoldContext, SessionUpdate } from "./fold-target.js";
import { MessageFold } from "./message-fold.js";
import { ToolFold } from "./tool-fold.js";

interface SessionFoldHooks {
  observeToolCall(call: ObservedToolCall): void;
  observeOutput(terminalId: string, text: string): void;
  /** Sets the agent's session title; undefined removes it. */
  titled(title: string | undefined): void;
  /** Called for an update that can't be read; the transcript shows it as JSON. */
  unreadable(kind: string, reason: string): void;
}

type Handler = (update: SessionUpdate) => boolean;

/** Converts a session's `session/update`s to transcript items. An invalid update doesn't affect others. */
export class SessionFold {
  readonly #messages: MessageFold;
  readonly #tools: ToolFold;
  readonly #cards: PlanAndNoticeFold;
  readonly #children: ChildFold;
  readonly #handlers: Readonly<Record<string, Handler>>;
  /** Whether the agent is replaying messages that the transcript already has, so that only state updates apply. */
  isReplaying = false;

  constructor(
    private readonly context: FoldContext,
    private readonly options: SessionOptions,
    private readonly hooks: SessionFoldHooks,
  ) {
    const messages = (this.#messages = new MessageFold(context));
    const tools = (this.#tools = new ToolFold(context, {
      call: (call) => hooks.observeToolCall(call),
      output: (change) => this.#output(change),
    }));
    const cards = (this.#cards = new PlanAndNoticeFold(context));
    this.#children = new ChildFold((update) => void this.#tool(tools, update));
    this.#handlers = {
      user_message_chunk: (update) => messages.userChunk(update),
      agent_message_chunk: (update) => messages.agentChunk("text", update),
      agent_thought_chunk: (update) => messages.agentChunk("thought", update),
      tool_call: (update) => this.#tool(tools, update),
      tool_call_update: (update) => this.#tool(tools, update),
      plan: (update) => cards.plan(update),
      plan_update: (update) => cards.namedPlan(update),
      plan_removed: (update) => cards.removePlan(update),
      notice: (update) => cards.notice(update),
      compaction_update: (update) => cards.compaction(update),
      compaction_summary_chunk: (update) => cards.compactionSummary(update),
      // Messages to and from sub-agents aren't shown; the sub-agent's card shows the result.
      session_message: (update) => this.#children.isBetween(update),
      session_message_chunk: (update) => this.#children.isBetween(update),
      subagent_update: (update) => this.#children.announced(update),
    };
  }

  update(update: SessionUpdate): void {
    const kind = stringOf(update.sessionUpdate) ?? "update without a kind";
    try {
      if (this.#state(kind, update) || this.isReplaying) return;
      const handler = Object.hasOwn(this.#handlers, kind) ? this.#handlers[kind] : undefined;
      if (kind !== "agent_thought_chunk") this.#messages.endThought();
      if (handler?.(update) === true) return;
      if (handler && !kind.startsWith("session_message")) this.hooks.unreadable(kind, "members are missing");
    } catch (thrown) {
      this.hooks.unreadable(kind, messageOf(thrown));
    }
    this.#cards.unknown(kind, update);
  }

  childUpdate(childId: string, update: SessionUpdate): void {
    if (this.isReplaying) return;
    try {
      this.#children.update(childId, update);
    } catch (thrown) {
      this.hooks.unreadable("an update of a sub-agent", messageOf(thrown));
    }
  }

  /** Returns the title of a session's sub-agent; undefined if there is none. */
  childTitle(sessionId: string): string | undefined {
    return this.#children.titleOf(sessionId);
  }

  turnStarted(promptText: string): void {
    this.#messages.turnStarted(promptText);
    this.#tools.turnStarted();
    this.#cards.turnStarted();
  }

  /** Ends a turn. `isComplete` is false if the agent didn't finish the turn; open tool calls are then marked as cancelled. */
  turnEnded(isComplete: boolean): void {
    this.#messages.turnEnded();
    this.#cards.turnEnded();
    if (!isComplete) this.#tools.cancelOpen();
  }

  full(itemId: string, what: string): string | undefined {
    return this.#tools.full(itemId, what);
  }

  edit(itemId: string, path: string): CallEdit | undefined {
    return this.#tools.edit(itemId, path);
  }

  publishOptions(): void {
    this.#patch({ options: this.options.view });
  }

  #tool(tools: ToolFold, update: SessionUpdate): boolean {
    for (const change of toTerminalChanges(update)) this.#output(change);
    return tools.update(update);
  }

  #output(change: Change): void {
    this.context.publish(change);
    if (change.op === "terminal") this.hooks.observeOutput(change.terminalId, change.text);
  }

  /** Handles updates of the tab's state. Returns false for other updates. */
  #state(kind: string, update: SessionUpdate): boolean {
    switch (kind) {
      case "available_commands_update":
        this.#patch({ commands: objectsOf(update.availableCommands).flatMap((one) => commandOf(one) ?? []) });
        return true;
      case "current_mode_update":
        this.options.setMode(textOf(update.currentModeId));
        this.publishOptions();
        return true;
      case "config_option_update":
        this.options.read(update);
        this.publishOptions();
        return true;
      case "session_info_update":
        if ("title" in update) this.hooks.titled(stringOf(update.title));
        return true;
      case "usage_update":
        return this.#usage(update);
      default:
        return false;
    }
  }

  #usage(update: SessionUpdate): boolean {
    const [used, size] = [numberOf(update.used), numberOf(update.size)];
    const limit = rateLimitOf(update);
    if (limit) {
      const others = (this.context.transcript.state.limits ?? []).filter(({ name }) => name !== limit.name);
      this.#patch({ limits: [...others, limit] });
    }
    if (used === undefined || size === undefined) return limit !== undefined;
    const [amount, currency] = [numberOf(update.cost?.amount), stringOf(update.cost?.currency)];
    const known = amount === undefined || currency === undefined ? {} : { cost: { amount, currency } };
    this.#patch({ usage: { used, size, ...known } });
    return true;
  }

  #patch(patch: Partial<TabState>): void {
    this.context.publish({ op: "tab", patch });
  }
}

function commandOf(command: Members): Command | undefined {
  const name = stringOf(command["name"]);
  if (name === undefined) return undefined;
  const hint = stringOf(asObject(command["input"])?.["hint"]);
  return { name, description: textOf(command["description"]), ...(hint === undefined ? {} : { hint }) };
}
