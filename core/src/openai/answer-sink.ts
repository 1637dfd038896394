import type { CalledTool } from "./client-tools.js";

/** Takes the pieces of one answer in their order. */
export interface AnswerSink {
  content(text: string): void;
  /** Thoughts, and what the agent does meanwhile. */
  reasoning(text: string): void;
  toolCall(call: CalledTool): void;
}
