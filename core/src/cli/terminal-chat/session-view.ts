import { contentText } from "./content-text.js";
import { type Members, numberMember, objectMember, objectsMember, textMember } from "./members.js";
import { safeLine } from "./safe-text.js";
import type { Style } from "./style.js";
import { ToolCall } from "./tool-call.js";
import type { Transcript } from "./transcript.js";

/** A command that the agent takes as `/name`. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
}

const maxUnknownLength = 300;

/** Shows the updates of a session as they come. Nothing that an agent reports is dropped without a word. */
export class SessionView {
  readonly #toolCalls = new Map<string, ToolCall>();
  #commands: readonly AgentCommand[] = [];
  #usage: Members | undefined;
  /** Updates that wait until a question to the user is answered. */
  #held: Members[] | undefined;

  constructor(
    private readonly transcript: Transcript,
    private readonly cwd: string,
  ) {}

  /** The commands that the agent has announced: kept for the help, not shown as they come. */
  get commands(): readonly AgentCommand[] {
    return this.#commands;
  }

  /** One `update` of `session/update`. */
  show(update: Members): void {
    if (this.#held) this.#held.push(update);
    else this.#show(update);
  }

  /** Keeps updates back, so that nothing is written into an open question. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const update of held) this.#show(update);
  }

  /** The tool call of an id, made when the agent has not announced it. */
  toolCall(update: Members): ToolCall {
    const id = textMember(update, "toolCallId") ?? "";
    const toolCall = this.#toolCalls.get(id) ?? new ToolCall(this.cwd);
    this.#toolCalls.set(id, toolCall);
    toolCall.merge(update);
    return toolCall;
  }

  /** The end of a turn: finishes the lines, and says what the turn has used when the agent has said so. */
  endTurn(usage: Members | undefined): void {
    this.transcript.endTurn();
    const parts = [...tokenParts(usage), ...contextParts(this.#usage)];
    this.#usage = undefined;
    if (parts.length > 0) this.transcript.remark(`usage: ${parts.join(", ")}`);
  }

  #show(update: Members): void {
    const kind = textMember(update, "sessionUpdate") ?? "";
    const content = objectMember(update, "content");
    switch (kind) {
      case "agent_message_chunk":
        return this.transcript.answer(contentText(content), textMember(update, "messageId"));
      case "agent_thought_chunk":
        return this.transcript.thought(contentText(content));
      case "tool_call":
      case "tool_call_update":
        return this.transcript.lines(this.toolCall(update).news(this.transcript.style));
      case "plan":
        return this.transcript.lines(planLines(update, this.transcript.style));
      case "usage_update":
        this.#usage = update;
        return;
      case "available_commands_update":
        this.#commands = commandsOf(update);
        return;
      default:
        return this.#remark(remarkOn(kind, update));
    }
  }

  #remark(text: string): void {
    this.transcript.remark(safeLine(text));
  }
}

function commandsOf(update: Members): readonly AgentCommand[] {
  return objectsMember(update, "availableCommands").map((command) => ({
    name: safeLine(textMember(command, "name") ?? ""),
    description: safeLine(textMember(command, "description") ?? ""),
  }));
}

function planLines(update: Members, style: Style): readonly string[] {
  const lines = objectsMember(update, "entries").map((entry) => {
    const text = safeLine(textMember(entry, "content") ?? "");
    const status = textMember(entry, "status");
    if (status === "completed") return style.green(`  [x] ${text}`);
    return status === "in_progress" ? style.bold(`  [>] ${text}`) : `  [ ] ${text}`;
  });
  return [style.bold("plan"), ...lines];
}

/** One line on an update that is no part of the answer. */
function remarkOn(kind: string, update: Members): string {
  const title = textMember(update, "title");
  switch (kind) {
    case "user_message_chunk":
      return `you said: ${contentText(objectMember(update, "content"))}`;
    case "current_mode_update":
      return `mode: ${textMember(update, "currentModeId") ?? ""}`;
    case "config_option_update":
      return `options: ${objectsMember(update, "configOptions").map(optionText).join(", ")}`;
    case "session_info_update":
      if (title !== undefined) return `session: ${title}`;
      break;
    case "notice":
      return [textMember(update, "severity") ?? "notice", title, textMember(update, "description")]
        .filter((part) => part !== undefined)
        .join(": ");
  }
  const { sessionUpdate: _kind, ...members } = update;
  const text = JSON.stringify(members);
  const rest = text.length - maxUnknownLength;
  return `[${kind || "update"}] ${rest > 0 ? `${text.slice(0, maxUnknownLength)} ... ${rest} more characters` : text}`;
}

function optionText(option: Members): string {
  const name = textMember(option, "name") ?? textMember(option, "id") ?? "";
  return `${name} ${textMember(option, "currentValue") ?? (option["currentValue"] === true ? "on" : "off")}`;
}

function tokenParts(usage: Members | undefined): string[] {
  const total = numberMember(usage, "totalTokens");
  if (total === undefined) return [];
  const parts = [
    [numberMember(usage, "inputTokens"), "in"],
    [numberMember(usage, "outputTokens"), "out"],
  ].flatMap(([count, name]) => (count === undefined ? [] : [`${String(count)} ${String(name)}`]));
  return [`${total} tokens${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`];
}

function contextParts(usage: Members | undefined): string[] {
  const used = numberMember(usage, "used");
  const size = numberMember(usage, "size");
  const cost = objectMember(usage, "cost");
  const amount = numberMember(cost, "amount");
  return [
    ...(used === undefined ? [] : [`context ${used}${size === undefined ? "" : ` of ${size}`}`]),
    ...(amount === undefined ? [] : [`cost ${amount} ${safeLine(textMember(cost, "currency") ?? "")}`.trimEnd()]),
  ];
}
