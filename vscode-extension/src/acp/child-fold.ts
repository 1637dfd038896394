import { asObject, isToolCallUpdate, type Members, stringOf, textOf } from "@symposium-dev/core";
import { subagentItemPrefix } from "../../protocol/index.js";
import type { SessionUpdate } from "./fold-target.js";

interface Child {
  readonly title: string;
  readonly about: string;
  readonly status: string;
  readonly canStop: boolean;
  /** Id of the parent sub-agent's card; undefined if the parent is the session's agent. */
  readonly parentId: string | undefined;
  readonly text: string;
  /** Number of characters already displayed. */
  readonly shown: number;
}

const newChild: Child = {
  title: "",
  about: "",
  status: "in_progress",
  canStop: false,
  parentId: undefined,
  text: "",
  shown: 0,
};
/** Maximum characters of a sub-agent's text; only the end is shown. */
const maxText = 20_000;
/** Minimum growth in characters before a message is updated. */
const textStep = 200;

export class ChildFold {
  readonly #children = new Map<string, Child>();

  constructor(private readonly tool: (update: SessionUpdate) => void) {}

  /** Handles a `subagent_update`; `parent` is set if it comes from another sub-agent's session. */
  announced(update: SessionUpdate, parent?: string): boolean {
    const id = stringOf(update.sessionId);
    if (id === undefined) return false;
    const old = this.#children.get(id) ?? newChild;
    const state = asObject(update.state);
    const { capabilities } = update as Members;
    this.#put(id, {
      ...old,
      title: stringOf(update.title) ?? old.title,
      about: stringOf(update.description) ?? old.about,
      status: state ? statusOf(state) : old.status,
      canStop: capabilities === undefined ? old.canStop : asObject(asObject(capabilities)?.["cancel"]) !== undefined,
      parentId: parent === undefined ? old.parentId : cardOf(parent),
    });
    return true;
  }

  update(id: string, update: SessionUpdate): void {
    const kind = stringOf(update.sessionUpdate);
    if (kind === "subagent_update") this.announced(update, id);
    else if (isToolCallUpdate(update)) {
      this.#show(id);
      const meta = asObject(update._meta);
      const claudeCode = { ...asObject(meta?.["claudeCode"]), parentToolUseId: cardOf(id) };
      this.tool({ ...update, _meta: { ...meta, claudeCode } });
    } else if (kind === "agent_message_chunk") this.#say(id, textOf(asObject(update.content)?.["text"]));
  }

  isBetween(update: Members): boolean {
    const ids = [update["senderSessionId"], update["recipientSessionId"]];
    return ids.some((id) => typeof id === "string" && this.#children.has(id));
  }

  /** Returns a sub-agent's title; undefined for other sessions. */
  titleOf(id: string): string | undefined {
    const child = this.#children.get(id);
    return child && titleOf(child);
  }

  #say(id: string, text: string): void {
    const child = this.#children.get(id) ?? newChild;
    const said = { ...child, text: (child.text + text).slice(-maxText), shown: child.shown };
    this.#children.set(id, said);
    if (Math.abs(said.text.length - said.shown) >= textStep) this.#show(id);
  }

  #show(id: string): void {
    const child = this.#children.get(id);
    if (child && child.text.length !== child.shown) this.#put(id, child);
  }

  #put(id: string, child: Child): void {
    const { about, status, text, parentId, canStop } = child;
    this.#children.set(id, { ...child, shown: text.length });
    const parts = [about, text.trim()].filter((part) => part !== "");
    this.tool({
      sessionUpdate: "tool_call_update",
      toolCallId: cardOf(id),
      title: titleOf(child),
      kind: "other",
      status,
      content: parts.map((part) => ({ type: "content", content: { type: "text", text: part } })),
      _meta: {
        symposium: { canStop: canStop && status === "in_progress" },
        ...(parentId !== undefined && { claudeCode: { parentToolUseId: parentId } }),
      },
    });
  }
}

/** Returns the sub-agent of a card; undefined for other cards. */
export function childOfCard(itemId: string): string | undefined {
  return itemId.startsWith(subagentItemPrefix) ? itemId.slice(subagentItemPrefix.length) : undefined;
}

export function canStopIn(update: SessionUpdate): boolean {
  return asObject(asObject(update._meta)?.["symposium"])?.["canStop"] === true;
}

function cardOf(id: string): string {
  return `${subagentItemPrefix}${id}`;
}

function titleOf({ title }: Child): string {
  return title === "" ? "Sub-agent" : `Sub-agent: ${title}`;
}

function statusOf({ state, stopReason }: Members): string {
  if (state !== "idle") return "in_progress";
  if (stopReason === "cancelled") return "cancelled";
  return stopReason === undefined || stopReason === null || stopReason === "end_turn" ? "completed" : "failed";
}
