import type {
  AvailableCommandsUpdate,
  Plan,
  SessionConfigOption,
  SessionUpdate,
  SubagentUpdate,
  ToolCallUpdate,
  Usage,
  UsageUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { isUpdate, objectsOf, type Unchecked } from "../../../conductor/client/unchecked.js";
import { asObject, textOf, numberOf, stringOf } from "../../../base/rpc/json.js";
import { safeLine } from "./safe-text.js";
import { contentText, type SessionPlace, ToolCall } from "./tool-call.js";
import type { Style } from "../style.js";
import type { Transcript } from "./transcript.js";

interface AgentCommand {
  readonly name: string;
  readonly description: string;
}

const maxUnknownLength = 300;

/** Displays a session's updates. Shows every reported update, at least as a remark. */
export class SessionView {
  readonly #toolCalls = new Map<string, ToolCall>();
  readonly #subagents = new Map<string, { readonly title: string; readonly state: string }>();
  #commands: readonly AgentCommand[] = [];
  #usage: Unchecked<UsageUpdate> | undefined;
  /** Title that isn't shown yet. */
  #title: string | undefined;
  #held: Unchecked<SessionUpdate>[] | undefined;

  constructor(
    private readonly transcript: Transcript,
    private readonly place: SessionPlace,
  ) {}

  /** Slash commands announced by the agent; shown only in the help. */
  get commands(): readonly AgentCommand[] {
    return this.#commands;
  }

  show(update: Unchecked<SessionUpdate>): void {
    if (this.#held) this.#held.push(update);
    else this.#show(update);
  }

  /** Shows an update from a sub-agent's session; only `subagent_update` is displayed. */
  showChild(update: Unchecked<SessionUpdate>): void {
    if (isUpdate(update, "subagent_update")) this.show(update);
  }

  /** Defers updates, so that they don't interrupt an open question. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const update of held) this.#show(update);
  }

  toolCall(update: Unchecked<ToolCallUpdate>): ToolCall {
    const id = textOf(update.toolCallId);
    const toolCall = this.#toolCalls.get(id) ?? new ToolCall(this.place);
    this.#toolCalls.set(id, toolCall);
    toolCall.merge(update);
    return toolCall;
  }

  endTurn(usage: Unchecked<Usage> | null | undefined): void {
    this.transcript.endTurn();
    if (this.#title !== undefined) this.transcript.remark(safeLine(`session: ${this.#title}`));
    this.#title = undefined;
    const parts = [...tokenParts(usage), ...contextParts(this.#usage)];
    this.#usage = undefined;
    if (parts.length > 0) this.transcript.remark(`usage: ${parts.join(", ")}`);
  }

  /** Shows one line per state change of a sub-agent; the recorded conversation has the details. */
  #subagent(update: Unchecked<SubagentUpdate>): void {
    const id = textOf(update.sessionId);
    const title = stringOf(update.title) ?? this.#subagents.get(id)?.title ?? "";
    const { state: name, stopReason } = asObject(update.state) ?? {};
    const ended = stringOf(stopReason) === "cancelled" ? "stopped" : "done";
    const before = this.#subagents.get(id)?.state;
    const state = name === "idle" ? ended : (stringOf(name)?.replaceAll("_", " ") ?? before ?? "running");
    this.#subagents.set(id, { title, state });
    if (state !== before) this.transcript.remark(safeLine(`sub-agent${title === "" ? "" : ` ${title}`}: ${state}`));
  }

  #show(update: Unchecked<SessionUpdate>): void {
    if (isUpdate(update, "agent_message_chunk")) {
      this.transcript.answer(contentText(update.content), stringOf(update.messageId));
    } else if (isUpdate(update, "agent_thought_chunk")) this.transcript.thought(contentText(update.content));
    else if (isUpdate(update, "tool_call") || isUpdate(update, "tool_call_update")) {
      this.transcript.lines(this.toolCall(update).news(this.transcript.style));
    } else if (isUpdate(update, "plan")) this.transcript.lines(planLines(update, this.transcript.style));
    else if (isUpdate(update, "usage_update")) this.#usage = update;
    else if (isUpdate(update, "subagent_update")) this.#subagent(update);
    else if (isUpdate(update, "available_commands_update")) this.#commands = commandsOf(update);
    // Codex sends the title in the middle of its answer.
    else if (isUpdate(update, "session_info_update")) this.#title = stringOf(update.title) ?? this.#title;
    else this.transcript.remark(safeLine(remarkOn(update)));
  }
}

function commandsOf(update: Unchecked<AvailableCommandsUpdate>): readonly AgentCommand[] {
  return objectsOf(update.availableCommands).map((command) => ({
    name: safeLine(textOf(command.name)),
    description: safeLine(textOf(command.description)),
  }));
}

function planLines(update: Unchecked<Plan>, style: Style): readonly string[] {
  const lines = objectsOf(update.entries).map((entry) => {
    const text = safeLine(textOf(entry.content));
    const status = stringOf(entry.status);
    if (status === "completed") return style.green(`  [x] ${text}`);
    return status === "in_progress" ? style.bold(`  [>] ${text}`) : `  [ ] ${text}`;
  });
  return [style.bold("plan"), ...lines];
}

function remarkOn(update: Unchecked<SessionUpdate>): string {
  if (isUpdate(update, "user_message_chunk")) return `you said: ${contentText(update.content)}`;
  if (isUpdate(update, "current_mode_update")) return `mode: ${textOf(update.currentModeId)}`;
  if (isUpdate(update, "config_option_update")) {
    return `options: ${objectsOf(update.configOptions).map(optionText).join(", ")}`;
  }
  const title = stringOf(update.title);
  if (isUpdate(update, "notice")) {
    return [stringOf(update.severity) ?? "notice", title, stringOf(update.description)]
      .filter((part) => part !== undefined)
      .join(": ");
  }
  const { sessionUpdate: kind, ...members } = update;
  const text = JSON.stringify(members);
  const rest = text.length - maxUnknownLength;
  const shown = rest > 0 ? `${text.slice(0, maxUnknownLength)} ... ${rest} more characters` : text;
  return `[${stringOf(kind) || "update"}] ${shown}`;
}

function optionText(option: Unchecked<SessionConfigOption>): string {
  const name = stringOf(option.name) ?? textOf(option.id);
  return `${name} ${stringOf(option.currentValue) ?? (option.currentValue === true ? "on" : "off")}`;
}

function tokenParts(usage: Unchecked<Usage> | null | undefined): string[] {
  const total = numberOf(usage?.totalTokens);
  if (total === undefined) return [];
  const parts = [
    [numberOf(usage?.inputTokens), "in"],
    [numberOf(usage?.outputTokens), "out"],
  ].flatMap(([count, name]) => (count === undefined ? [] : [`${String(count)} ${String(name)}`]));
  return [`${total} tokens${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`];
}

function contextParts(usage: Unchecked<UsageUpdate> | undefined): string[] {
  const used = numberOf(usage?.used);
  const size = numberOf(usage?.size);
  const cost = usage?.cost;
  const amount = numberOf(cost?.amount);
  return [
    ...(used === undefined ? [] : [`context ${used}${size === undefined ? "" : ` of ${size}`}`]),
    ...(amount === undefined
      ? []
      : [`cost ${Number(amount.toPrecision(6))} ${safeLine(textOf(cost?.currency))}`.trimEnd()]),
  ];
}
