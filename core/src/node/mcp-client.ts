import type * as ClientSdk from "@modelcontextprotocol/client";
import type {
  Client,
  VersionNegotiationMode,
  JSONRPCMessage,
  Transport,
  ListToolsResult,
  ProtocolError,
} from "@modelcontextprotocol/client";
import { messageOf, SymposiumError } from "../base/symposium-error.js";
import type { Command, ProcessExit, StartProcess, ComponentProcess } from "../conductor/component.js";
import { describeExit, startHint } from "../conductor/start-hint.js";
import { StatelessServer, UpstreamCalls } from "../mcp/component-servers.js";
import {
  type ConnectMcp,
  type McpConnectContext,
  type McpConnection,
  type McpServerEntry,
  McpError,
  type McpTool,
  type McpToolResult,
} from "../mcp/mcp-connection.js";
import { ServerConnection } from "../mcp/server-connection.js";
import { statelessVersion } from "../mcp/wire.js";

interface McpClientOptions {
  /** Who connects, as the servers are told. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly startProcess: StartProcess;
  /** Longest wait for a server's first answers; default 30 s. */
  readonly connectTimeoutMs?: number;
  /** Longest silence of a tool, between progress notifications; default 10 min. */
  readonly callTimeoutMs?: number;
}

type Sdk = typeof ClientSdk;
type StdioEntry = Extract<McpServerEntry, { type: "stdio" }>;
type RemoteEntry = Extract<McpServerEntry, { type: "http" | "sse" }>;

/** How long a server may take to hear that its session is over. */
const farewellMs = 1_000;

/** Connects to the MCP servers that sessions are given, of all kinds that ACP knows. Loads the MCP SDK at the first need. */
export class McpClient {
  constructor(private readonly options: McpClientOptions) {}

  readonly connect: ConnectMcp = async (entry, context): Promise<McpConnection> => {
    switch (entry.type) {
      case "stdio":
        return this.#connectProcess(await loadSdk(), entry, context);
      case "http":
      case "sse":
        return this.#connectRemote(await loadSdk(), entry, context);
      case "acp":
        // Progress of tools is not shown anywhere, so notifications need no way here.
        return new ServerConnection(
          new StatelessServer(entry.name, entry.serverId, context.client, new UpstreamCalls()),
        );
    }
  };

  /**
   * Every server but one of the stateless revision alone answers `initialize`; some end at the sight of
   * anything else. So the handshake comes first, and what refuses it is started again for the stateless way.
   */
  async #connectProcess(sdk: Sdk, entry: StdioEntry, context: McpConnectContext): Promise<McpConnection> {
    const command: Command = { command: entry.command, args: entry.args, env: entry.env, cwd: context.cwd };
    for (const mode of ["legacy", { pin: statelessVersion }] as const) {
      const transport = new ProcessTransport({
        name: entry.name,
        command,
        startProcess: this.options.startProcess,
        parseMessage: (line) => sdk.deserializeMessage(line),
      });
      const client = this.#newClient(sdk, mode);
      try {
        await client.connect(transport, this.#connectOptions(context));
        return this.#toConnection(sdk, client, (thrown) => explainProcess(entry, command, transport.ownExit, thrown));
      } catch (thrown) {
        await transport.close();
        const isRefused = mode === "legacy" && thrown instanceof sdk.ProtocolError && transport.ownExit === undefined;
        if (!isRefused) throw explainProcess(entry, command, transport.ownExit, thrown);
      }
    }
    throw unreachable(entry, "it speaks no known version of MCP");
  }

  async #connectRemote(sdk: Sdk, entry: RemoteEntry, context: McpConnectContext): Promise<McpConnection> {
    const url = new URL(entry.url);
    const requestInit = { headers: { ...entry.headers } };
    const explain = (thrown: unknown): unknown => unreachable(entry, reasonOf(thrown), thrown);
    const isSse = entry.type === "sse";
    const client = this.#newClient(sdk, isSse ? "legacy" : "auto");
    try {
      if (isSse) {
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- ACP still has entries of this type
        await client.connect(new sdk.SSEClientTransport(url, { requestInit }), this.#connectOptions(context));
        return this.#toConnection(sdk, client, explain);
      }
      const transport = new sdk.StreamableHTTPClientTransport(url, { requestInit });
      await client.connect(transport, this.#connectOptions(context));
      return this.#toConnection(sdk, client, explain, () => inTime(transport.terminateSession(), farewellMs));
    } catch (thrown) {
      await client.close();
      throw explain(thrown);
    }
  }

  #newClient(sdk: Sdk, mode: VersionNegotiationMode): Client {
    return new sdk.Client(this.options.clientInfo, { versionNegotiation: { mode } });
  }

