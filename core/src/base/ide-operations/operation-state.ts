import { count, flag, list, object, optional, type Reader, text, variant } from "./reader.js";

export type OperationState = Ready | Loading | Degraded;

interface Answered {
  /** Names of the language servers that answered instead of the editor. */
  readonly by?: readonly string[];
}

/** State of an operation if the language server has loaded the workspace. */
interface Ready extends Answered {
  readonly kind: "ready";
}

/** The language server is still loading: results are valid but may be incomplete. `percent` is absent if unknown. */
interface Loading extends Answered {
  readonly kind: "loading";
  readonly percent?: number;
}

/**
 * State of an operation whose results are permanently incomplete, for example without a library's sources or a language server. `reason`
 * explains the cause and the remedy.
 */
interface Degraded extends Answered {
  readonly kind: "degraded";
  readonly reason: string;
  /** Set if no server supports the language or is starting, so that another provider may be asked. */
  readonly isUnserved?: boolean;
}

export const ready: OperationState = { kind: "ready" };

const by = optional(list(text));

export const operationState: Reader<OperationState> = variant<OperationState>({
  ready: object<Ready>({ kind: literal("ready"), by }),
  loading: object<Loading>({ kind: literal("loading"), percent: optional(count), by }),
  degraded: object<Degraded>({ kind: literal("degraded"), reason: text, isUnserved: optional(flag), by }),
});

function literal<const T extends string>(expected: T): Reader<T> {
  return () => expected;
}

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
