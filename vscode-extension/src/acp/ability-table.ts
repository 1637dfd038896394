import { type Logger, Outcome, RpcError, SymposiumError } from "@symposium-dev/core";
import type { AbilityCall, ClientAbility } from "./client-ability.js";
import { RequestFailure } from "./request-failure.js";
import { objectOf, type WireObject } from "./wire.js";

/** Everything the editor can do for agents, by wire method. */
export class AbilityTable {
  /** `clientCapabilities` of `initialize`: those of all abilities, merged member by member. */
  readonly capabilities: WireObject;

  constructor(
    private readonly abilities: readonly ClientAbility[],
    private readonly logger: Logger,
    /** What this side can show without an ability: capabilities of the transcript itself. */
    own: WireObject = {},
  ) {
    this.capabilities = abilities.map((ability) => ability.capabilities).reduce(merge, own);
  }

  /** The answer to a request: of the ability that knows the method, else -32601. Never rejects. */
  async answer(method: string, call: AbilityCall): Promise<Outcome> {
    const handler = this.abilities.find(({ requests }) => Object.hasOwn(requests, method))?.requests[method];
    if (handler === undefined) return Outcome.error(RpcError.methodNotFound(method));
    try {
      return Outcome.of((await handler(call)) ?? {});
    } catch (thrown) {
      return Outcome.error(this.#errorOf(method, thrown));
    }
  }

  /** Hands a notification to every ability that knows it; others are only logged. */
  notify(method: string, call: AbilityCall): void {
    const handlers = this.abilities.flatMap(({ notifications }) => notifications?.[method] ?? []);
    if (handlers.length === 0) this.logger.debug("ignored a notification of the agent", { method });
    for (const handler of handlers) {
      try {
        handler(call);
      } catch (thrown) {
        this.#errorOf(method, thrown);
      }
    }
  }

  sessionEnded(sessionId: string): void {
    for (const ability of this.abilities) ability.sessionEnded?.(sessionId);
  }

  #errorOf(method: string, thrown: unknown): RpcError {
    if (thrown instanceof RequestFailure) return thrown.error;
    if (thrown instanceof SymposiumError) {
      return thrown.code === "cancelled" ? RpcError.cancelled() : RpcError.internal(thrown.text);
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    this.logger.error("a request of the agent failed", { method, reason: message });
    return RpcError.internal(message);
  }
}

function merge(left: WireObject, right: WireObject): WireObject {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const [old, added] = [objectOf(merged[key]), objectOf(value)];
    merged[key] = old && added ? merge(old, added) : value;
  }
  return merged;
}