  #connectOptions({ signal }: McpConnectContext): { signal: AbortSignal; timeout: number } {
    return { signal, timeout: this.options.connectTimeoutMs ?? 30_000 };
  }

  #toConnection(
    sdk: Sdk,
    client: Client,
    explain: (thrown: unknown) => unknown,
    close: () => Promise<void> = () => Promise.resolve(),
  ): McpConnection {
    const { callTimeoutMs = 600_000 } = this.options;
    return new SdkConnection(client, { protocolError: sdk.ProtocolError, callTimeoutMs, explain, close });
  }
}

function loadSdk(): Promise<Sdk> {
  return import("@modelcontextprotocol/client");
}

function explainProcess(entry: StdioEntry, command: Command, exit: ProcessExit | undefined, thrown: unknown): Error {
  if (exit === undefined) return unreachable(entry, reasonOf(thrown), thrown);
  const { stderrTail } = exit;
  const message = describeExit(`MCP server "${entry.name}"`, exit);
  return new SymposiumError(
    exit.startError === undefined ? "component-exited" : "component-start-failed",
    stderrTail === "" ? message : `${message} It wrote: ${stderrTail}`,
    startHint(command, exit),
    { cause: thrown },
  );
}

function unreachable(entry: StdioEntry | RemoteEntry, reason: string, cause?: unknown): SymposiumError {
  const where = entry.type === "stdio" ? entry.command : entry.url;
  return new SymposiumError(
    "component-start-failed",
    `MCP server "${entry.name}" (${where}) cannot be used: ${reason}`,
    "Check its entry in the settings of your editor.",
    { cause },
  );
}

/** The innermost message: `fetch failed` alone helps nobody. */
function reasonOf(thrown: unknown): string {
  let reason: unknown = thrown;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const text = messageOf(reason);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Waits for `promise`, but no longer than `ms`, and for its failure no better than for its success. */
async function inTime(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise.catch(() => undefined), timeout]);
  clearTimeout(timer);
}

interface ProcessTransportOptions {
  readonly name: string;
  readonly command: Command;
  readonly startProcess: StartProcess;
  /** Reads one line as a message, or throws. */
  readonly parseMessage: (line: string) => JSONRPCMessage;
}

/** MCP over the stdio of a process that we started: it ends, with all it has started, when the transport is closed. */
class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  #process: ComponentProcess | undefined;
  #isClosing = false;
  #ownExit: ProcessExit | undefined;

  constructor(private readonly options: ProcessTransportOptions) {}

  /** How the process ended, when it did so by itself or never started. */
  get ownExit(): ProcessExit | undefined {
    return this.#ownExit;
  }

  start(): Promise<void> {
    const { name, command, startProcess } = this.options;
    const process = startProcess(name, command, {
      line: (line) => this.#receive(line),
      oversize: ({ bytes }) => this.#fail(new Error(`MCP server "${name}" sent a line of ${bytes} bytes.`)),
      end: () => undefined,
      stalled: (ms) => this.#fail(new Error(`MCP server "${name}" has taken no input for ${ms} ms.`)),
    });
    this.#process = process;
    void process.exited.then((exit) => {
      if (!this.#isClosing) this.#ownExit = exit;
      this.onclose?.();
    });
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#process?.send(JSON.stringify(message));
    return Promise.resolve();
  }

  /** Resolves with the process gone. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.[Symbol.asyncDispose]();
  }

  /** Lines that are no messages are skipped: many servers print a banner. */
  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = this.options.parseMessage(line);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return;
    }
    this.onmessage?.(message);
  }

  /** What was lost may have been an answer, so nobody may wait for it any longer. */
  #fail(error: Error): void {
    this.onerror?.(error);
    void this.close();
  }
}

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
class SdkConnection implements McpConnection {
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
