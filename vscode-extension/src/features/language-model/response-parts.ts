import * as l10n from "@vscode/l10n";
import type { LmPart, ModelInformation } from "@symposium-dev/core";
import type { PartClasses } from "./request-parts.js";
import { ChunkedText, wellFormed } from "./well-formed.js";

export type Usage = Omit<Extract<LmPart, { type: "usage" }>, "type">;

export interface ResponsePartsOptions {
  readonly classes: PartClasses;
  readonly report: (part: object) => void;
  /** True if thinking is shown, in editors that support it. */
  readonly showsThinking: boolean;
  /** True if the requester reads usage from a data part, as VS Code's own chat does. */
  readonly readsUsage: boolean;
}

export class ResponseParts {
  readonly #text = new ChunkedText();
  readonly #thinking = new ChunkedText();
  #isThinking = false;
  /** True after any text or tool call. Editors treat an answer that has neither as a failure. */
  #hasAnswer = false;
  #usage: Usage | undefined;

  constructor(private readonly options: ResponsePartsOptions) {}

  get usage(): Usage | undefined {
    return this.#usage;
  }

  add(part: LmPart): void {
    const { classes, showsThinking } = this.options;
    switch (part.type) {
      case "text":
        this.#closeThinking();
        this.#say(this.#text.add(part.value));
        return;
      case "thinking":
        if (classes.thinking && showsThinking) this.#think(this.#thinking.add(part.value));
        return;
      case "tool_call":
        this.#closeThinking();
        this.#say(this.#text.end());
        this.#hasAnswer = true;
        this.#report(new classes.toolCall(part.toolCallId, part.toolName, inputOf(part.parameters)));
        return;
      case "data":
        this.#closeThinking();
        if (classes.data) this.#report(new classes.data(Buffer.from(part.data, "base64"), part.mimeType));
        return;
      case "usage": {
        const { type: _type, ...usage } = part;
        this.#usage = { ...this.#usage, ...usage };
        return;
      }
      case "tool_result":
        // Editors ignore tool results from a model.
        return;
    }
  }

  end(empty: string): void {
    this.#closeThinking();
    this.#say(this.#text.end());
    if (!this.#hasAnswer) this.#say(empty);
    const { classes, readsUsage } = this.options;
    if (classes.data && readsUsage && this.#usage) {
      this.#report(new classes.data(usageData(this.#usage), usageMimeType));
    }
  }

  #say(text: string): void {
    if (text === "") return;
    this.#hasAnswer = true;
    this.#report(new this.options.classes.text(text));
  }

  #think(text: string): void {
    const { thinking } = this.options.classes;
    if (!thinking || text === "") return;
    this.#isThinking = true;
    this.#report(new thinking(text));
  }

  #closeThinking(): void {
    if (!this.#isThinking) return;
    this.#think(this.#thinking.end());
    this.#isThinking = false;
    const { thinking } = this.options.classes;
    if (thinking) this.#report(new thinking("", "", { vscode_reasoning_done: true }));
  }

  #report(part: object): void {
    this.options.report(part);
  }
}

/** MIME type by which VS Code's own chat recognizes the usage data part. */
const usageMimeType = "usage";

function usageData({ inputTokens, outputTokens, contextUsed }: Usage): Uint8Array {
  const prompt = contextUsed ?? inputTokens ?? 0;
  const completion = outputTokens ?? 0;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0 },
  };
  return Buffer.from(JSON.stringify(usage));
}

function inputOf(parameters: unknown): object {
  const repaired = wellFormed(parameters);
  return typeof repaired === "object" && repaired !== null ? repaired : {};
}

interface MeterText {
  readonly text: string;
  readonly tooltip: string;
}

/** Formats the context usage that the agent reported, else an estimate from the request's messages. */
export function meterText(model: ModelInformation, usage: Usage | undefined, estimate: () => number): MeterText {
  const used = usage?.contextUsed ?? usage?.inputTokens;
  const size = usage?.contextSize ?? model.maxInputTokens + model.maxOutputTokens;
  const shown = used ?? estimate();
  const about = used === undefined ? "≈" : "";
  const percent = Math.min(100, Math.round((shown / size) * 100));
  const lines = [
    l10n.t(
      "{0}: {1}{2} of {3} tokens of context ({4}{5} %)",
      model.name,
      about,
      exact(shown),
      exact(size),
      about,
      percent,
    ),
    ...(usage?.inputTokens === undefined
      ? []
      : [l10n.t("Input of the last turn: {0} tokens", exact(usage.inputTokens))]),
    ...(usage?.outputTokens === undefined
      ? []
      : [l10n.t("Output of the last turn: {0} tokens", exact(usage.outputTokens))]),
    ...(used === undefined
      ? [l10n.t("The agent doesn't report its usage. This is an estimate based on the messages.")]
      : []),
    l10n.t("Click to manage language models."),
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
