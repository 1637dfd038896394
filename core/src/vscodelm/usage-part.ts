import { asObject } from "../rpc/json.js";
import type { ContextUse } from "./chat-session.js";
import type { LmPart } from "./wire.js";

/** What the agent says of tokens, if it does: those of the turn, and how full its context is. */
export function usagePart(usage: unknown, context: ContextUse | undefined): LmPart | undefined {
  const { inputTokens, outputTokens } = asObject(usage) ?? {};
  const part = {
    type: "usage",
    ...(typeof inputTokens === "number" && { inputTokens }),
    ...(typeof outputTokens === "number" && { outputTokens }),
    ...(context && { contextUsed: context.used, contextSize: context.size }),
  } as const;
  return Object.keys(part).length > 1 ? part : undefined;
}
