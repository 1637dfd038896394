/**
 * Where a session stands between its agent and its client. `ending`: the turn was given up, and the agent has not ended
 * it yet.
 */
export type TurnPhase = "idle" | "streaming" | "awaitingToolPermission" | "awaitingToolResult" | "ending";

/** Something that the agent waits for: the result of one of the client's tools, or a permission. */
export interface PendingCall {
  readonly id: string;
  readonly kind: "tool" | "permission";
}

export interface TurnState {
  readonly phase: TurnPhase;
  /** Whether the agent still works on the prompt. */
  readonly isOpen: boolean;
  /** Calls that the client has not got yet. */
  readonly fresh: readonly PendingCall[];
  /** Calls that the client got and has not answered. */
  readonly awaited: readonly PendingCall[];
}

/** What happens to a session. */
export type TurnEvent =
  | { readonly type: "prompted" }
  | { readonly type: "said" }
  | { readonly type: "called"; readonly call: PendingCall }
  /** The agent no longer waits for it. */
  | { readonly type: "call-given-up"; readonly id: string }
  /** No further call comes with those that are fresh; at most `limit` of them are emitted now. */
  | { readonly type: "round-closed"; readonly limit: number }
  /** A request brings these results, and listens from now on. */
  | { readonly type: "answered"; readonly ids: ReadonlySet<string> }
  | { readonly type: "ended" }
  /** The client gave the turn up. */
  | { readonly type: "cancelled" };

/** How a call comes to its end: with its result, without the one that its client owed, or with the turn. */
type CallEnd = "result" | "missing" | "cancelled";

/** What has to be done, in this order. */
export type TurnEffect =
  | { readonly type: "send-prompt" }
  | { readonly type: "send-cancel" }
  /** What the agent said goes to the listening request, is kept for the next one, or is nobody's any more. */
  | { readonly type: "emit" | "keep" | "drop" }
  /** The listening request gets what was kept. */
  | { readonly type: "emit-kept" }
  | { readonly type: "drop-kept" }
  | { readonly type: "emit-calls"; readonly ids: readonly string[] }
  | { readonly type: "settle"; readonly id: string; readonly end: CallEnd }
  /** Find out when the round of fresh calls is over. */
  | { readonly type: "watch-round" }
  /** The listening request is over. */
  | { readonly type: "end-answer"; readonly because: "calls" | "end" | "cancelled" };

interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** A session that has not been asked anything. */
export const idleTurn: TurnState = { phase: "idle", isOpen: false, fresh: [], awaited: [] };

/** The next state and what is to be done. What makes no sense in a state changes nothing. */
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

function isAwaiting({ phase }: TurnState): boolean {
  return phase === "awaitingToolPermission" || phase === "awaitingToolResult";
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
  if (!isAwaiting(state)) return step(state);
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

/** Calls of a turn that is over are nobody's: their results would go nowhere. */
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
    // What was said before the agent itself ended the turn comes with the next one.
    ...(state.isOpen ? ([{ type: "send-cancel" }, { type: "drop-kept" }] as const) : []),
    ...(state.phase === "streaming" ? [{ type: "end-answer", because: "cancelled" } as const] : []),
  );
}

function all({ fresh, awaited }: TurnState, end: CallEnd): readonly TurnEffect[] {
  return [...awaited, ...fresh].map(({ id }) => ({ type: "settle", id, end }));
}
