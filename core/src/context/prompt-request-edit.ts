import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Outcome, Request } from "../base/rpc/message.js";
import type { Cancel, Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";

/** Edits some of a prompt's raw content blocks and leaves all other blocks unmodified. */
export class PromptRequestEdit {
  private constructor(
    private readonly request: Request,
    readonly blocks: readonly Json[],
    readonly isChanged = true,
  ) {}

  /** Creates an edit of a prompt request. Returns undefined if the request has no list of content blocks. */
  static of(request: Request): PromptRequestEdit | undefined {
    const prompt = request.params && memberOf(request.params, "prompt");
    const blocks = prompt && elementsOf(prompt);
    return blocks && new PromptRequestEdit(request, blocks, false);
  }

  get firstText(): string | undefined {
    return this.blocks.map(textOf).find((text) => text !== undefined);
  }

  get texts(): readonly string[] {
    return this.blocks.flatMap((block) => textOf(block) ?? []);
  }

  withFirstTextAs(others: readonly Json[]): PromptRequestEdit {
    const place = this.blocks.findIndex((block) => textOf(block) !== undefined);
    return new PromptRequestEdit(this.request, this.blocks.toSpliced(place, 1, ...others));
  }

  withLast(block: Json): PromptRequestEdit {
    return new PromptRequestEdit(this.request, [...this.blocks, block]);
  }

  toRequest(): Request {
    const { method, params } = this.request;
    return new Request(method, withMember(params ?? Json.ofText("{}"), ["prompt"], arrayOf(this.blocks)));
  }
}

export function textBlock(text: string): Json {
  return Json.of({ type: "text", text });
}

function textOf(block: Json): string | undefined {
  const { type, text } = block.object ?? {};
  return type === "text" && typeof text === "string" ? text : undefined;
}

export function parseCommand(text: string): { readonly name: string; readonly words: string } | undefined {
  const [, name, words] = /^\s*\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, words: words?.trim() ?? "" };
}

interface QueuedPrompt {
  readonly request: Request;
  readonly reply: Reply;
  cancel?: Cancel;
}

/** Queue of a session's prompts that wait until additions to the first prompt are ready. */
export class QueuedPrompts {
  #waiting: QueuedPrompt[] = [];

  add(request: Request, reply: Reply): Cancel {
    const prompt: QueuedPrompt = { request, reply };
    this.#waiting.push(prompt);
    return () => {
      if (prompt.cancel) prompt.cancel();
      else if (this.#take(prompt)) reply(Outcome.error(RpcError.cancelled()));
    };
  }

  /** Ends all queued turns as cancelled, like `session/cancel`. Returns false if the queue is empty. */
  cancelAll(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reply } of waiting) reply(Outcome.of({ stopReason: "cancelled" }));
    return waiting.length > 0;
  }

  releaseEach(send: (request: Request, reply: Reply) => Cancel): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const prompt of waiting) prompt.cancel = send(prompt.request, prompt.reply);
  }

  #take(prompt: QueuedPrompt): boolean {
    const index = this.#waiting.indexOf(prompt);
    if (index !== -1) this.#waiting.splice(index, 1);
    return index !== -1;
  }
}
