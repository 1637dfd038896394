import { type ToExtension, toExtensionSchema } from "../../../protocol/index.js";
import type { Logger } from "../log/logger.js";

export type MessageOf<Type extends ToExtension["type"]> = Extract<ToExtension, { type: Type }>;

export interface ViewMessages {
  on<Type extends ToExtension["type"]>(
    type: Type,
    handler: (message: MessageOf<Type>) => void | Promise<void>,
  ): { dispose(): void };
}

type Handler = (message: ToExtension) => void | Promise<void>;

export class MessageHub implements ViewMessages {
  readonly #handlers = new Map<ToExtension["type"], Handler>();

  constructor(private readonly logger: Logger) {}

  on<Type extends ToExtension["type"]>(
    type: Type,
    handler: (message: MessageOf<Type>) => void | Promise<void>,
  ): { dispose(): void } {
    const own = handler as Handler;
    if (this.#handlers.has(type)) this.logger.warn("chat.messages", "two features handle the same message", { type });
    this.#handlers.set(type, own);
    return {
      dispose: () => {
        if (this.#handlers.get(type) === own) this.#handlers.delete(type);
      },
    };
  }

  /** Handles an unparsed message. Logs invalid messages and handler errors without rethrowing. */
  async receive(raw: unknown): Promise<void> {
    const parsed = toExtensionSchema.safeParse(raw);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const reason = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "?"}`;
      this.logger.warn("chat.messages", "ignored an unreadable message from the view", { reason });
      return;
    }
    const { type } = parsed.data;
    const handler = this.#handlers.get(type);
    if (!handler) {
      this.logger.warn("chat.messages", "no feature handles this message from the view", { type });
      return;
    }
    try {
      await handler(parsed.data);
    } catch (thrown) {
      const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
      this.logger.error("chat.messages", "a message from the view failed", { type, reason });
    }
  }
}
