import { Json } from "../../rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../rpc/json-edit.js";
import { Request } from "../../rpc/message.js";

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
