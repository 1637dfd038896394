import type { Meter } from "@opentelemetry/api";
import type { UsageRow } from "../usage/usage-row.js";

/** Origin of a refusal: a person in the editor, or a rule of the guard. */
export type Refuser = "user" | "rule";

/** Metrics of the rows that `usage` counts: their sums equal the figures of `usage`. Names without `symposium` are OpenTelemetry's. */
export class UsageMetrics {
  readonly #tokens;
  readonly #duration;
  readonly #turns;
  readonly #toolCalls;
  readonly #cost;
  readonly #refusals;

  constructor(meter: Meter) {
    this.#tokens = meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      description: "Number of tokens used by a turn.",
      advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, power) => 4 ** power) },
    });
    this.#duration = meter.createHistogram("gen_ai.invoke_agent.duration", {
      unit: "s",
      description: "Duration of a turn.",
      advice: { explicitBucketBoundaries: [1, 2, 5, 10, 20, 60, 120, 300, 600, 1_800, 3_600] },
    });
    this.#turns = meter.createCounter("symposium.agent.turns", { unit: "{turn}", description: "Prompts to agents." });
    this.#toolCalls = meter.createCounter("symposium.agent.tool_calls", {
      unit: "{call}",
      description: "Tool calls of agents, including refused ones.",
    });
    this.#cost = meter.createCounter("symposium.agent.cost", {
      unit: "{USD}",
      description: "Cost that the agent reports, or else its list price.",
    });
    this.#refusals = meter.createCounter("symposium.agent.refusals", {
      unit: "{call}",
      description: "Refused tool calls.",
    });
  }

  count({ agent, turns, seconds, toolCalls, inputTokens, outputTokens, cachedTokens, microDollars }: UsageRow): void {
    const attributes = agentAttributes(agent);
    const tokens = { input: inputTokens, output: outputTokens, cached: cachedTokens };
    for (const [type, count] of Object.entries(tokens)) {
      if (count > 0) this.#tokens.record(count, { ...attributes, "gen_ai.token.type": type });
    }
    if (turns > 0) {
      this.#turns.add(turns, attributes);
      this.#duration.record(seconds, attributes);
    }
    if (toolCalls > 0) this.#toolCalls.add(toolCalls, attributes);
    if (microDollars > 0) this.#cost.add(microDollars / 1e6, attributes);
  }

  refused(agent: string, by: Refuser): void {
    this.#refusals.add(1, { ...agentAttributes(agent), "symposium.refusal.source": by });
  }
}

/** Returns the attributes of everything that an agent did. Symposium doesn't know an agent's model provider, so it names the agent. */
export function agentAttributes(agent: string): Readonly<Record<string, string>> {
  return {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": agent,
    "gen_ai.agent.name": agent,
  };
}
