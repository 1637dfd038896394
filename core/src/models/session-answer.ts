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

export interface AnsweredRequest {
  readonly request: ModelRequest;
  readonly history: DigestedHistory;
  readonly listener: ModelListener;
  readonly signal: AbortSignal;
}

/** Prompts a session without an open turn and emits the answer. Rejects with the agent's failure. */
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
 * Sends pending tool results to the agent and emits its next answer. User messages and outdated results are appended to the last result, a
 * later result, or the next prompt. If the user pressed Stop, cancels the turn first and returns undefined if the agent doesn't end it.
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
    // Report refused permissions to the agent before the cancellation.
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

/** Throws if the messages contain images that the client requires and the agent doesn't accept. */
export function refuseImages({ requiresImages, messages }: ModelRequest, { traits }: AgentConnection): void {
  if (!requiresImages || traits.takesImages) return;
  const isImage = messages
    .slice(trailingStart(messages))
    .some(({ parts }) => parts.some(({ kind }) => kind === "image"));
  if (isImage) throw new ModelFailure("takes-no-images", "This agent doesn't accept images.");
}

/** Returns whether a tool result is the text that editors send if the user pressed Stop while a tool was awaiting confirmation. */
function isCancellation(result: ToolResult): boolean {
  return /^\W*(?:the )?user cancell?ed\b/i.test(textOfResult(result));
}

const nobody: AnswerSink = { content: () => undefined, reasoning: () => undefined, toolCall: () => undefined };
