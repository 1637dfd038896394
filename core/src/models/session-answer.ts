import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { ToolResult } from "../base/mcp/tool-server.js";
import { asObject } from "../base/rpc/json.js";
import { type AgentConnection, ModelFailure } from "./agent-connection.js";
import { type AnswerSink, RecordedAnswer } from "./answer-sink.js";
import { textOfResult, trailingStart } from "./conversation-message.js";
import { CutAnswer } from "./cut-answer.js";
import type { ModelAnswer, ModelListener, ModelRequest, TokenUsage } from "./model-request.js";
import type { ModelSession } from "./model-session.js";
import { addedContent, textBlock, wordBlocks } from "./prompt-blocks.js";
import type { DigestedHistory } from "./session-history.js";
import type { TrailingParts } from "./session-match.js";
import type { AnswerPause } from "./session-turns.js";

/** One request, while it is answered. */
export interface AnsweredRequest {
  readonly request: ModelRequest;
  readonly history: DigestedHistory;
  readonly listener: ModelListener;
  /** Aborted when the client gives the request up. */
  readonly signal: AbortSignal;
}

/** Sends a prompt in a session that has no open turn, and emits the answer. Rejects with what the agent fails with. */
export async function promptIn(
  session: ModelSession,
  content: readonly ContentBlock[],
  asked: AnsweredRequest,
): Promise<ModelAnswer> {
  const { request, history, signal } = asked;
  refuseImages(request, session.connection);
  return emitAnswer(session, asked, async (sink) => {
    session.accept(request);
    await session.configure(request.configOptions);
    if (signal.aborted) return { kind: "cancelled" };
    const owed = wordBlocks(session.owed, session.connection.traits.takesImages);
    session.owed = [];
    const blocks = [...session.introduction(request), ...owed, ...content];
    if (blocks.length === 0) blocks.push(textBlock("Go on."));
    session.history.requested(history);
    return session.turns.prompt(() => session.prompt(blocks), sink, request.hasParallelCalls);
  });
}

/**
 * Gives the agent the results that it waits for, and emits how it goes on. Words of the user that came with them, and
 * results that the agent waits for no longer, go with the last result; where there is none, with that of a later round, or
 * as the next prompt. After Stop the turn is given up first; undefined where the agent does not end it.
 */
export async function answerCallsIn(
  session: ModelSession,
  { results, words }: TrailingParts,
  asked: AnsweredRequest,
): Promise<ModelAnswer | undefined> {
  const { turns, connection } = session;
  const { hasParallelCalls } = asked.request;
  const { takesImages } = connection.traits;
  const isStopped = words.length > 0 && [...results.values()].some(isCancellation);
  if (isStopped) {
    // The agent learns of its refused permissions before it is asked to stop.
    void turns.answerCalls(results, nobody, true).catch(() => undefined);
    if (!(await session.abandon())) return undefined;
    const done = [...results.values()].filter((result) => !isCancellation(result));
    const ended = done.map((result) => textBlock(`A tool call had ended before: ${textOfResult(result)}`));
    return promptIn(session, [...ended, ...wordBlocks(words, takesImages)], asked);
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
  return emitAnswer(session, asked, async (sink) => {
    session.accept(asked.request);
    session.history.requested(asked.history);
    const pause = await turns.answerCalls(given, sink, hasParallelCalls);
    const later = wordBlocks(session.owed, takesImages);
    if (pause.kind !== "end" || later.length === 0) return pause;
    session.owed = [];
    sink.content("\n\n");
    return turns.prompt(() => session.prompt(later), sink, hasParallelCalls);
  });
}

/** Emits one answer of a session, whatever it comes from. */
async function emitAnswer(
  session: ModelSession,
  { request, listener, signal }: AnsweredRequest,
  begin: (sink: AnswerSink) => Promise<AnswerPause>,
): Promise<ModelAnswer> {
  const record = new RecordedAnswer(listener.sink);
  const cutting = request.stop.length === 0 ? undefined : new CutAnswer(record, request.stop);
  const cancel = (): void => session.turns.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) return { stopReason: "cancelled" };
    session.listen(listener.askUser);
    const answering = begin(cutting ?? record);
    const pause = await (cutting ? Promise.race([cutting.cut, answering]) : answering);
    if (pause === "cut") return { stopReason: "stop_sequence" };
    cutting?.flush();
    record.flush();
    const stopReason = pause.kind === "end" ? stopReasonOf(pause.result) : pauseReasons[pause.kind];
    const closing = pause.kind === "end" ? (listener.closingWords?.(record.text, stopReason) ?? "") : "";
    if (closing !== "") record.content(closing);
    record.flush();
    session.history.answered(record.given(pause.kind === "cancelled"));
    return {
      stopReason,
      ...(pause.kind === "end" && { usage: usageOf(pause.result) }),
      ...(session.contextUse && { context: session.contextUse }),
    };
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

const pauseReasons = { calls: "tool_calls", cancelled: "cancelled" } as const;

function stopReasonOf({ stopReason }: Readonly<Record<string, unknown>>): string {
  return typeof stopReason === "string" ? stopReason : "end_turn";
}

function usageOf({ usage }: Readonly<Record<string, unknown>>): TokenUsage {
  const { inputTokens, outputTokens, totalTokens } = asObject(usage) ?? {};
  return {
    ...(typeof inputTokens === "number" && { inputTokens }),
    ...(typeof outputTokens === "number" && { outputTokens }),
    ...(typeof totalTokens === "number" && { totalTokens }),
  };
}

/** Throws where the client would rather have no answer than one to a prompt without its images. */
export function refuseImages({ requiresImages, messages }: ModelRequest, { traits }: AgentConnection): void {
  if (!requiresImages || traits.takesImages) return;
  const isImage = messages
    .slice(trailingStart(messages))
    .some(({ parts }) => parts.some(({ kind }) => kind === "image"));
  if (isImage) throw new ModelFailure("takes-no-images", "This agent takes no images.");
}

/** What editors give as the result of a tool whose confirmation was pending when the user pressed Stop. */
function isCancellation(result: ToolResult): boolean {
  return /^\W*(?:the )?user cancell?ed\b/i.test(textOfResult(result));
}

const nobody: AnswerSink = { content: () => undefined, reasoning: () => undefined, toolCall: () => undefined };
