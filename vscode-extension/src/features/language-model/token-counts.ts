import type { LmMessage, LmPart } from "@symposium-dev/core";
import { estimateTokens } from "./token-estimate.js";

const messageOverhead = 4;
const imageTokens = 1_100;

/**
 * Caches token counts, since the editor asks for the same texts thousands of times per round. Stores the latest texts, up to `maxChars`
 * characters.
 */
export class TokenCounts {
  readonly #counts = new Map<string, number>();
  #chars = 0;

  constructor(private readonly maxChars = 4_000_000) {}

  ofText(text: string): number {
    // Counting a short text is as fast as a lookup.
    if (text.length < 32) return estimateTokens(text);
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const count = estimateTokens(text);
    if (text.length > this.maxChars) return count;
    this.#counts.set(text, count);
    this.#chars += text.length;
    for (const [oldest] of this.#counts) {
      if (this.#chars <= this.maxChars) break;
      this.#counts.delete(oldest);
      this.#chars -= oldest.length;
    }
    return count;
  }

  ofMessage({ content }: Pick<LmMessage, "content">): number {
    return content.reduce((sum, part) => sum + this.#ofPart(part), messageOverhead);
  }

  #ofPart(part: LmPart): number {
    switch (part.type) {
      case "text":
      case "thinking":
        return this.ofText(part.value);
      case "tool_call":
        return this.ofText(part.toolName) + this.ofText(JSON.stringify(part.parameters)) + messageOverhead;
      case "tool_result":
        return this.#ofResult(part.result) + messageOverhead;
      case "data":
        return part.mimeType.startsWith("image/") ? imageTokens : 0;
      case "usage":
        return 0;
    }
  }

  #ofResult(result: unknown): number {
    if (typeof result === "string") return this.ofText(result);
    if (!Array.isArray(result)) return 0;
    return (result as readonly LmPart[]).reduce((sum, part) => sum + this.#ofPart(part), 0);
  }
}
