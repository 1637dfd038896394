import type { OtlpReceiver } from "#testing/node/otlp-receiver.js";
import { arrayOf, objectOf } from "./json.js";

type Totals = Readonly<Record<"turns" | "toolCalls" | "inputTokens" | "outputTokens" | "cachedTokens", number>>;

/** Returns the sums of what `usage --json` printed. */
export function totalsOfUsage(printed: string): Totals {
  const rows = arrayOf(JSON.parse(printed)).map(objectOf);
  const sum = (figure: keyof Totals): number => rows.reduce((total, row) => total + Number(row[figure]), 0);
  return {
    turns: sum("turns"),
    toolCalls: sum("toolCalls"),
    inputTokens: sum("inputTokens"),
    outputTokens: sum("outputTokens"),
    cachedTokens: sum("cachedTokens"),
  };
}

/** Returns the sums of the spans that were received. */
export function totalsOfSpans({ spans }: OtlpReceiver): Totals {
  const turns = spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === "invoke_agent");
  const sum = (attribute: string): number =>
    turns.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
  return {
    turns: turns.length,
    toolCalls: spans.filter(({ name }) => name.startsWith("execute_tool ")).length,
    inputTokens: sum("gen_ai.usage.input_tokens"),
    outputTokens: sum("gen_ai.usage.output_tokens"),
    cachedTokens: sum("symposium.usage.cached_tokens"),
  };
}

/** Returns the sums of the metrics that were received. */
export function totalsOfMetrics(receiver: OtlpReceiver): Totals {
  const tokens = (type: string): number => receiver.sumOf("gen_ai.client.token.usage", { "gen_ai.token.type": type });
  return {
    turns: receiver.sumOf("symposium.agent.turns"),
    toolCalls: receiver.sumOf("symposium.agent.tool_calls"),
    inputTokens: tokens("input"),
    outputTokens: tokens("output"),
    cachedTokens: tokens("cached"),
  };
}
