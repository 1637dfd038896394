import { count, object, optional, type Reader, text, variant } from "./reader.js";

/** How far an answer can be trusted. */
export type OperationState =
  /** The language server has read the workspace. */
  | { readonly kind: "ready" }
  /** It is still reading: what was found is true, what is missing may yet come. `percent` where it is known. */
  | { readonly kind: "loading"; readonly percent?: number }
  /** Something is missing for good, such as a library's sources or the language server; `reason` says what, and the remedy. */
  | { readonly kind: "degraded"; readonly reason: string };

export const ready: OperationState = { kind: "ready" };

export const operationState: Reader<OperationState> = variant<OperationState>({
  ready: object<{ readonly kind: "ready" }>({ kind: literal("ready") }),
  loading: object<{ readonly kind: "loading"; readonly percent?: number }>({
    kind: literal("loading"),
    percent: optional(count),
  }),
  degraded: object<{ readonly kind: "degraded"; readonly reason: string }>({ kind: literal("degraded"), reason: text }),
});

function literal<const T extends string>(expected: T): Reader<T> {
  return () => expected;
}

/** The state of an answer made of several: degraded before loading before ready. */
export function worstState(states: readonly OperationState[]): OperationState {
  return states.find(({ kind }) => kind === "degraded") ?? states.find(({ kind }) => kind === "loading") ?? ready;
}
