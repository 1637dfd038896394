import { count, flag, list, object, optional, type Reader, text, variant } from "./reader.js";

/** How far an answer can be trusted. */
export type OperationState = Ready | Loading | Degraded;

interface Answered {
  /** The language servers that answered in the place of whoever was asked, by name. */
  readonly by?: readonly string[];
}

/** The language server has read the workspace. */
interface Ready extends Answered {
  readonly kind: "ready";
}

/** It is still reading: what was found is true, what is missing may yet come. `percent` where it is known. */
interface Loading extends Answered {
  readonly kind: "loading";
  readonly percent?: number;
}

/** Something is missing for good, such as a library's sources or the language server; `reason` says what, and the remedy. */
interface Degraded extends Answered {
  readonly kind: "degraded";
  readonly reason: string;
  /** Nobody here serves the language, nor is starting to: another one may be asked instead. */
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

/** The state of an answer made of several: degraded before loading before ready, and by whom any of it is. */
export function worstState(states: readonly OperationState[]): OperationState {
  const worst =
    states.find(({ kind }) => kind === "degraded") ?? states.find(({ kind }) => kind === "loading") ?? ready;
  const servers = [...new Set(states.flatMap((state) => state.by ?? []))];
  return servers.length === 0 ? worst : { ...worst, by: servers };
}

/** Whether nobody serves the language that was asked about. */
export function isUnserved(state: OperationState): boolean {
  return state.kind === "degraded" && state.isUnserved === true;
}
