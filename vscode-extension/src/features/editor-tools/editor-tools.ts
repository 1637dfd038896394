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

/** A tool of the editor, as the editor describes it. */
export interface EditorTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly tags: readonly string[];
}

/** The tools of an editor, whoever they are from. */
export interface EditorToolSource {
  /** Those that can be called now. */
  readonly tools: readonly EditorTool[];
  /** The names of those that extensions of others contribute. */
  readonly contributed: ReadonlySet<string>;
  /** The parts of what the tool gave. Rejects with the tool's error, or where the user has not allowed the call. */
  invoke(name: string, input: object, signal: AbortSignal): Promise<readonly unknown[]>;
}

/** Which tools agents get: none, those of MCP servers that the editor runs, or also those of extensions. */
type EditorToolChoice = "off" | "mcp" | "all";

interface EditorToolsOptions {
  readonly source: EditorToolSource;
  readonly choice: () => EditorToolChoice;
  readonly version: string;
  /** Serves agents over loopback; begins to listen with the first session. */
  readonly bridge: McpBridge;
  /** How often a list that somebody has is compared with the editor's, which does not tell of changes. */
  readonly checkMs?: number;
}

/** The server's name, which agents see, too; core keeps names of tools short enough to follow it. */
export const editorToolsServer = "vscode_tools";
/** How VS Code marks what its MCP servers have. */
const mcpTag = "mcp";
/** Tools of VS Code's own chat, which work in its conversations alone. */
const chatTool = /^(?:copilot|vscode)_/;
/** Clients give up on silent calls; people take their time to answer the editor's question. */
const progressMs = 10_000;

const instructions =
  "Tools of the user's editor, VS Code: those of the MCP servers that it runs, and of its extensions. It may ask the user before it runs one.";

/**
 * The editor's own tools as one MCP server for all agents of the window. It goes to the conductor as one of the user's servers, so that
 * the search for tools, switches and sizes are the same as for those. The editor runs each call, with its own questions.
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

  /** The server, for whoever speaks MCP in this process. */
  get server(): McpServer {
    return this.#server;
  }

  /** For `mcpServers` of settings: the server by its name, or nothing where the user wants none. */
  async servers(): Promise<Readonly<Record<string, unknown>>> {
    if (this.options.choice() === "off") return {};
    this.#entry ??= this.#expose().catch((error: unknown) => {
      this.#entry = undefined;
      throw error;
    });
    return { [editorToolsServer]: await this.#entry };
  }

  /** Compares the list with the editor's, and tells of what is different. */
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
    const ticks = setInterval(() => context.progress("VS Code works on it."), progressMs);
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
