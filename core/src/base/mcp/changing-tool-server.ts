import type { Json } from "../rpc/json.js";
import type { McpCallContext, McpOutcome, McpServer, McpServerDescription } from "./mcp-server.js";
import { type Tool, ToolServer, type ToolServerOptions } from "./tool-server.js";
import { mcpMethods } from "./wire.js";

interface ChangingToolServerOptions extends Omit<ToolServerOptions, "tools" | "prompts"> {
  /** Called before each listing, to update the tools. */
  readonly refresh?: () => void;
}

/** {@link ToolServer} whose tools can change at runtime. Notifies subscribers of each change. */
export class ChangingToolServer implements McpServer {
  readonly name: string;
  readonly #listeners = new Set<(method: string) => void>();
  #current: ToolServer;

  constructor(private readonly options: ChangingToolServerOptions) {
    this.name = options.name;
    this.#current = new ToolServer({ ...options, tools: [] });
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** Replaces the tools; running calls continue. Throws the same errors as {@link ToolServer} and then leaves the tools unmodified. */
  setTools(tools: readonly Tool[]): void {
    this.#current = new ToolServer({ ...this.options, tools });
    for (const listener of [...this.#listeners]) listener(mcpMethods.toolsChanged);
  }

  async describe(): Promise<McpServerDescription> {
    return { ...(await this.#current.describe()), capabilities: { tools: { listChanged: true } } };
  }

  call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    if (method === mcpMethods.toolsList) this.options.refresh?.();
    return this.#current.call(method, params, context);
  }

  subscribe(listener: (method: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}
