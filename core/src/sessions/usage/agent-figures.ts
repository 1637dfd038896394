import { updateKindIn } from "../../base/acp/session-message.js";
import { asObject, type Members, parsedObject } from "../../base/rpc/json.js";
import type { UsageFigures } from "./usage-row.js";

/** How far a limit of the user's account is used up, as the agent said it last. */
export interface RateLimit {
  /** The agent's word for it, such as `five_hour`. */
  readonly name: string;
  /** The agent's word for how it is: `allowed`, `allowed_warning` or `rejected`. */
  readonly status: string;
  /** The part of it that is used, from 0 to 1. */
  readonly used?: number;
  /** When it begins anew, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/** The limit that an update tells of: Claude's do, with a subscription. */
export function rateLimitOf(update: Members): RateLimit | undefined {
  const limit = asObject(asObject(update["_meta"])?.["_claude/rateLimit"]);
  const { status, rateLimitType, utilization, resetsAt } = limit ?? {};
  if (typeof status !== "string") return undefined;
  return {
    name: typeof rateLimitType === "string" ? rateLimitType : "limit",
    status,
    ...(isAmount(utilization) && { used: utilization > 1 ? utilization / 100 : utilization }),
    // Seconds, as it stands in the header of the provider's answer.
    ...(isAmount(resetsAt) && { resetsAt: resetsAt < 1e12 ? resetsAt * 1_000 : resetsAt }),
  };
}

type Tokens = Pick<UsageFigures, "inputTokens" | "outputTokens" | "cachedTokens">;

/**
 * The tokens of one turn, from its result: as the agent counts them for the turn, else for the requests to its models;
 * undefined where it has none.
 */
export function tokensOf(result: string): Tokens | undefined {
  const answer = parsedObject(result) ?? {};
  const quota = asObject(asObject(asObject(answer["_meta"])?.["quota"])?.["token_count"]);
  const counts = asObject(answer["usage"]) ?? quota;
  const tokens = counts && tokensIn(counts);
  return tokens && Object.values(tokens).some((count) => count > 0) ? tokens : undefined;
}

/** The tokens of one request to a model, which Qwen tells with a part of its message; `params` are of a `session/update`. */
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

/** What a session has cost, as its agent adds it up: what was not counted before. Context in use is no cost, and not looked at. */
export class SessionCost {
  #counted: number | undefined;
  #now: number | undefined;

  /** `hasHistory`: what it has cost before is counted already, or was never ours. */
  constructor(hasHistory: boolean) {
    this.#counted = hasHistory ? undefined : 0;
  }

  update(update: Members): void {
    const { amount, currency } = asObject(update["cost"]) ?? {};
    if (!isAmount(amount) || currency !== "USD") return;
    this.#now = Math.round(amount * 1e6);
    this.#counted ??= this.#now;
  }

  /** Whether its agent tells it: 0 is what some say of models that they have no price of. */
  get isTold(): boolean {
    return (this.#now ?? 0) > 0;
  }

  /** Millionths of a dollar since it was taken. */
  get growth(): number {
    return Math.max(0, (this.#now ?? 0) - (this.#counted ?? 0));
  }

  /** The growth, which begins anew then. */
  take(): number {
    const added = this.growth;
    if (this.#now !== undefined) this.#counted = this.#now;
    return added;
  }
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
