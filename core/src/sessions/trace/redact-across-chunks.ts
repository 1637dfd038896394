import { asObject } from "../../base/rpc/json.js";
import type { NotificationEvent, TraceEvent } from "./trace-event.js";

interface ChunkGateOptions {
  /** Receives the events in their original order. */
  readonly write: (event: TraceEvent) => void;
  readonly redact: (text: string) => string;
  /** Returns whether a credential may continue on the line after this text, which ends with a complete line. */
  readonly isOpen: (text: string) => boolean;
}

interface Held {
  event: TraceEvent;
  isSettled: boolean;
}

interface Stream {
  readonly kind: string;
  readonly pieces: { readonly held: Held; readonly text: string }[];
  length: number;
}

const maxHeld = 256;
const maxStreamLength = 16 * 1024;
const privateKey = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY[^]*$/;

/**
 * Delays events while a streamed answer is inside a line, so that credentials split across chunks are redacted whole. A line end, another
 * message of the session or a limit releases the events. Preserves the order and delays at most 256 events.
 */
export class ChunkGate {
  readonly #queue: Held[] = [];
  /** Streams by pair of components and session. */
  readonly #streams = new Map<string, Stream>();

  constructor(private readonly options: ChunkGateOptions) {}

  push(event: TraceEvent): void {
    const chunk = chunkOf(event);
    const key = keyOf(event);
    const held = { event, isSettled: chunk === undefined };
    if (event.type === "process") this.end();
    else if (this.#streams.get(key)?.kind !== chunk?.kind) this.#settle(key);
    this.#queue.push(held);
    if (chunk) this.#add(key, chunk.kind, { held, text: chunk.text });
    if (this.#queue.length > maxHeld) this.#settleAll();
    this.#drain();
  }

  end(): void {
    this.#settleAll();
    this.#drain();
  }

  #add(key: string, kind: string, piece: Stream["pieces"][number]): void {
    const stream = this.#streams.get(key) ?? { kind, pieces: [], length: 0 };
    this.#streams.set(key, stream);
    stream.pieces.push(piece);
    stream.length += piece.text.length;
    if (stream.length > maxStreamLength || (piece.text.endsWith("\n") && !this.#isOpen(stream))) this.#settle(key);
  }

  #isOpen({ pieces }: Stream): boolean {
    const text = pieces.map(({ text }) => text).join("");
    const key = privateKey.exec(text)?.[0];
    return (key !== undefined && !key.includes("-----END")) || this.options.isOpen(text);
  }

  #settleAll(): void {
    for (const key of [...this.#streams.keys()]) this.#settle(key);
  }

  #settle(key: string): void {
    const stream = this.#streams.get(key);
    if (!stream) return;
    this.#streams.delete(key);
    const texts = this.#redacted(stream.pieces.map(({ text }) => text));
    for (const [index, { held, text }] of stream.pieces.entries()) {
      const replaced = texts[index] ?? "";
      if (replaced !== text) held.event = withText(held.event, replaced);
      held.isSettled = true;
    }
  }

  /**
   * Redacts the chunks of a text as a whole. Merges chunks that share a credential into the first of them; other chunks remain separate if
   * that gives the same text.
   */
  #redacted(texts: readonly string[]): readonly string[] {
    const { redact } = this.options;
    if (redact(texts.join("")) === texts.join("")) return texts;
    const result: string[] = [];
    for (let start = 0; start < texts.length;) {
      const rest = texts.slice(start);
      const whole = redact(rest.join(""));
      let count = 1;
      while (
        count < rest.length &&
        redact(rest.slice(0, count).join("")) + redact(rest.slice(count).join("")) !== whole
      )
        count++;
      result.push(redact(rest.slice(0, count).join("")), ...Array<string>(count - 1).fill(""));
      start += count;
    }
    return result;
  }

  #drain(): void {
    while (this.#queue[0]?.isSettled === true) {
      const held = this.#queue.shift();
      if (held) this.options.write(held.event);
    }
  }
}

/** Returns the key of an event's stream. Both directions between two components share a key, since an answer ends the text before it. */
function keyOf(event: TraceEvent): string {
  if (event.type === "process") return "";
  return JSON.stringify([...[event.from, event.to].sort(), event.session]);
}

/** Returns the text that a session update appends to earlier text. */
function chunkOf(event: TraceEvent): { readonly kind: string; readonly text: string } | undefined {
  if (event.type !== "notification") return undefined;
  const { kind, content } = updateOf(event);
  const text = content?.["text"];
  return typeof kind === "string" && kind.endsWith("_chunk") && typeof text === "string" ? { kind, text } : undefined;
}

function updateOf({ params }: NotificationEvent) {
  const update = asObject(asObject(params)?.["update"]);
  return { update, kind: update?.["sessionUpdate"], content: asObject(update?.["content"]) };
}

function withText(event: TraceEvent, text: string): TraceEvent {
  if (event.type !== "notification") return event;
  const { update, content } = updateOf(event);
  return { ...event, params: { ...asObject(event.params), update: { ...update, content: { ...content, text } } } };
}
