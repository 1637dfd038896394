import type { Client, ListToolsResult, ProtocolError } from "@modelcontextprotocol/client";
import { type McpConnection, McpError, type McpTool, type McpToolResult } from "../mcp/mcp-connection.js";

interface SdkConnectionOptions {
  /** The SDK's class of errors that servers answer with. */
  readonly protocolError: typeof ProtocolError;
  /** Longest silence of a tool, between progress notifications. */
  readonly callTimeoutMs: number;
  /** Makes an error for people of one that is not the server's answer. */
  explain(thrown: unknown): unknown;
  /** Ends what `client` does not end by itself. */
  close(): Promise<void>;
}

/** A connection that a client of the MCP SDK holds. */
export class SdkConnection implements McpConnection {
  constructor(
    private readonly client: Client,
    private readonly options: SdkConnectionOptions,
  ) {}

  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const result = await this.#mapped<ListToolsResult>(() =>
      this.client.listTools(undefined, { signal, cacheMode: "refresh" }),
    );
    return result.tools.map(({ name, description }) => ({ name, description }));
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<McpToolResult> {
    const { content, structuredContent, isError } = await this.#mapped(() =>
      this.client.callTool(
        { name, arguments: { ...args } },
        // The SDK asks for progress only where somebody listens to it.
        { signal, timeout: this.options.callTimeoutMs, resetTimeoutOnProgress: true, onprogress: () => undefined },
      ),
    );
    return {
      content: content.map((block) => ({ ...block })),
      ...(structuredContent !== undefined && { structuredContent }),
      isError: isError === true,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.options.close();
    await this.client.close();
  }

  async #mapped<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (thrown) {
      if (thrown instanceof this.options.protocolError) throw new McpError(thrown.code, thrown.message, thrown.data);
      throw this.options.explain(thrown);
    }
  }
}
