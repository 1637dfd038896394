import { arrayOf, elementsOf, memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Outcome, Request } from "../base/rpc/message.js";
import type { Cancel, Reply } from "../base/rpc/peer.js";
import { RpcError } from "../base/rpc/rpc-error.js";

/** The content blocks of a prompt, raw, and changes of them that leave every other block as it was. */
export class PromptRequestEdit {
  private constructor(
    private readonly request: Request,
    readonly blocks: readonly Json[],
    readonly isChanged = true,
  ) {}

  /** Undefined when the request has no list of blocks. */
  static of(request: Request): PromptRequestEdit | undefined {
    const prompt = request.params && memberOf(request.params, "prompt");
    const blocks = prompt && elementsOf(prompt);
    return blocks && new PromptRequestEdit(request, blocks, false);
  }

  /** The text of the first text block. */
  get firstText(): string | undefined {
    return this.blocks.map(textOf).find((text) => text !== undefined);
  }

  /** Texts of all text blocks. */
  get texts(): readonly string[] {
    return this.blocks.flatMap((block) => textOf(block) ?? []);
  }

  /** With others in place of the first text block. */
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

/** The name and the words of a slash command. */
export function parseCommand(text: string): { readonly name: string; readonly words: string } | undefined {
  const [, name, words] = /^\s*\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, words: words?.trim() ?? "" };
}

interface QueuedPrompt {
  readonly request: Request;
  readonly reply: Reply;
  /** Cancels it once it was sent. */
  cancel?: Cancel;
}

/** Prompts of a session that wait for what belongs into the first of them, in their order. */
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

  /** Ends the turns of all that wait, as `session/cancel` does; false when none does. */
  cancelAll(): boolean {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reply } of waiting) reply(Outcome.of({ stopReason: "cancelled" }));
    return waiting.length > 0;
  }

  /** Has `send` take all that wait, in their order. */
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
