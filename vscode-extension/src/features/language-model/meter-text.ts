import type { ModelInformation } from "@symposium-dev/core";
import type { Usage } from "./response-parts.js";

/** What the status bar shows of the last request. */
interface MeterText {
  readonly text: string;
  readonly tooltip: string;
}

/** How full the context is, as the agent says, else about how much the messages of the request are. */
export function meterText(model: ModelInformation, usage: Usage | undefined, estimate: () => number): MeterText {
  const used = usage?.contextUsed ?? usage?.inputTokens;
  const size = usage?.contextSize ?? model.maxInputTokens + model.maxOutputTokens;
  const shown = used ?? estimate();
  const about = used === undefined ? "≈" : "";
  const percent = Math.min(100, Math.round((shown / size) * 100));
  const lines = [
    `${model.name}: ${about}${exact(shown)} of ${exact(size)} tokens of context (${about}${percent} %)`,
    ...(usage?.inputTokens === undefined ? [] : [`Input of the last turn: ${exact(usage.inputTokens)} tokens`]),
    ...(usage?.outputTokens === undefined ? [] : [`Output of the last turn: ${exact(usage.outputTokens)} tokens`]),
    ...(used === undefined ? ["The agent tells no usage: estimated from the messages."] : []),
    "Click to manage the language models.",
  ];
  return { text: `$(pulse) ${about}${short(shown)}/${short(size)}`, tooltip: lines.join("\n") };
}

function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 99_950) return `${Number((tokens / 1_000).toFixed(1))}k`;
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)}k` : `${Number((tokens / 1_000_000).toFixed(1))}M`;
}

function exact(tokens: number): string {
  return tokens.toLocaleString("en-US");
}
