import { arrayOf, elementsOf, memberOf, withMember } from "../../rpc/json-edit.js";
import { asObject, Json } from "../../rpc/json.js";
import { Notification, Outcome, Request } from "../../rpc/message.js";
import type { Cancel, Peer, Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";
import { contextEnd, contextStart, contextUri } from "./memory-context.js";

/** The content blocks of a prompt, raw, and changes of them that leave every other block as it was. */
export class PromptBlocks {
  private constructor(
    private readonly request: Request,
    readonly blocks: readonly Json[],
  ) {}

  /** Undefined when the request has no list of blocks. */
  static of(request: Request): PromptBlocks | undefined {
    const prompt = request.params && memberOf(request.params, "prompt");
    const blocks = prompt && elementsOf(prompt);
    return blocks && new PromptBlocks(request, blocks);
  }

  /** The text of the first text block. */
  get firstText(): string | undefined {
    return this.blocks.map(textOf).find((text) => text !== undefined);
  }

  /** Texts of all text blocks. */
  get texts(): readonly string[] {
    return this.blocks.flatMap((block) => textOf(block) ?? []);
  }

  withFirstText(text: string): PromptBlocks {
    const place = this.blocks.findIndex((block) => textOf(block) !== undefined);
    const changed = this.blocks.map((block, index) =>
      index === place ? withMember(block, ["text"], Json.of(text)) : block,
    );
    return new PromptBlocks(this.request, changed);
  }

  withLast(block: Json): PromptBlocks {
    return new PromptBlocks(this.request, [...this.blocks, block]);
  }

  toRequest(): Request {
    const { method, params } = this.request;
    return new Request(method, withMember(params ?? Json.ofText("{}"), ["prompt"], arrayOf(this.blocks)));
  }
}

export function textBlock(text: string): Json {
  return Json.of({ type: "text", text });
}

/** Marks a content block as not meant for the user's eyes (ACP content annotations). */
export const forAgentOnly = { annotations: { audience: ["assistant"] } } as const;

function textOf(block: Json): string | undefined {
  const { type, text } = block.object ?? {};
  return type === "text" && typeof text === "string" ? text : undefined;
}

interface HeldPrompt {
  readonly request: Request;
  readonly reply: Reply;
  /** Cancels it once it was sent. */
  cancel?: Cancel;
}

/** Prompts of a session that wait for what its memory says, in their order. */
export class HeldPrompts {
  #waiting: HeldPrompt[] = [];

  add(request: Request, reply: Reply): Cancel {
    const prompt: HeldPrompt = { request, reply };
    this.#waiting.push(prompt);
    return () => {
      if (prompt.cancel) prompt.cancel();
      else if (this.#take(prompt)) reply(Outcome.error(RpcError.cancelled()));
    };
  }

  /** Ends the turns of all that wait, as `session/cancel` does; false when none does. */
  cancelAll(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reply } of waiting) reply(Outcome.of({ stopReason: "cancelled" }));
    return waiting.length > 0;
  }

  /** Sends all that wait to `successor`, each as `edit` makes it. */
  release(successor: Peer, edit: (request: Request, reply: Reply) => readonly [Request, Reply]): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const prompt of waiting) prompt.cancel = successor.request(...edit(prompt.request, prompt.reply));
  }

  #take(prompt: HeldPrompt): boolean {
    const index = this.#waiting.indexOf(prompt);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }
}

/** How OpenCode and Claude repeat the address of an embedded resource, in a chunk of its own. */
const address =
  /^\s*(?:\[sparkle:\/\/memory\]|sparkle:\/\/memory|<context ref="sparkle:\/\/memory">\s*<\/context>)\s*$/;

/**
 * A message of the user that the agent replays, as when a session is loaded, without the context that
 * stood in it; undefined when there is nothing else in it.
 */
export function withoutContext(notification: Notification): Notification | undefined {
  const { params, method } = notification;
  if (params === undefined || !params.text.includes("sparkle")) return notification;
  const update = asObject(params.object?.["update"]);
  const content = asObject(update?.["content"]);
  if (update?.["sessionUpdate"] !== "user_message_chunk" || content === undefined) return notification;
  if (asObject(content["resource"])?.["uri"] === contextUri) return undefined;
  const { text } = content;
  if (typeof text !== "string") return notification;
  const start = text.indexOf(contextStart);
  const end = text.indexOf(contextEnd, start);
  const hasContext = start !== -1 && end !== -1;
  const rest = hasContext ? text.slice(0, start) + text.slice(end + contextEnd.length).replace(/^\s+/, "") : text;
  if (rest.trim() === "" || address.test(rest)) return undefined;
  if (!hasContext) return notification;
  return new Notification(method, withMember(params, ["update", "content", "text"], Json.of(rest)));
}
