import type { LmMessage, LmPart, LmTool } from "@symposium-dev/core";
import { callsIn, type ModelAnswer, type ModelConsumer, textIn, type ToolCallPart } from "./model-consumer.js";

interface ConversationOptions {
  readonly tools?: readonly LmTool[];
  /** The result of a tool call, as text. */
  readonly runs?: (call: ToolCallPart) => string | Promise<string>;
  readonly conversationId?: string;
  /** System message before the user's first message. */
  readonly system?: string;
  /** Whether one message contains all results of a round. VS Code's own agent sends one message for each. */
  readonly hasJointResults?: boolean;
}

/** One answer of the model: a round of the tool loop. */
interface Round {
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
  readonly error?: string;
}

/** A chat with a language model, kept by its consumer: the whole history goes with every request. */
export class Conversation {
  /** Everything said so far; editing it is what a user does who edits an earlier message. */
  readonly messages: LmMessage[] = [];
  /** Each tool call that was run, oldest first. */
  readonly calls: ToolCallPart[] = [];

  constructor(
    readonly model: ModelConsumer,
    readonly options: ConversationOptions = {},
  ) {
    if (options.system !== undefined) this.messages.push({ role: "system", content: [text(options.system)] });
  }

  /** Says something and runs tools until the model calls no more; resolves with the last round. */
  async say(words: string): Promise<Round> {
    this.add(words);
    for (;;) {
      const round = await this.round();
      if (round.calls.length === 0) return round;
      await this.run(round.calls);
    }
  }

  /** Adds a message of the user. */
  add(words: string): void {
    this.messages.push({ role: "user", content: [text(words)] });
  }

  /** Makes the next request; `settle` brings its answer into the history. */
  ask(): ModelAnswer {
    const { tools, conversationId } = this.options;
    return this.model.ask({
      messages: [...this.messages],
      ...(tools !== undefined && { tools }),
      ...(conversationId !== undefined && { conversationId }),
    });
  }

  /** Makes the next request, and waits for its end. */
  async round(): Promise<Round> {
    return this.settle(this.ask());
  }

  /** Waits for the end of an answer and keeps what came of it, a part of an answer that was cancelled too. */
  async settle(answer: ModelAnswer): Promise<Round> {
    const end = await answer.ended;
    const said = textIn(answer.parts);
    const calls = callsIn(answer.parts);
    // VS Code puts an empty text before calls without words.
    const content: readonly LmPart[] = [...(said === "" && calls.length === 0 ? [] : [text(said)]), ...calls];
    if (content.length > 0 && end.error === undefined) this.messages.push({ role: "assistant", content });
    return { text: said, calls, ...(end.error !== undefined && { error: end.error }) };
  }

  /** Runs these calls at once and adds their results. */
  async run(calls: readonly ToolCallPart[]): Promise<void> {
    const results = await Promise.all(
      calls.map(async (call) => resultOf(call, (await this.options.runs?.(call)) ?? "done")),
    );
    this.calls.push(...calls);
    this.addResults(...results);
  }

  /** Adds results, in one message or one for each. */
  addResults(...results: readonly LmPart[]): void {
    const contents = this.options.hasJointResults === true ? [results] : results.map((result) => [result]);
    for (const content of contents) this.messages.push({ role: "user", content });
  }
}

/** Returns the part that records a tool call's result in the history. */
export function resultOf({ toolCallId }: ToolCallPart, result: unknown): LmPart {
  return { type: "tool_result", toolCallId, result };
}

function text(value: string): LmPart {
  return { type: "text", value };
}
