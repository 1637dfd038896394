import type { OperationState } from "../../../ide-operations/operation-state.js";

/** How far an answer can be trusted, in brackets: the end of its first line. */
export function stateMark(state: OperationState): string {
  switch (state.kind) {
    case "ready":
      return "[ready]";
    case "loading":
      return `[loading${state.percent === undefined ? "" : ` ${state.percent} %`}: more may be found later]`;
    case "degraded":
      return `[degraded: ${state.reason}]`;
  }
}
