import type { ToolResult } from "../mcp/tool-server.js";
import type { AnswerSink } from "../model/answer-sink.js";
import { type ContentBlock, textBlock } from "../model/content-block.js";
import type { AnswerPause } from "../model/told-turns.js";
import { textOfResult } from "../model/tool-outcome.js";
import { AnswerParts } from "./answer-parts.js";
import type { Asking } from "./asking.js";
import type { ChatSession } from "./chat-session.js";
import { addedContent, wordBlocks } from "./prompt-blocks.js";
import type { Trailing } from "./route.js";
import { usagePart } from "./usage-part.js";
import type { ResponseResult } from "./wire.js";

/** Sends a prompt in a session that has no open turn, and tells the answer. Rejects with what the agent fails with. */
export function answerIn(
  session: ChatSession,
  content: readonly ContentBlock[],
  asking: Asking,
): Promise<ResponseResult> {
  const { request, history, signal } = asking;
  return tell(session, asking, async (parts) => {
    session.offer(request);
    await session.configure(request.configOptions);
    if (signal.aborted) return { kind: "cancelled" };
    const owed = wordBlocks(session.owed, session.connection.traits.takesImages);
    session.owed = [];
    const blocks = [...session.introduction(request), ...owed, ...content];
    session.history.requested(history);
    return session.turns.prompt(() => session.connection.prompt(session.sessionId, blocks), parts, true);
  });
}

/**
 * Gives the agent the results that it waits for, and tells how it goes on. Words of the user that came with them, and
 * results that the agent waits for no longer, go with the last result; where there is none, with that of a later round, or
 * as the next prompt. After Stop the turn is given up first, and undefined tells that the agent does not end it.
 */
export async function resumeIn(
  session: ChatSession,
  { results, words }: Trailing,
  asking: Asking,
): Promise<ResponseResult | undefined> {
  const { turns, connection, sessionId } = session;
  const { takesImages } = connection.traits;
  const isStopped = words.length > 0 && [...results.values()].some(isCancellation);
  if (isStopped) {
    // The agent is told of its refused permissions before it is told to stop.
    void turns.answerCalls(results, nobody, true).catch(() => undefined);
    if (!(await session.abandon())) return undefined;
    const done = [...results.values()].filter((result) => !isCancellation(result));
    const told = done.map((result) => textBlock(`A tool call had ended before: ${textOfResult(result)}`));
    return answerIn(session, [...told, ...wordBlocks(words, takesImages)], asking);
  }
  const given = new Map(results);
  const tool = turns.awaited.findLast(({ id, kind }) => kind === "tool" && results.has(id));
  const answered = tool && given.get(tool.id);
  const late = [...results].filter(([id]) => turns.givenUp(id) === "tool");
  session.owed = [...session.owed, ...late.map(([id, result]) => ({ kind: "result", id, result }) as const), ...words];
  if (tool && answered) {
    given.set(tool.id, { ...answered, content: [...answered.content, ...addedContent(session.owed)] });
    session.owed = [];
  }
  return tell(session, asking, async (parts) => {
    session.offer(asking.request);
    session.history.requested(asking.history);
    const pause = await turns.answerCalls(given, parts, true);
    const later = wordBlocks(session.owed, takesImages);
    if (pause.kind !== "end" || later.length === 0) return pause;
    session.owed = [];
    parts.content("\n\n");
    return turns.prompt(() => connection.prompt(sessionId, later), parts, true);
  });
}

/** Tells one answer of a session, whatever it comes from. */
async function tell(
  session: ChatSession,
  { listener, signal }: Asking,
  begin: (parts: AnswerParts) => Promise<AnswerPause>,
): Promise<ResponseResult> {
  const parts = new AnswerParts((part) => listener.tell(part));
  const stop = (): void => session.turns.cancel();
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) return { stopReason: "cancelled" };
    session.listen(listener.askUser);
    const pause = await begin(parts);
    const stopReason = pause.kind === "end" ? stopReasonOf(pause.result) : pauseReasons[pause.kind];
    if (pause.kind === "end") parts.finish(stopReason);
    else parts.flush();
    const usage = usagePart(pause.kind === "end" ? pause.result["usage"] : undefined, session.contextUse);
    if (usage && pause.kind !== "cancelled") listener.tell(usage);
    session.history.answered(parts.given(pause.kind === "cancelled"));
    return { stopReason };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const pauseReasons = { calls: "tool_calls", cancelled: "cancelled" } as const;

function stopReasonOf({ stopReason }: Readonly<Record<string, unknown>>): string {
  return typeof stopReason === "string" ? stopReason : "end_turn";
}

/** What editors give as the result of a tool whose confirmation was pending when the user pressed Stop. */
function isCancellation(result: ToolResult): boolean {
  return /^\W*(?:the )?user cancell?ed\b/i.test(textOfResult(result));
}

const nobody: AnswerSink = { content: () => undefined, reasoning: () => undefined, toolCall: () => undefined };
