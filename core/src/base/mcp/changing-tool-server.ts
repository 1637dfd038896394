import type { Json } from "../rpc/json.js";
import type { McpCallContext, McpOutcome, McpServer, McpServerDescription } from "./mcp-server.js";
import { type Tool, ToolServer, type ToolServerOptions } from "./tool-server.js";
import { mcpMethods } from "./wire.js";

interface ChangingToolServerOptions extends Omit<ToolServerOptions, "tools" | "prompts"> {
  /** Called before a list is read, so that it is that of now. */
  readonly refresh?: () => void;
}

/** A {@link ToolServer} whose tools change while it is used; whoever listens hears of it. */
export class ChangingToolServer implements McpServer {
  readonly name: string;
  readonly #listeners = new Set<(method: string) => void>();
  #current: ToolServer;

  constructor(private readonly options: ChangingToolServerOptions) {
    this.name = options.name;
    this.#current = new ToolServer({ ...options, tools: [] });
  }

  /** Whether anybody would hear of a change. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** From now on there are these tools. Calls that run go on. Throws as {@link ToolServer} does, and keeps the ones before then. */
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
