import { updateKindIn } from "../../base/acp/session-message.js";
import { asObject, type Members, parsedObject } from "../../base/rpc/json.js";
import type { UsageFigures } from "./usage-row.js";

/** Latest use of a limit on the user's account, as reported by the agent. */
export interface RateLimit {
  /** The agent's name for the limit, such as `five_hour`. */
  readonly name: string;
  /** State of the limit as the agent reports it: `allowed`, `allowed_warning` or `rejected`. */
  readonly status: string;
  /** Fraction of the limit that is used, from 0 to 1. */
  readonly used?: number;
  /** Time of the next reset, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/** Returns the account limit in an update, such as Claude sends with a subscription; undefined if there is none. */
export function rateLimitOf(update: Members): RateLimit | undefined {
  const limit = asObject(asObject(update["_meta"])?.["_claude/rateLimit"]);
  const { status, rateLimitType, utilization, resetsAt } = limit ?? {};
  if (typeof status !== "string") return undefined;
  return {
    name: typeof rateLimitType === "string" ? rateLimitType : "limit",
    status,
    ...(isAmount(utilization) && { used: utilization > 1 ? utilization / 100 : utilization }),
    // The agent copies the value from a header of the provider's response, where it is in seconds.
    ...(isAmount(resetsAt) && { resetsAt: resetsAt < 1e12 ? resetsAt * 1_000 : resetsAt }),
  };
}

type Tokens = Pick<UsageFigures, "inputTokens" | "outputTokens" | "cachedTokens">;

/** Returns a turn's tokens from its result: the agent's total, else the sum for its models; undefined if not reported. */
export function tokensOf(result: string): Tokens | undefined {
  const answer = parsedObject(result) ?? {};
  const quota = asObject(asObject(asObject(answer["_meta"])?.["quota"])?.["token_count"]);
  const counts = asObject(answer["usage"]) ?? quota;
  const tokens = counts && tokensIn(counts);
  return tokens && Object.values(tokens).some((count) => count > 0) ? tokens : undefined;
}

/** Returns the tokens of one model request, which Qwen attaches to a message chunk. `params` are of a `session/update`. */
export function tokensOfChunk(params: string): Tokens | undefined {
  if (!params.includes('"usage"') || updateKindIn(params) !== "agent_message_chunk") return undefined;
  const counts = asObject(asObject(asObject(parsedObject(params)?.["update"])?.["_meta"])?.["usage"]);
  return counts && tokensIn(counts);
}

function tokensIn(counts: Members): Tokens {
  return {
    inputTokens: sumOf(counts, ["inputTokens", "input_tokens"]),
    outputTokens: sumOf(counts, ["outputTokens", "output_tokens"]),
    cachedTokens: sumOf(counts, [
      "cachedReadTokens",
      "cachedInputTokens",
      "cachedWriteTokens",
      "cacheWriteInputTokens",
      "cached_tokens",
    ]),
  };
}

function sumOf(counts: Members, names: readonly string[]): number {
  return names.map((name) => counts[name]).reduce<number>((sum, count) => sum + (isAmount(count) ? count : 0), 0);
}

/**
 * Tracks the part of a session's cost that hasn't been counted yet, from the agent's running total. Ignores the size of the context, which
 * isn't a cost.
 */
export class SessionCost {
  #counted: number | undefined;
  #now: number | undefined;

  /** If `hasHistory`, ignores the cost of earlier turns, which was already counted or isn't this user's. */
  constructor(hasHistory: boolean) {
    this.#counted = hasHistory ? undefined : 0;
  }

  update(update: Members): void {
    const { amount, currency } = asObject(update["cost"]) ?? {};
    if (!isAmount(amount) || currency !== "USD") return;
    this.#now = Math.round(amount * 1e6);
    this.#counted ??= this.#now;
  }

  /** Whether the agent reports costs. A cost of 0 doesn't count, since some agents report 0 for models without a known price. */
  get isTold(): boolean {
    return (this.#now ?? 0) > 0;
  }

  /** Millionths of a dollar since the last {@link take}. */
  get growth(): number {
    return Math.max(0, (this.#now ?? 0) - (this.#counted ?? 0));
  }

  take(): number {
    const added = this.growth;
    if (this.#now !== undefined) this.#counted = this.#now;
    return added;
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
