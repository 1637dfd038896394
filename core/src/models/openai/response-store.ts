import type { MessagePart } from "../conversation-message.js";
import type { ChatMessage } from "./chat-message.js";
import { ErrorResponse } from "./error-response.js";

/** Maximum number of stored answers, and of characters in their conversations together. */
interface ResponseStoreLimits {
  readonly mostAnswers: number;
  readonly mostCharacters: number;
}

const usualLimits: ResponseStoreLimits = { mostAnswers: 256, mostCharacters: 64 * 1024 * 1024 };

interface Kept {
  readonly messages: readonly ChatMessage[];
  readonly characters: number;
}

/** Stores the conversations of the latest answers in memory, for requests that continue one. Drops the oldest first. */
export class ResponseStore {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  constructor(private readonly limits = usualLimits) {}

  /** Returns the messages up to and including an answer. Throws an `ErrorResponse` if the answer isn't stored. */
  messagesOf(id: string): readonly ChatMessage[] {
    const kept = this.#kept.get(id);
    if (kept) return kept.messages;
    throw new ErrorResponse(
      400,
      "previous_response_not_found",
      `The response "${id}" isn't stored. Send the whole conversation as input.`,
      "previous_response_id",
    );
  }

  keep(id: string, messages: readonly ChatMessage[]): void {
    const characters = messages.reduce((sum, message) => sum + charactersOf(message), 0);
    this.#kept.set(id, { messages, characters });
    this.#characters += characters;
    for (const [oldest, { characters: freed }] of this.#kept) {
      const { mostAnswers, mostCharacters } = this.limits;
      if (this.#kept.size <= mostAnswers && this.#characters <= mostCharacters) return;
      this.#kept.delete(oldest);
      this.#characters -= freed;
    }
  }
}

function charactersOf({ parts }: ChatMessage): number {
  return parts.reduce((sum, part) => sum + sizeOf(part), 0);
}

function sizeOf(part: MessagePart): number {
  switch (part.kind) {
    case "text":
      return part.text.length;
    case "image":
      return part.data.length;
    case "link":
      return part.url.length;
    default:
      return JSON.stringify(part).length;
  }
}
