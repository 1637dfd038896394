/** State of a turn between agent and client. `ending`: cancelled, but the agent hasn't ended the turn. */
export type TurnPhase = "idle" | "streaming" | "awaitingToolPermission" | "awaitingToolResult" | "ending";

/** Result of a client's tool, or a permission, that the agent waits for. */
export interface PendingCall {
  readonly id: string;
  readonly kind: "tool" | "permission";
}

export interface TurnState {
  readonly phase: TurnPhase;
  /** Whether the agent is still working on the prompt. */
  readonly isOpen: boolean;
  /** Calls that the client hasn't received. */
  readonly fresh: readonly PendingCall[];
  /** Calls that the client has received but not answered. */
  readonly awaited: readonly PendingCall[];
}

export type TurnEvent =
  | { readonly type: "prompted" }
  | { readonly type: "said" }
  | { readonly type: "called"; readonly call: PendingCall }
  | { readonly type: "call-given-up"; readonly id: string }
  /** All calls of a round have arrived; send at most `limit` of the calls now. */
  | { readonly type: "round-closed"; readonly limit: number }
  /** A request brings results of these calls, and receives the answer. */
  | { readonly type: "answered"; readonly ids: ReadonlySet<string> }
  | { readonly type: "ended" }
  | { readonly type: "cancelled" };

/** End of a call: a result, a missing result, or the end of the turn. */
type CallEnd = "result" | "missing" | "cancelled";

/** Effect of a state change; effects must be performed in order. */
export type TurnEffect =
  | { readonly type: "send-prompt" }
  | { readonly type: "send-cancel" }
  /** Send the agent's output to the request, buffer it for the next one, or drop it. */
  | { readonly type: "emit" | "keep" | "drop" }
  | { readonly type: "emit-kept" }
  | { readonly type: "drop-kept" }
  | { readonly type: "emit-calls"; readonly ids: readonly string[] }
  | { readonly type: "settle"; readonly id: string; readonly end: CallEnd }
  /** Start detecting when the agent has made all calls of a round. */
  | { readonly type: "watch-round" }
  | { readonly type: "end-answer"; readonly because: "calls" | "end" | "cancelled" };

interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

export const idleTurn: TurnState = { phase: "idle", isOpen: false, fresh: [], awaited: [] };

/** Returns the next state and its effects. Ignores events that are invalid in the state. */
export function stepTurn(state: TurnState, event: TurnEvent): TurnStep {
  switch (event.type) {
    case "prompted":
      return prompted(state);
    case "said":
      return { state, effects: [{ type: speechEffect(state.phase) }] };
    case "called":
      return called(state, event.call);
    case "call-given-up": {
      const others = ({ id }: PendingCall): boolean => id !== event.id;
      return step({ ...state, fresh: state.fresh.filter(others), awaited: state.awaited.filter(others) });
    }
    case "round-closed":
      return roundClosed(state, event.limit);
    case "answered":
      return answered(state, event.ids);
    case "ended":
      return ended(state);
    case "cancelled":
      return cancelled(state);
  }
}

function step(state: TurnState, ...effects: readonly TurnEffect[]): TurnStep {
  return { state, effects };
}

function speechEffect(phase: TurnPhase): "emit" | "keep" | "drop" {
  if (phase === "streaming") return "emit";
  return phase === "ending" ? "drop" : "keep";
}

function prompted(state: TurnState): TurnStep {
  if (state.phase !== "idle") return step(state);
  const watch: readonly TurnEffect[] = state.fresh.length > 0 ? [{ type: "watch-round" }] : [];
  return step({ ...state, phase: "streaming", isOpen: true }, { type: "emit-kept" }, { type: "send-prompt" }, ...watch);
}

function called(state: TurnState, call: PendingCall): TurnStep {
  if (state.phase === "ending") return step(state, { type: "settle", id: call.id, end: "cancelled" });
  const next = { ...state, fresh: [...state.fresh, call] };
  return state.phase === "streaming" ? step(next, { type: "watch-round" }) : step(next);
}

function roundClosed(state: TurnState, limit: number): TurnStep {
  if (state.phase !== "streaming" || state.fresh.length === 0) return step(state);
  const awaited = state.fresh.slice(0, limit);
  const isAsking = awaited.some(({ kind }) => kind === "permission");
  return step(
    {
      ...state,
      phase: isAsking ? "awaitingToolPermission" : "awaitingToolResult",
      fresh: state.fresh.slice(limit),
      awaited,
    },
    { type: "emit-calls", ids: awaited.map(({ id }) => id) },
    { type: "end-answer", because: "calls" },
  );
}

function answered(state: TurnState, ids: ReadonlySet<string>): TurnStep {
  if (!(state.phase === "awaitingToolPermission" || state.phase === "awaitingToolResult")) return step(state);
  const settled = state.awaited.map(({ id }): TurnEffect => ({
    type: "settle",
    id,
    end: ids.has(id) ? "result" : "missing",
  }));
  if (!state.isOpen) {
    return step(
      { ...state, phase: "idle", awaited: [] },
      ...settled,
      { type: "emit-kept" },
      { type: "end-answer", because: "end" },
    );
  }
  const watch: readonly TurnEffect[] = state.fresh.length > 0 ? [{ type: "watch-round" }] : [];
  return step({ ...state, phase: "streaming", awaited: [] }, { type: "emit-kept" }, ...settled, ...watch);
}

/** Cancels calls of an ended turn, since their results have no receiver. */
function ended(state: TurnState): TurnStep {
  if (!state.isOpen) return step(state);
  const settled = all(state, "cancelled");
  const over = { ...state, isOpen: false, fresh: [], awaited: [] };
  switch (state.phase) {
    case "streaming":
      return step({ ...over, phase: "idle" }, ...settled, { type: "end-answer", because: "end" });
    case "ending":
    case "idle":
      return step({ ...over, phase: "idle" }, ...settled);
    default:
      return step(over, ...settled);
  }
}

function cancelled(state: TurnState): TurnStep {
  if (state.phase === "ending") return step(state);
  if (state.phase === "idle") return step({ ...state, fresh: [] }, ...all(state, "cancelled"));
  const over: TurnState = { ...state, phase: state.isOpen ? "ending" : "idle", fresh: [], awaited: [] };
  return step(
    over,
    ...all(state, "cancelled"),
    // If the agent ended the turn itself, its buffered output goes to the next answer.
    ...(state.isOpen ? ([{ type: "send-cancel" }, { type: "drop-kept" }] as const) : []),
    ...(state.phase === "streaming" ? [{ type: "end-answer", because: "cancelled" } as const] : []),
  );
}

function all({ fresh, awaited }: TurnState, end: CallEnd): readonly TurnEffect[] {
  return [...awaited, ...fresh].map(({ id }) => ({ type: "settle", id, end }));
}
