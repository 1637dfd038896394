import { Json } from "../rpc/json.js";
import type { McpCallContext } from "./mcp-server.js";
import type { ToolContext } from "./tool.js";

/** The context of one tool call: progress goes out rising, only to a caller that sent a token, and never after {@link end}. */
export class ToolProgress implements ToolContext {
  /** Undefined before the first report, which may be 0. */
  #last: number | undefined;
  #isOpen = true;

  constructor(
    private readonly context: McpCallContext,
    /** `_meta.progressToken` of the request: a string or an integer; undefined when the caller wants no progress. */
    private readonly token: unknown,
  ) {}

  get signal(): AbortSignal {
    return this.context.signal;
  }

  progress(message: string, progress = (this.#last ?? 0) + 1, total?: number): void {
    if (!this.#isOpen || this.token === undefined) return;
    if (this.#last !== undefined && progress <= this.#last) return;
    this.#last = progress;
    this.context.notify(
      "notifications/progress",
      Json.of({ progressToken: this.token, progress, ...(total !== undefined && { total }), message }),
    );
  }

  /** The call is about to be answered. */
  end(): void {
    this.#isOpen = false;
  }
}
