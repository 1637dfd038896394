import { count, flag, kindOf, list, object, optional, type Read, text, variant } from "./reader.js";

/** Names of the language servers that answered instead of the editor. */
const by = optional(list(text));

export const operationState = variant({
  /** The language server has loaded the workspace. */
  ready: object({ kind: kindOf("ready"), by }),
  /** The language server is still loading: results are valid but may be incomplete. `percent` is absent if unknown. */
  loading: object({ kind: kindOf("loading"), percent: optional(count), by }),
  /**
   * The results are permanently incomplete, for example without a library's sources or a language server. `reason` explains the cause and
   * the remedy. `isUnserved`: no server supports the language or is starting, so that another provider may be asked.
   */
  degraded: object({ kind: kindOf("degraded"), reason: text, isUnserved: optional(flag), by }),
});
export type OperationState = Read<typeof operationState>;

export const ready: OperationState = { kind: "ready" };

/** Combines the states of partial answers: degraded wins over loading, and loading over ready. Merges `by`. */
export function worstState(states: readonly OperationState[]): OperationState {
  const worst =
    states.find(({ kind }) => kind === "degraded") ?? states.find(({ kind }) => kind === "loading") ?? ready;
  const servers = [...new Set(states.flatMap((state) => state.by ?? []))];
  return servers.length === 0 ? worst : { ...worst, by: servers };
}

export function isUnserved(state: OperationState): boolean {
  return state.kind === "degraded" && state.isUnserved === true;
}
