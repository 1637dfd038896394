import type { ToolResult } from "../base/mcp/tool-server.js";
import { type MessagePart, trailingStart } from "./conversation-message.js";
import type { ModelRequest } from "./model-request.js";
import type { ModelSession } from "./model-session.js";
import type { DigestedHistory, HistoryMatch } from "./session-history.js";

export interface TrailingParts {
  readonly results: ReadonlyMap<string, ToolResult>;
  /** Message parts other than tool results, in order. */
  readonly words: readonly MessagePart[];
}

/**
 * Session for a request. `resume`: the session's turn waits for the results. `continue`: the session knows the messages before `from`.
 * `abandon`: like `continue`, but the session has an open turn to cancel. `fork`: another conversation branches off from the session.
 * `open`: a new session in place of `replaced`; `isAside`: outside any conversation.
 */
export type SessionMatch =
  | { readonly kind: "resume"; readonly session: ModelSession; readonly trailing: TrailingParts }
  | { readonly kind: "continue" | "abandon" | "fork"; readonly session: ModelSession; readonly from: number }
  | { readonly kind: "open"; readonly replaced: ModelSession | undefined; readonly isAside: boolean };

const openAside = { kind: "open", replaced: undefined, isAside: true } as const;

/** Finds a request's session by answered calls, the client's conversation id, or the history. */
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
  // The conversation's session is busy, so the request isn't its next turn.
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

/** Returns the session that knows most of the history; without such a session, an idle one, or else the first. */
function ownSession(owns: readonly ModelSession[], history: DigestedHistory): ModelSession | undefined {
  const known = owns
    .map((session) => ({ session, from: fromOf(session.history.match(history, true)) }))
    .filter(({ from }) => from > 0)
    .sort((one, other) => other.from - one.from);
  return known[0]?.session ?? owns.find(({ phase }) => phase === "idle") ?? owns[0];
}

function matchWithin(request: ModelRequest, history: DigestedHistory, session: ModelSession): SessionMatch {
  if (isAsideOf(request, session)) return openAside;
  const match = session.history.match(history, true);
  if (session.phase === "idle" && match.kind === "extends") return { kind: "continue", session, from: match.from };
  if (session.phase !== "idle" && match.kind !== "differs") return { kind: "abandon", session, from: match.from };
  // The pending call itself may be making the request: editors run subagents in a call, with the same conversation id.
  const replaced = session.phase === "awaitingToolResult" ? undefined : session;
  return { kind: "open", replaced, isAside: false };
}

/** Matches sessions by history. A session belongs to the same conversation only if the history contains an answer of that session. */
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

/** Returns whether a request is for a title or summary: the request has no tools, although the conversation does. */
function isAsideOf({ bringsTools }: ModelRequest, { broughtTools }: ModelSession): boolean {
  return !bringsTools && broughtTools;
}

function fromOf(match: HistoryMatch): number {
  return match.kind === "differs" ? 0 : match.from;
}

/** Collects results from all messages after the last answer: clients send one message per result, or one for all. */
function trailingParts({ messages }: DigestedHistory): TrailingParts {
  const results = new Map<string, ToolResult>();
  const words: MessagePart[] = [];
  for (const part of messages.slice(trailingStart(messages)).flatMap(({ parts }) => parts)) {
    if (part.kind === "result") results.set(part.id, part.result);
    else words.push(part);
  }
  return { results, words };
}
