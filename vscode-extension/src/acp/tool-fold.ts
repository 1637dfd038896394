import {
  asObject,
  numberOf,
  objectsOf,
  requestedCommand,
  stringOf,
  textOf,
  updatedToolCall,
} from "@symposium-dev/core";
import type { Change, Exit, ItemOf, Location, ToolContent } from "../../protocol/index.js";
import { withPlacesOf } from "./edit-places.js";
import { type FoldContext, itemOf, type SessionUpdate } from "./fold-target.js";
import { canStopIn } from "./child-fold.js";
import type { CallEdit, ObservedToolCall } from "./session-observers.js";
import { boundedJson, toLocation, toToolContent } from "./tool-content.js";
import { exitOf, fullOutputOf } from "./tool-output.js";

type ToolItem = ItemOf<"tool">;

/** Characters of a text part that the view gets; the rest is behind "open full". */
const maxTextChars = 60_000;

interface Call {
  readonly item: ToolItem;
  /** Every member as last sent by the agent. */
  readonly raw: SessionUpdate;
  readonly growing: GrowingText;
}

interface ToolFoldHooks {
  call(call: ObservedToolCall): void;
  /** Output that is shown as a terminal's; to be published. */
  output(change: Change): void;
}

/** Folds tool calls. An update of a call that was never announced announces it; members that are missing stay. */
export class ToolFold {
  readonly #calls = new Map<string, Call>();
  /** Calls of the turns before: agents may use their ids again. */
  #earlier = new Set<string>();

  constructor(
    private readonly context: FoldContext,
    private readonly hooks: ToolFoldHooks,
  ) {}

  /** Returns false where the update names no call. */
  update(update: SessionUpdate): boolean {
    const toolCallId = stringOf(update.toolCallId);
    if (toolCallId === undefined) return false;
    const call = this.#call(toolCallId, update.sessionUpdate === "tool_call");
    const raw = updatedToolCall(call.raw, update);
    const item = this.#placed(this.#item(call, raw, update));
    this.#calls.set(toolCallId, { ...call, item, raw });
    this.hooks.call(observed(item.id, raw));
    const shown = itemOf(this.context.transcript, "tool", item.id);
    if (!shown || JSON.stringify(shown) !== JSON.stringify(item)) this.context.publish({ op: "put", item });
    return true;
  }

  turnStarted(): void {
    this.#earlier = new Set(this.#calls.keys());
  }

  /** Calls that will never be finished are shown as cancelled. */
  cancelOpen(): void {
    for (const [toolCallId, call] of this.#calls) {
      if (call.item.status !== "pending" && call.item.status !== "in_progress") continue;
      const item = this.#placed({ ...call.item, status: "cancelled", endedAt: this.context.now() });
      this.#calls.set(toolCallId, { ...call, item });
      this.context.publish({ op: "put", item });
    }
  }

  /** The whole text behind the bounded one; undefined where nothing is known of the item. */
  full(itemId: string, what: string): string | undefined {
    const call = [...this.#calls.values()].find(({ item }) => item.id === itemId);
    if (!call) return undefined;
    return what === "input" ? boundedJson(call.raw.rawInput, Infinity) : fullOutputOf(call.raw);
  }

  /** The whole texts behind a diff; undefined where they are not known. */
  edit(itemId: string, path: string): CallEdit | undefined {
    const call = [...this.#calls.values()].find(({ item }) => item.id === itemId);
    return call && editsOf(call.raw.content).findLast((edit) => edit.path === path);
  }

  #call(toolCallId: string, isAnnounced: boolean): Call {
    const known = this.#calls.get(toolCallId);
    if (known && !(isAnnounced && this.#earlier.has(toolCallId))) return known;
    this.#earlier.delete(toolCallId);
    const { transcript } = this.context;
    const stored = known ? undefined : itemOf(transcript, "tool", toolCallId);
    const isTaken = transcript.byId.has(toolCallId) && (stored === undefined || isAnnounced);
    const id = isTaken ? `${toolCallId}#${this.context.newId()}` : toolCallId;
    const item = isTaken ? undefined : stored;
    return { item: item ?? newItem(id, this.context.now()), raw: {}, growing: this.#growing(id) };
  }

  /** Where its changes stand in their files is found out beside us. */
  #placed(item: ToolItem): ToolItem {
    const shown = itemOf(this.context.transcript, "tool", item.id);
    return shown ? { ...item, content: withPlacesOf(item.content, shown.content) } : item;
  }

  #growing(id: string): GrowingText {
    return new GrowingText(id, (change) => this.hooks.output(change));
  }

  #item(call: Call, raw: SessionUpdate, update: SessionUpdate): ToolItem {
    const status = statusOf(raw.status) ?? call.item.status;
    const isOver = status !== "pending" && status !== "in_progress";
    const content = Array.isArray(update.content)
      ? update.content.map((part: unknown, index) => bounded(call.growing.take(toToolContent(part), index)))
      : call.item.content;
    const streams = content.some(({ type }) => type === "terminal");
    const output = isOver || !streams ? boundedJson(raw.rawOutput) : "";
    const input = requestedCommand(raw.rawInput)?.text ?? boundedJson(raw.rawInput);
    const parentId = parentOf(raw) ?? call.item.parentId;
    const exit = exitOf(update) ?? call.item.exit ?? (isOver ? this.#exitIn(content) : undefined);
    return {
      kind: "tool",
      id: call.item.id,
      title: stringOf(raw.title) ?? stringOf(raw.name) ?? call.item.title,
      toolKind: stringOf(raw.kind) ?? call.item.toolKind,
      status,
      locations: Array.isArray(update.locations) ? this.#locations(update.locations) : call.item.locations,
      content,
      ...optional("input", input === "" || input === "{}" ? call.item.input : input),
      ...optional("output", output === "" ? call.item.output : output),
      ...(exit === undefined ? {} : { exit }),
      startedAt: call.item.startedAt,
      ...(isOver ? { endedAt: call.item.endedAt ?? this.context.now() } : {}),
      ...(parentId === undefined ? {} : { parentId }),
      ...(canStopIn(raw) ? { canStop: true } : {}),
    };
  }

  /** Of the editor's own terminal that the call has run its command in. */
  #exitIn(content: readonly ToolContent[]): Exit | undefined {
    const { terminals } = this.context.transcript;
    return content
      .map((part) => (part.type === "terminal" ? terminals.get(part.terminalId)?.exit : undefined))
      .findLast((exit) => exit !== undefined);
  }

  #locations(locations: unknown): Location[] {
    return objectsOf(locations).flatMap((one) => {
      const path = stringOf(one["path"]);
      const line = numberOf(one["line"]);
      return path === undefined
        ? []
        : [toLocation(path, line === undefined ? line : Math.max(1, line), this.context.roots)];
    });
  }
}

