import { asObject } from "../base/rpc/json.js";

/** Piece of an agent's output; images are in base64. */
export type Piece =
  | { readonly kind: "content" | "reasoning"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; readonly data: string };

/** Buffers an agent's output while nobody listens. Above the maximum size, replaces the middle with a note. */
export class Backlog {
  #head: Piece[] = [];
  #tail: Piece[] = [];
  #headLength = 0;
  #tailLength = 0;
  #leftOut = 0;

  /** `maxLength` is in characters. */
  constructor(private readonly maxLength = 1_048_576) {}

  push(piece: Piece): void {
    const length = lengthOf(piece);
    if (this.#tail.length === 0 && this.#headLength + length <= this.maxLength / 2) {
      this.#headLength += length;
      append(this.#head, piece);
      return;
    }
    this.#tailLength += length;
    this.#tail.push(piece);
    while (this.#tailLength > this.maxLength / 2) {
      const oldest = this.#tail.shift();
      if (!oldest) return;
      this.#tailLength -= lengthOf(oldest);
      this.#leftOut += lengthOf(oldest);
    }
  }

  get isEmpty(): boolean {
    return this.#head.length === 0 && this.#tail.length === 0;
  }

  take(): readonly Piece[] {
    const notice = `\n\n[${this.#leftOut} characters omitted: the agent wrote more than is stored between requests.]\n\n`;
    const pieces: readonly Piece[] = [
      ...this.#head,
      ...(this.#leftOut > 0 ? [{ kind: "content", text: notice } as const] : []),
      ...this.#tail,
    ];
    [this.#head, this.#tail] = [[], []];
    this.#headLength = this.#tailLength = this.#leftOut = 0;
    return pieces;
  }
}

function lengthOf(piece: Piece): number {
  return piece.kind === "image" ? piece.data.length : piece.text.length;
}

function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (last && last.kind !== "image" && piece.kind !== "image" && last.kind === piece.kind) {
    pieces[pieces.length - 1] = { kind: last.kind, text: last.text + piece.text };
  } else pieces.push(piece);
}

/** Converts a content block to a piece of the answer; other content becomes a name in brackets. */
export function pieceOf(content: unknown, kind: "content" | "reasoning"): Piece | undefined {
  const { type, text, uri, name, mimeType, data, resource } = asObject(content) ?? {};
  if (type === "text") return typeof text === "string" ? { kind, text } : undefined;
  if (type === "resource_link" && typeof uri === "string") {
    return { kind, text: `[${typeof name === "string" ? name : uri}](${uri})` };
  }
  if (type === "image" && typeof mimeType === "string" && typeof data === "string") {
    return { kind: "image", mimeType, data };
  }
  const embedded = asObject(resource);
  if (typeof embedded?.["text"] === "string") return { kind, text: embedded["text"] };
  return typeof type === "string" ? { kind, text: `[${type}]` } : undefined;
}
