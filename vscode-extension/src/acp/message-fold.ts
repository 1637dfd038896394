import { asObject, type Members, stringOf, textOf } from "@symposium-dev/core";
import type { Attachment } from "../../protocol/index.js";
import { type FoldContext, itemOf, type SessionUpdate } from "./fold-target.js";

interface OpenMessage {
  readonly kind: "text" | "thought" | "user";
  readonly id: string;
  readonly messageId: string | undefined;
}

/** Converts message chunks to items: growing answers and thoughts, other content, and replayed user messages. */
export class MessageFold {
  #open: OpenMessage | undefined;
  #thoughtId: string | undefined;
  /** Rest of the running prompt that an agent may repeat. */
  #echo = "";

  constructor(private readonly context: FoldContext) {}

  /** Handles a chunk of an answer or thought. Returns false if the content is unreadable. */
  agentChunk(kind: "text" | "thought", update: SessionUpdate): boolean {
    const block = asObject(update.content);
    const type = stringOf(block?.["type"]);
    if (block === undefined || type === undefined) return false;
    const text = type === "text" ? stringOf(block["text"]) : undefined;
    if (text === undefined) {
      this.endThought();
      this.#open = undefined;
      this.context.publish({
        op: "put",
        item: { kind: "content", id: this.context.newId(), block: { ...block, type } },
      });
    } else if (text !== "") this.#text(kind, text, stringOf(update.messageId));
    return true;
  }

  /** Handles a chunk of the user's message; drops repeats of the running prompt. */
  userChunk(update: SessionUpdate): boolean {
    const block = asObject(update.content);
    if (block === undefined) return false;
    const text = block["type"] === "text" ? textOf(block["text"]) : "";
    if (text !== "" && this.#echo.startsWith(text)) {
      this.#echo = this.#echo.slice(text.length);
      return true;
    }
    const attachment = block["type"] === "text" ? undefined : attachmentOf(block);
    if (text === "" && attachment === undefined) return this.#echo !== "" || block["type"] === "text";
    if (this.#echo !== "" && attachment !== undefined) return true;
    this.#user(text, attachment, stringOf(update.messageId));
    return true;
  }

  turnStarted(text: string): void {
    this.endThought();
    this.#open = undefined;
    this.#echo = text;
  }

  turnEnded(): void {
    this.endThought();
    this.#open = undefined;
    this.#echo = "";
  }

  endThought(): void {
    const item = itemOf(this.context.transcript, "thought", this.#thoughtId);
    this.#thoughtId = undefined;
    if (item) this.context.publish({ op: "put", item: { ...item, endedAt: this.context.now() } });
  }

  #text(kind: "text" | "thought", text: string, messageId: string | undefined): void {
    const open = this.#continues(kind, messageId);
    if (open) {
      this.context.publish({ op: "append", id: open.id, text });
      return;
    }
    this.endThought();
    const id = this.context.newId();
    this.#open = { kind, id, messageId };
    if (kind === "text") {
      const named = messageId === undefined ? {} : { messageId };
      this.context.publish({ op: "put", item: { kind, id, text, ...named } });
    } else {
      this.#thoughtId = id;
      this.context.publish({ op: "put", item: { kind, id, text, startedAt: this.context.now() } });
    }
  }

  #user(text: string, attachment: Attachment | undefined, messageId: string | undefined): void {
    this.endThought();
    const open = itemOf(this.context.transcript, "user", this.#continues("user", messageId)?.id);
    const item = open ?? { kind: "user", id: this.context.newId(), text: "", attachments: [] };
    const attachments = attachment ? [...item.attachments, attachment] : item.attachments;
    this.#open = { kind: "user", id: item.id, messageId };
    this.context.publish({ op: "put", item: { ...item, text: item.text + text, attachments } });
  }

  /**
   * Returns the open message if the chunk continues it, which requires that no other update came in between and the message id is the same.
   */
  #continues(kind: OpenMessage["kind"], messageId: string | undefined): OpenMessage | undefined {
    const open = this.#open;
    if (open?.kind !== kind || this.context.transcript.items.at(-1)?.id !== open.id) return undefined;
    const isSame = messageId === undefined || open.messageId === undefined || messageId === open.messageId;
    return isSame ? open : undefined;
  }
}

export function attachmentOf(block: Members): Attachment | undefined {
  const resource = asObject(block["resource"]);
  const uri = stringOf(block["uri"]) ?? stringOf(resource?.["uri"]);
  const label = stringOf(block["name"]) ?? uri?.replace(/^.*\//, "") ?? "attachment";
  const [data, mimeType] = [stringOf(block["data"]), stringOf(block["mimeType"])];
  if (block["type"] === "image" && data !== undefined && mimeType !== undefined)
    return { type: "image", label, mimeType, data };
  const text = stringOf(resource?.["text"]);
  if (uri !== undefined) return { type: "file", uri, label };
  return text === undefined ? undefined : { type: "text", label, text };
}
