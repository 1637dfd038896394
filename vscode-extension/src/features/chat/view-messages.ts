import type { ToExtension } from "../../../protocol/index.js";

export type MessageOf<Type extends ToExtension["type"]> = Extract<ToExtension, { type: Type }>;

/** Where features listen to the chat view. Messages are parsed before they come here; one feature owns each type. */
export interface ViewMessages {
  on<Type extends ToExtension["type"]>(
    type: Type,
    handler: (message: MessageOf<Type>) => void | Promise<void>,
  ): { dispose(): void };
}
