import { isToolCallUpdate, updatedToolCall } from "../../base/acp/tool-call.js";
import { asObject, type Members, stringOf, objectsOf } from "../../base/rpc/json.js";
import type { StoredContinued, StoredRecord } from "./stored-record.js";
import { isHiddenPath, textOfBlocks } from "./stored-record.js";

/** Formats a conversation as Markdown in pieces: prompts, agent texts, a line per tool call, permissions, and unusual turn ends. */
export function* conversationMarkdown(records: Iterable<StoredRecord>): Generator<string> {
  const spoken = new SpokenParts();
  let isHiddenNoted = false;
  let isOpen = false;
  for (const record of records) {
    switch (record.kind) {
      case "header":
        yield `Begun ${new Date(record.header.started).toISOString()} in \`${record.header.cwd}\`\n\n`;
        if (record.header.continues) yield goesOn(record.header.continues);
        break;
      case "prompt":
        yield* spoken.take();
        if (isOpen) yield "_This turn was cut off: its end isn't recorded._\n\n";
        isOpen = true;
        yield `## ${record.turn}. You\n\n${quoted(textOfBlocks(record.prompt))}\n\n## ${record.turn}. Agent\n\n`;
        break;
      case "permission":
        spoken.asked(record.permission, record.answer);
        break;
      case "update":
        yield* spoken.update(asObject(record.params["update"]) ?? {});
        break;
      case "child":
        spoken.children.update(record.params);
        break;
      case "end": {
        yield* spoken.take();
        isOpen = false;
        const { stopReason, message } = asObject(record.end) ?? {};
        if (typeof message === "string") yield `_The turn failed: ${message}_\n\n`;
        else if (typeof stopReason === "string" && stopReason !== "end_turn") yield `_Ended: ${stopReason}_\n\n`;
        break;
      }
      case "continues":
        yield goesOn(record.continues);
        break;
      case "gap":
        yield "_Part of the conversation is missing here because it couldn't be written to disk._\n\n";
        break;
      case "files":
        if (!isHiddenNoted && record.files.some(({ path }) => isHiddenPath(path))) {
          isHiddenNoted = true;
          yield "_Some parts of file paths looked like credentials and were replaced with `[redacted]`._\n\n";
        }
        break;
      case "said":
        break;
    }
  }
  yield* spoken.take();
  if (isOpen) yield "_The end of this turn isn't recorded: it was cut off, or is still running._\n\n";
}

class SpokenParts {
  readonly children = new PastChildren();
  #calls = new Map<string, Members>();
  #text = "";
  #notes: string[] = [];

  *take(): Generator<string> {
    yield* this.children.told();
    if (this.#calls.size > 0) yield `${[...this.#calls.values()].map(callLine).join("\n")}\n\n`;
    if (this.#notes.length > 0) yield `${this.#notes.join("\n")}\n\n`;
    if (this.#text.trim() !== "") yield `${this.#text.trim()}\n\n`;
    this.#text = "";
    this.#calls = new Map<string, Members>();
    this.#notes = [];
  }

  asked(permission: unknown, answer: unknown): void {
    const { toolCall, options } = asObject(permission) ?? {};
    const title = asObject(toolCall)?.["title"];
    this.#notes.push(`- _Asked:_ ${typeof title === "string" ? title : "a permission"} — ${chosen(options, answer)}`);
  }

  *update(update: Members): Generator<string> {
    const kind = update["sessionUpdate"];
    if (kind === "agent_message_chunk") {
      if (this.#calls.size > 0 || this.#notes.length > 0) yield* this.take();
      this.#text += textOf(update);
    } else if (kind === "user_message_chunk") {
      yield* this.take();
      yield `${quoted(textOf(update))}\n\n`;
    } else if (isToolCallUpdate(update)) {
      if (this.#text !== "") yield* this.take();
      note(this.#calls, update);
    } else if (kind === "subagent_update") this.children.announced(update);
  }
}

/** Collects the activity of sub-agents that hasn't been written yet: a line for each sub-agent, followed by its calls and texts. */
class PastChildren {
  readonly #titles = new Map<string, string>();
  #open = new Map<string, { state: string; text: string; readonly calls: Map<string, Members> }>();

  announced({ sessionId, title, state }: Members): void {
    const id = String(sessionId);
    if (typeof title === "string") this.#titles.set(id, title);
    const { state: name, stopReason } = asObject(state) ?? {};
    const isOver = name === "idle";
    if (typeof name === "string")
      this.#of(id).state = isOver ? (typeof stopReason === "string" ? stopReason : "ended") : name;
  }

  update({ sessionId, update: members }: Members): void {
    const update = asObject(members) ?? {};
    const child = this.#of(String(sessionId));
    const kind = update["sessionUpdate"];
    if (kind === "agent_message_chunk") child.text += textOf(update);
    else if (isToolCallUpdate(update)) note(child.calls, update);
    else if (kind === "subagent_update") this.announced(update);
  }

  *told(): Generator<string> {
    const open = this.#open;
    this.#open = new Map();
    for (const [id, { state, text, calls }] of open) {
      const title = (this.#titles.get(id) ?? "").replace(/\s+/g, " ");
      const details = [state].filter((word) => word !== "").join("");
      const lines = [`- Sub-agent${title === "" ? "" : `: ${title}`}${details === "" ? "" : ` (${details})`}`];
      for (const call of calls.values()) lines.push(`  ${callLine(call)}`);
      if (text.trim() !== "") lines.push(text.trim().replace(/^/gm, "  > "));
      yield `${lines.join("\n")}\n\n`;
    }
  }

  #of(id: string): { state: string; text: string; readonly calls: Map<string, Members> } {
    const known = this.#open.get(id) ?? { state: "", text: "", calls: new Map<string, Members>() };
    this.#open.set(id, known);
    return known;
  }
}

function goesOn({ conversation, turn }: StoredContinued): string {
  return `_Continues ${conversation} after turn ${turn}._\n\n`;
}

function note(calls: Map<string, Members>, { toolCallId, title, kind, status }: Members): void {
  const id = String(toolCallId);
  calls.set(id, updatedToolCall(calls.get(id), { title, kind, status }));
}

function callLine({ title, kind, status }: Members): string {
  const details = [kind, status].filter((word) => typeof word === "string" && word !== "").join(", ");
  const line = (stringOf(title) || "a tool call").replace(/\s+/g, " ");
  return `- ${line}${details === "" ? "" : ` (${details})`}`;
}

function textOf(update: Members): string {
  return textOfBlocks([update["content"]]);
}

function quoted(text: string): string {
  return text.replace(/^/gm, "> ");
}

function chosen(options: unknown, answer: unknown): string {
  const outcome = asObject(asObject(answer)?.["outcome"]);
  const id = outcome?.["optionId"];
  if (typeof id !== "string") return typeof outcome?.["outcome"] === "string" ? outcome["outcome"] : "not answered";
  const option = objectsOf(options).find((one) => one["optionId"] === id);
  return typeof option?.["name"] === "string" ? option["name"] : id;
}
