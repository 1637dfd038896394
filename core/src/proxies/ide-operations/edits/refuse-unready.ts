import { SymposiumError } from "../../../base/symposium-error.js";
import type { OperationState } from "../../../ide-operations/operation-state.js";

/** Throws for an edit that may miss places, because the language server does not know the whole workspace. */
export function refuseUnready(what: string, state: OperationState): void {
  if (state.kind === "ready") return;
  const isLoading = state.kind === "loading";
  const reason = isLoading
    ? `the language server is still loading${state.percent === undefined ? "" : ` (${state.percent} %)`}`
    : state.reason;
  throw new SymposiumError(
    "ide-operation-failed",
    `${what} is refused because it could miss places: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`,
    isLoading ? "Ask again in a moment." : "Mend that, or edit the places by hand and check the build.",
  );
}
