import type { OperationState } from "../../../ide-operations/operation-state.js";

/** How far an answer can be trusted, in brackets: the end of its first line. */
export function stateMark(state: OperationState): string {
  const by = state.by === undefined ? "" : `, by Symposium's ${state.by.join(" and ")}`;
  switch (state.kind) {
    case "ready":
      return `[ready${by}]`;
    case "loading":
      return `[loading${state.percent === undefined ? "" : ` ${state.percent} %`}${by}: more may be found later]`;
    case "degraded":
      return `[degraded${by}: ${state.reason}]`;
  }
}
