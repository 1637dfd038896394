/** The records of `zed-extension/language-models/wit`, as a component in JavaScript has them, as far as tests use them. */
export interface ZedModel {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

interface ZedImage {
  /** Base64. */
  readonly source: string;
}

interface ZedToolUse {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly input: string;
}

type ZedContent =
  | { readonly tag: "text"; readonly val: string }
  | { readonly tag: "image"; readonly val: ZedImage }
  | { readonly tag: "tool-use"; readonly val: ZedToolUse }
  | { readonly tag: "thinking"; readonly val: { readonly text: string } }
  | {
      readonly tag: "tool-result";
      readonly val: {
        readonly toolUseId: string;
        readonly toolName: string;
        readonly isError: boolean;
        readonly content: { readonly tag: "text"; readonly val: string };
      };
    };

export interface ZedMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: readonly ZedContent[];
  readonly cache: boolean;
}

export interface ZedTool {
  readonly name: string;
  readonly description: string;
  /** JSON. */
  readonly inputSchema: string;
}

export interface ZedRequest {
  readonly messages: readonly ZedMessage[];
  readonly tools: readonly ZedTool[];
  readonly toolChoice?: "auto" | "any" | "none";
  readonly stopSequences: readonly string[];
  readonly temperature?: number;
  readonly thinkingAllowed: boolean;
  readonly maxTokens?: bigint;
}

/** `val` is absent where the event says nothing but its tag. */
export interface ZedEvent {
  readonly tag: string;
  readonly val?: unknown;
}

/** A request that says this and nothing else. */
export function zedRequest(text: string, members: Partial<ZedRequest> = {}): ZedRequest {
  return { messages: [zedUser(text)], tools: [], stopSequences: [], thinkingAllowed: true, ...members };
}

/** The user's words. */
export function zedUser(text: string): ZedMessage {
  return { role: "user", content: [{ tag: "text", val: text }], cache: false };
}
