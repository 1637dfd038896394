import type * as ClientSdk from "@modelcontextprotocol/client";
import type { Client, VersionNegotiationMode } from "@modelcontextprotocol/client";
import { messageOf, SymposiumError } from "../base/symposium-error.js";
import type { Command, ProcessExit, StartProcess } from "../conductor/component.js";
import { describeExit, startHint } from "../conductor/start-hint.js";
import { StatelessServer, UpstreamCalls } from "../mcp/component-servers.js";
import {
  type ConnectMcp,
  type McpConnectContext,
  type McpConnection,
  type McpServerEntry,
  ServerConnection,
} from "../mcp/mcp-connection.js";
import { statelessVersion } from "../mcp/wire.js";
import { ProcessTransport } from "./process-transport.js";
import { SdkConnection } from "./sdk-connection.js";

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
