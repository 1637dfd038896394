import type { CalledTool } from "./called-tool.js";

/** Takes the pieces of one answer in their order. */
export interface AnswerSink {
  content(text: string): void;
  /** Thoughts, and what the agent does meanwhile. */
  reasoning(text: string): void;
  /** An image in base64; where it is missing, the answer says in words that there is one. */
  image?(mimeType: string, data: string): void;
  toolCall(call: CalledTool): void;
}