function newItem(id: string, startedAt: number): ToolItem {
  const empty = { title: "Tool call", toolKind: "other", status: "pending", locations: [], content: [] } as const;
  return { kind: "tool", id, ...empty, locations: [], content: [], startedAt };
}

function optional(key: "input" | "output", value: string | undefined): Partial<Pick<ToolItem, "input" | "output">> {
  return value === undefined ? {} : { [key]: value };
}

function statusOf(value: unknown): ToolItem["status"] | undefined {
  switch (value) {
    case "pending":
    case "in_progress":
    case "completed":
    case "failed":
    case "cancelled":
      return value;
    default:
      return typeof value === "string" ? "in_progress" : undefined;
  }
}

function bounded(part: ToolContent): ToolContent {
  if (part.type !== "content" || part.block.type !== "text") return part;
  const text = textOf(part.block["text"]);
  if (text.length <= maxTextChars) return part;
  const rest = `… ${text.length - maxTextChars} more characters`;
  return { type: "content", block: { ...part.block, text: `${text.slice(0, maxTextChars)}\n${rest}` } };
}

/** The call that a sub-agent's call belongs to, as agents of today say it. */
function parentOf(raw: SessionUpdate): string | undefined {
  const meta = asObject(raw._meta);
  return stringOf(asObject(meta?.["claudeCode"])?.["parentToolUseId"]) ?? stringOf(meta?.["parentToolCallId"]);
}

/** The changes among the content of a tool call, with whole texts. */
export function editsOf(content: unknown): CallEdit[] {
  return objectsOf(content).flatMap((part) => {
    const [path, oldText, newText] = [stringOf(part["path"]), stringOf(part["oldText"]), stringOf(part["newText"])];
    if (part["type"] !== "diff" || path === undefined || newText === undefined) return [];
    return [{ path, newText, ...(oldText === undefined ? {} : { oldText }) }];
  });
}

function observed(id: string, raw: SessionUpdate): ObservedToolCall {
  const edits = editsOf(raw.content);
  const located = objectsOf(raw.locations).flatMap(({ path }) => stringOf(path) ?? []);
  const paths = [...new Set([...located, ...edits.map(({ path }) => path)])];
  const status = stringOf(raw.status) ?? "pending";
  // ACP has no word for a call that was stopped; ours is over, too.
  const ended = status === "cancelled" ? "failed" : status;
  return { id, kind: stringOf(raw.kind) ?? "other", status: ended, paths, edits };
}

/** Below this length a text is simply sent again. */
const minChars = 1_024;

/**
 * The parts of one tool call whose text grows: some agents send the whole output again with every line. From the
 * second time on only what is new goes further, as output of a terminal.
 */
class GrowingText {
  readonly #seen = new Map<number, string>();
  readonly #streams = new Set<number>();

  constructor(
    private readonly id: string,
    private readonly publish: (change: Change) => void,
  ) {}

  /** The part to show at `index` in place of `part`. */
  take(part: ToolContent, index: number): ToolContent {
    const text = part.type === "content" && part.block.type === "text" ? stringOf(part.block["text"]) : undefined;
    if (text === undefined) return part;
    const body = withoutFence(text);
    const before = this.#seen.get(index);
    this.#seen.set(index, body);
    const grows = before !== undefined && before !== "" && body.length >= before.length && body.startsWith(before);
    const terminalId = `${this.id}:${index}`;
    if (this.#streams.has(index)) {
      if (!grows) this.publish({ op: "terminal", terminalId, text: body, isReset: true });
      else if (body.length > before.length)
        this.publish({ op: "terminal", terminalId, text: body.slice(before.length) });
    } else if (grows && body.length > before.length && body.length >= minChars) {
      this.#streams.add(index);
      this.publish({ op: "terminal", terminalId, text: body, isReset: true });
    } else return part;
    return { type: "terminal", terminalId };
  }
}

/** The inside of a text that is one fenced code block: its closing fence moves with every line. */
function withoutFence(text: string): string {
  const opening = /^(`{3,})[^\n`]*\n/.exec(text);
  const fence = opening?.[1];
  if (!opening || fence === undefined) return text;
  const body = text.slice(opening[0].length);
  const trimmed = body.trimEnd();
  return trimmed.endsWith(fence) ? trimmed.slice(0, -fence.length).replace(/\n$/, "") : body;
}
