import type { ToolResult } from "../base/mcp/tool-server.js";
import { type MessagePart, trailingStart } from "./conversation-message.js";
import type { ModelRequest } from "./model-request.js";
import type { ModelSession } from "./model-session.js";
import type { DigestedHistory, HistoryMatch } from "./session-history.js";

/** What the messages after the last answer bring. */
export interface TrailingParts {
  /** Results of tools, by the ids of their calls. */
  readonly results: ReadonlyMap<string, ToolResult>;
  /** All else, in its order. */
  readonly words: readonly MessagePart[];
}

/**
 * Which session answers a request. `resume`: the one that waits for its results. `continue`: one that knows what is before
 * `from`. `abandon`: so does this one, but its turn is open, which the client has left behind. `fork`: another
 * conversation goes on from what this one knows. `open`: a new one, in place of `replaced`; `isAside`: it is no part of
 * any conversation.
 */
export type SessionMatch =
  | { readonly kind: "resume"; readonly session: ModelSession; readonly trailing: TrailingParts }
  | { readonly kind: "continue" | "abandon" | "fork"; readonly session: ModelSession; readonly from: number }
  | { readonly kind: "open"; readonly replaced: ModelSession | undefined; readonly isAside: boolean };

const openAside = { kind: "open", replaced: undefined, isAside: true } as const;

/** Finds the session of a request by the calls that it answers, the client's id of the conversation, or its history. */
export function matchSession(
  request: ModelRequest,
  history: DigestedHistory,
  sessions: readonly ModelSession[],
): SessionMatch {
  const free = sessions.filter(({ isTaken }) => !isTaken);
  const trailing = trailingParts(history);
  const waiting = free.find((session) => [...trailing.results.keys()].some((id) => session.isWaitingFor(id)));
  if (waiting) return { kind: "resume", session: waiting, trailing };
  const fitting = free.filter(
    (session) => session.sessionKey === request.sessionKey && (session.hasBridge || request.tools.length === 0),
  );
  const isNamed = request.conversationId !== undefined;
  const own = ownSession(
    fitting.filter(({ conversationId }) => isNamed && conversationId === request.conversationId),
    history,
  );
  if (own) return matchWithin(request, history, own);
  const isBusy = sessions.some(
    ({ isTaken, sessionKey, conversationId }) =>
      isTaken && isNamed && sessionKey === request.sessionKey && conversationId === request.conversationId,
  );
  // The conversation's own session is at work: whatever this is, it is not its next turn.
  if (isBusy) return openAside;
  const strangers = fitting.filter(({ initiator }) => initiator === request.initiator);
  return (
    matchByHistory(request, history, strangers) ?? {
      kind: "open",
      replaced: undefined,
      isAside: request.clientAlwaysBringsTools && !request.bringsTools && !isNamed,
    }
  );
}

/** Of the sessions of one conversation the one that knows most of the history, else one that rests. */
function ownSession(owns: readonly ModelSession[], history: DigestedHistory): ModelSession | undefined {
  const known = owns
    .map((session) => ({ session, from: fromOf(session.history.match(history, true)) }))
    .filter(({ from }) => from > 0)
    .sort((one, other) => other.from - one.from);
  return known[0]?.session ?? owns.find(({ phase }) => phase === "idle") ?? owns[0];
}

/** The client itself says that the request and the session are of one conversation. */
function matchWithin(request: ModelRequest, history: DigestedHistory, session: ModelSession): SessionMatch {
  if (isAsideOf(request, session)) return openAside;
  const match = session.history.match(history, true);
  if (session.phase === "idle" && match.kind === "extends") return { kind: "continue", session, from: match.from };
  if (session.phase !== "idle" && match.kind !== "differs") return { kind: "abandon", session, from: match.from };
  // The call that is waited for may be what asks: editors have agents under one, with the id of their chat.
  const replaced = session.phase === "awaitingToolResult" ? undefined : session;
  return { kind: "open", replaced, isAside: false };
}

/** Only an answer of the session itself in the history proves that both are of one conversation. */
function matchByHistory(
  request: ModelRequest,
  history: DigestedHistory,
  sessions: readonly ModelSession[],
): SessionMatch | undefined {
  const proven = sessions
    .map((session) => ({ session, match: session.history.match(history) }))
    .filter(({ match }) => match.kind === "rejects" || (match.kind === "extends" && match.isProven))
    .sort((one, other) => fromOf(other.match) - fromOf(one.match));
  for (const { session, match } of proven) {
    if (isAsideOf(request, session)) continue;
    const from = fromOf(match);
    const isIdle = session.phase === "idle";
    if (match.kind === "extends" && isIdle) {
      const isOther = session.conversationId !== request.conversationId;
      return { kind: isOther ? "fork" : "continue", session, from };
    }
    const isSame = session.conversationId === undefined && request.conversationId === undefined;
    if (!isIdle && isSame) return { kind: "abandon", session, from };
  }
  return undefined;
}

/** Titles and summaries: requests without tools, where the conversation has some. */
function isAsideOf({ bringsTools }: ModelRequest, { broughtTools }: ModelSession): boolean {
  return !bringsTools && broughtTools;
}

function fromOf(match: HistoryMatch): number {
  return match.kind === "differs" ? 0 : match.from;
}

/** Results are looked for in all messages after the last answer: clients send one message for each, or one for all. */
function trailingParts({ messages }: DigestedHistory): TrailingParts {
  const results = new Map<string, ToolResult>();
  const words: MessagePart[] = [];
  for (const part of messages.slice(trailingStart(messages)).flatMap(({ parts }) => parts)) {
    if (part.kind === "result") results.set(part.id, part.result);
    else words.push(part);
  }
  return { results, words };
}
