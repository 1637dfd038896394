import * as l10n from "@vscode/l10n";
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

/** Maximum characters of a text part sent to the view; "open full" shows the rest. */
const maxTextChars = 60_000;

interface Call {
  readonly item: ToolItem;
  readonly raw: SessionUpdate;
  readonly growing: GrowingText;
}

interface ToolFoldHooks {
  call(call: ObservedToolCall): void;
  output(change: Change): void;
}

/** Folds tool call updates. An update of an unknown call announces the call; missing members keep their values. */
export class ToolFold {
  readonly #calls = new Map<string, Call>();
  /** Calls of earlier turns, since agents may reuse their ids. */
  #earlier = new Set<string>();

  constructor(
    private readonly context: FoldContext,
    private readonly hooks: ToolFoldHooks,
  ) {}

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

  cancelOpen(): void {
    for (const [toolCallId, call] of this.#calls) {
      if (call.item.status !== "pending" && call.item.status !== "in_progress") continue;
      const item = this.#placed({ ...call.item, status: "cancelled", endedAt: this.context.now() });
      this.#calls.set(toolCallId, { ...call, item });
      this.context.publish({ op: "put", item });
    }
  }

  /** Returns the full text behind a shortened one, or undefined for an unknown item. */
  full(itemId: string, what: string): string | undefined {
    const call = [...this.#calls.values()].find(({ item }) => item.id === itemId);
    if (!call) return undefined;
    return what === "input" ? boundedJson(call.raw.rawInput, Infinity) : fullOutputOf(call.raw);
  }

  /** Returns the full texts of a diff, or undefined if unknown. */
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

  /** Copies the line positions of edits from the published item, because other code computes them after publication. */
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
  const empty = {
    title: l10n.t("Tool call"),
    toolKind: "other",
    status: "pending",
    locations: [],
    content: [],
  } as const;
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
  const rest = l10n.t("… {0} more characters", text.length - maxTextChars);
  return { type: "content", block: { ...part.block, text: `${text.slice(0, maxTextChars)}\n${rest}` } };
}

/** Returns the parent call of a sub-agent's call. Agents report the parent in `_meta`. */
function parentOf(raw: SessionUpdate): string | undefined {
  const meta = asObject(raw._meta);
  return stringOf(asObject(meta?.["claudeCode"])?.["parentToolUseId"]) ?? stringOf(meta?.["parentToolCallId"]);
}

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
  // ACP has no status for a stopped call; only the view uses "cancelled".
  const ended = status === "cancelled" ? "failed" : status;
  return { id, kind: stringOf(raw.kind) ?? "other", status: ended, paths, edits };
}

/** Minimum length in characters for streaming; shorter texts are sent again in full. */
const minChars = 1_024;

/**
 * Text parts of one tool call. Some agents resend the whole output with every line, so only the added text is forwarded, as terminal
 * output.
 */
class GrowingText {
  readonly #seen = new Map<number, string>();
  readonly #streams = new Set<number>();

  constructor(
    private readonly id: string,
    private readonly publish: (change: Change) => void,
  ) {}

  /** Returns the part that the view should show at `index`: `part` itself or a replacement. */
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

/** Returns the text inside the fence if the whole text is one fenced code block. The closing fence would move with every added line. */
function withoutFence(text: string): string {
  const opening = /^(`{3,})[^\n`]*\n/.exec(text);
  const fence = opening?.[1];
  if (!opening || fence === undefined) return text;
  const body = text.slice(opening[0].length);
  const trimmed = body.trimEnd();
  return trimmed.endsWith(fence) ? trimmed.slice(0, -fence.length).replace(/\n$/, "") : body;
}
