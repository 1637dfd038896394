import type { PartClasses } from "../../../src/features/language-model/request-parts.js";

class TextPart {
  constructor(readonly value: string) {}
}
class ToolCallPart {
  constructor(
    readonly callId: string,
    readonly name: string,
    readonly input: object,
  ) {}
}
class ToolResultPart {
  constructor(
    readonly callId: string,
    readonly content: unknown[],
  ) {}
}
class PromptTsxPart {
  constructor(readonly value: unknown) {}
}
class DataPart {
  constructor(
    readonly data: Uint8Array,
    readonly mimeType: string,
  ) {}
}
class ThinkingPart {
  constructor(
    readonly value: string | string[],
    readonly id?: string,
    readonly metadata?: Readonly<Record<string, unknown>>,
  ) {}
}

/** Parts as the editor makes them. */
export const parts = { TextPart, ToolCallPart, ToolResultPart, PromptTsxPart, DataPart, ThinkingPart };

/** An editor that has every part. */
export const newClasses: PartClasses = {
  text: TextPart,
  toolCall: ToolCallPart,
  data: DataPart,
  thinking: ThinkingPart,
};

/** An editor without the later ones. */
export const oldClasses: PartClasses = {
  text: TextPart,
  toolCall: ToolCallPart,
};
