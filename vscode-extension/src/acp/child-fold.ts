import { asObject, isToolCallUpdate, type Members, stringOf, textOf } from "@symposium-dev/core";
import { subagentItemPrefix } from "../../protocol/index.js";
import type { SessionUpdate } from "./fold-target.js";

/** What has become of a sub-agent so far. */
interface Child {
  readonly title: string;
  readonly about: string;
  readonly status: string;
  readonly canStop: boolean;
  /** The card of the sub-agent that has begun it. */
  readonly parentId: string | undefined;
  readonly text: string;
  /** How much of the text is shown. */
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
/** Of what it says; the end. */
const maxText = 20_000;
/** Characters that a message grows by until they are shown. */
const textStep = 200;

/** Shows each sub-agent as a tool call, with the calls that it makes inside it. */
export class ChildFold {
  readonly #children = new Map<string, Child>();

  /** `tool` takes an update of a tool call. */
  constructor(private readonly tool: (update: SessionUpdate) => void) {}

  /** A `subagent_update`, in the session of the sub-agent `parent` where that is another one's. */
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

  /** What happens in the session of a sub-agent. */
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

  /** Whether a message is one of a sub-agent, or to one. */
  isBetween(update: Members): boolean {
    const ids = [update["senderSessionId"], update["recipientSessionId"]];
    return ids.some((id) => typeof id === "string" && this.#children.has(id));
  }

  /** What a sub-agent is called; undefined for a session that is none. */
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

/** Whose card that is; undefined where it is no sub-agent's. */
export function childOfCard(itemId: string): string | undefined {
  return itemId.startsWith(subagentItemPrefix) ? itemId.slice(subagentItemPrefix.length) : undefined;
}

/** Whether the card of a tool call gets a button that stops what it stands for. */
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
