import { type MessagePart, trailingStart } from "../model/conversation-message.js";
import type { DigestedHistory, SessionHistory } from "../model/session-history.js";
import type { ToolResult } from "../mcp/tool-server.js";
import type { TurnPhase } from "../model/turn-state.js";

/** What decides whether a request belongs to a session. */
export interface RoutableSession {
  /** Agent, exposure and folder: what a session cannot change. */
  readonly home: string;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  /** Whether it can be given tools of the editor. */
  readonly hasBridge: boolean;
  /** Whether the request that opened it brought tools, offered or not. */
  readonly broughtTools: boolean;
  readonly history: SessionHistory;
  readonly phase: TurnPhase;
  /** Whether another request has it. */
  readonly isTaken: boolean;
  /** Whether its turn goes on with the result of that call, be it that the agent has given the call up. */
  isWaitingFor(callId: string): boolean;
}

export interface RoutedRequest {
  readonly home: string;
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  /** Whether it has tools that the agent may use. */
  readonly offersTools: boolean;
  /** Whether it has any tools. */
  readonly bringsTools: boolean;
  readonly history: DigestedHistory;
}

/** What the messages after the last answer bring. */
export interface Trailing {
  /** Results of tools, by the ids of their calls. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** All else, in its order. */
  readonly words: readonly MessagePart[];
}

/**
 * Where a request goes. `resume`: the session waits for its results. `go-on`: the session knows what is before `from`.
 * `reject`: so it does, but its turn is open, which the client has left behind. `fork`: another conversation goes on from
 * what this session knows. `begin`: a new session, in place of `replaced`; `isAside`: it is no part of any conversation.
 */
export type Route<S> =
  | { readonly kind: "resume"; readonly session: S; readonly trailing: Trailing }
  | { readonly kind: "go-on" | "reject" | "fork"; readonly session: S; readonly from: number }
  | { readonly kind: "begin"; readonly replaced: S | undefined; readonly isAside: boolean };

export function routeOf<S extends RoutableSession>(request: RoutedRequest, sessions: Iterable<S>): Route<S> {
  const free = [...sessions].filter(({ isTaken }) => !isTaken);
  const trailing = trailingOf(request.history);
  const waiting = free.find((session) => [...trailing.results.keys()].some((id) => session.isWaitingFor(id)));
  if (waiting) return { kind: "resume", session: waiting, trailing };
  const fitting = free.filter(
    (session) => session.home === request.home && (session.hasBridge || !request.offersTools),
  );
  const named = request.conversationId !== undefined;
  const owns = fitting.filter(({ conversationId }) => named && conversationId === request.conversationId);
  const known = owns.map((session) => ({ session, from: fromOf(session.history.match(request.history, true)) }));
  const own =
    known.filter(({ from }) => from > 0).sort((one, other) => other.from - one.from)[0]?.session ??
    owns.find(({ phase }) => phase === "idle") ??
    owns[0];
  if (own) return routeWithin(request, own);
  const busy = [...sessions].some(
    ({ isTaken, home, conversationId }) =>
      isTaken && named && home === request.home && conversationId === request.conversationId,
  );
  const aside = { kind: "begin", replaced: undefined, isAside: true } as const;
  // The conversation's own session is at work: whatever this is, it is not its next turn.
  if (busy) return aside;
  const strangers = fitting.filter(({ initiator }) => initiator === request.initiator);
  const proven = strangers
    .map((session) => ({ session, match: session.history.match(request.history) }))
    .filter(({ match }) => match.kind === "rejects" || (match.kind === "extends" && match.isProven))
    .sort((one, other) => fromOf(other.match) - fromOf(one.match));
  for (const { session, match } of proven) {
    if (isSideOf(request, session)) continue;
    const from = fromOf(match);
    const isIdle = session.phase === "idle";
    if (match.kind === "extends" && isIdle) {
      const isOther = session.conversationId !== request.conversationId;
      return { kind: isOther ? "fork" : "go-on", session, from };
    }
    const isSame = session.conversationId === undefined && request.conversationId === undefined;
    if (!isIdle && isSame) return { kind: "reject", session, from };
  }
  return { kind: "begin", replaced: undefined, isAside: !request.bringsTools && !named };
}

/** The client itself says that the request and the session are of one conversation. */
function routeWithin<S extends RoutableSession>(request: RoutedRequest, session: S): Route<S> {
  if (isSideOf(request, session)) return { kind: "begin", replaced: undefined, isAside: true };
  const match = session.history.match(request.history, true);
  if (session.phase === "idle" && match.kind === "extends") return { kind: "go-on", session, from: match.from };
  if (session.phase !== "idle" && match.kind !== "differs") return { kind: "reject", session, from: match.from };
  // The call that is waited for may be what asks: editors have agents under one, with the id of their chat.
  const replaced = session.phase === "awaitingToolResult" ? undefined : session;
  return { kind: "begin", replaced, isAside: false };
}

/** Titles and summaries: requests without tools, where the conversation has some. */
function isSideOf(request: RoutedRequest, session: RoutableSession): boolean {
  return !request.bringsTools && session.broughtTools;
}

function fromOf(match: ReturnType<SessionHistory["match"]>): number {
  return match.kind === "differs" ? 0 : match.from;
}

/** Results are looked for in all messages after the last answer: clients send one message for each, or one for all. */
function trailingOf({ messages }: DigestedHistory): Trailing {
  const results = new Map<string, ToolResult>();
  const words: MessagePart[] = [];
  for (const part of messages.slice(trailingStart(messages)).flatMap(({ parts }) => parts)) {
    if (part.kind === "result") results.set(part.id, part.result);
    else words.push(part);
  }
  return { results, words };
}
