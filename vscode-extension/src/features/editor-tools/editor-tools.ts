import {
  asObject,
  ChangingToolServer,
  type McpBridge,
  type McpServer,
  type Tool,
  type ToolContext,
  toolList,
  type ToolResult,
  toolResultOf,
} from "@symposium-dev/core";

export interface EditorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly tags: readonly string[];
}

export interface EditorToolSource {
  readonly tools: readonly EditorTool[];
  readonly contributed: ReadonlySet<string>;
  /** Calls a tool and returns the parts of its result. Rejects with the tool's error, or if the user denies the call. */
  invoke(name: string, input: object, signal: AbortSignal): Promise<readonly unknown[]>;
}

/** Tools offered to agents: none, only tools of the editor's MCP servers, or these and tools of extensions. */
type EditorToolChoice = "off" | "mcp" | "all";

interface EditorToolsOptions {
  readonly source: EditorToolSource;
  readonly choice: () => EditorToolChoice;
  readonly version: string;
  readonly bridge: McpBridge;
  /** Interval for polling the editor's tools while a client listens, since VS Code reports no changes. */
  readonly checkMs?: number;
}

/** Server name shown to agents. The conductor shortens tool names so that they fit after this name. */
export const editorToolsServer = "vscode_tools";
const mcpTag = "mcp";
/** Tools of VS Code's own chat, which work only in its conversations. */
const chatTool = /^(?:copilot|vscode)_/;
/** Interval of progress messages. Clients abort silent calls, and users need time to answer the editor's question. */
const progressMs = 10_000;

const instructions =
  "Tools of the user's editor, VS Code: those of the MCP servers that it runs, and of its extensions. It may ask the user before it runs one.";

/**
 * Offers the editor's tools as one MCP server to all agents of the window. Tool search, switches and size limits apply as for the user's
 * own servers; the editor confirms each call itself.
 */
export class EditorTools implements AsyncDisposable {
  readonly #server: ChangingToolServer;
  readonly #checking: NodeJS.Timeout;
  #entry: Promise<unknown> | undefined;
  #key = "[]";

  constructor(private readonly options: EditorToolsOptions) {
    const { version, checkMs = 3_000 } = options;
    this.#server = new ChangingToolServer({
      name: editorToolsServer,
      version,
      instructions,
      refresh: () => this.refresh(),
    });
    this.#checking = setInterval(() => {
      if (this.#server.hasListeners) this.refresh();
    }, checkMs);
    this.#checking.unref();
  }

  get server(): McpServer {
    return this.#server;
  }

  /** Returns the `mcpServers` entry by server name, or nothing if the user turned editor tools off. */
  async servers(): Promise<Readonly<Record<string, unknown>>> {
    if (this.options.choice() === "off") return {};
    this.#entry ??= this.#expose().catch((error: unknown) => {
      this.#entry = undefined;
      throw error;
    });
    return { [editorToolsServer]: await this.#entry };
  }

  refresh(): void {
    const { listed, further } = toolList(this.#chosen());
    const tools = [...listed, ...further];
    const key = JSON.stringify(tools);
    if (key === this.#key) return;
    this.#key = key;
    this.#server.setTools(
      tools.map(({ alias, name, description, inputSchema }): Tool => ({
        name: alias,
        ...(alias !== name && { title: name }),
        description,
        inputSchema: { ...inputSchema },
        call: (args, context) => this.#run(name, args, context),
      })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#checking);
    await this.options.bridge[Symbol.asyncDispose]();
  }

  #chosen(): readonly EditorTool[] {
    const { source, choice } = this.options;
    const chosen = choice();
    if (chosen === "off") return [];
    const { contributed } = source;
    return source.tools.filter(
      ({ name, tags }) => tags.includes(mcpTag) || (chosen === "all" && contributed.has(name) && !chatTool.test(name)),
    );
  }

  async #run(name: string, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> {
    const ticks = setInterval(() => context.progress("VS Code is working on it."), progressMs);
    try {
      return toolResultOf(await this.options.source.invoke(name, args, context.signal), false);
    } finally {
      clearInterval(ticks);
    }
  }

  async #expose(): Promise<unknown> {
    this.refresh();
    const { declaration } = await this.options.bridge.expose(this.#server, "http");
    const { url, headers } = declaration.object ?? {};
    const pairs = (Array.isArray(headers) ? headers : []).flatMap((header): [string, unknown][] => {
      const { name, value } = asObject(header) ?? {};
      return typeof name === "string" ? [[name, value]] : [];
    });
    return { url, headers: Object.fromEntries(pairs) };
  }
}
