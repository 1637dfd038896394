import type { Change, ToolContent } from "../../../protocol/index.js";
import { stringOf } from "../wire.js";

/** Below this length a text is simply sent again. */
const minChars = 1_024;

/**
 * The parts of one tool call whose text grows: some agents send the whole output again with every line. From the
 * second time on only what is new goes further, as output of a terminal.
 */
export class GrowingText {
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
