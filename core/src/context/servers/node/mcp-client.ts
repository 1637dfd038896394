import { existsSync } from "node:fs";
import type { Client, VersionNegotiationMode } from "@modelcontextprotocol/client";
import { isDoneWithin, untilAborted } from "../../../base/until-aborted.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { ProcessExit, StartProcess } from "../../../base/component-process.js";
import type { Command } from "../../../base/command.js";
import { describeExit, startHint } from "../../../conductor/chain/start-hint.js";
import { proxiedFetch } from "../../../base/node/proxied-fetch.js";
import { StatelessServer, UpstreamCalls } from "../../../base/mcp/mcp-over-acp-client.js";
import type { ConnectMcp, McpConnectContext, McpConnection } from "../../../base/mcp/mcp-client-contract.js";
import type { McpServerEntry } from "../../../base/mcp/mcp-server-entry.js";
import { InProcessClient } from "../../../base/mcp/in-process-client.js";
import { statelessVersion } from "../../../base/mcp/wire.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import type { ProgramLaunch, RemoteLaunch } from "../expanded-launch.js";
import {
  type ConnectionHost,
  type ConnectionPlan,
  type UserServerConnection,
  SignInNeeded,
} from "../user-server-connection.js";
import { BoundedFetch } from "./bounded-fetch.js";
import { ProcessTransport } from "./process-transport.js";
import { type Sdk, SdkServer } from "./sdk-server.js";
import type { SignIn } from "./sign-in.js";

interface McpClientOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly startProcess: StartProcess;
  /** Time limit for a server's first responses; default 30 s. */
  readonly connectTimeoutMs?: number;
  /** Longest time without progress during a call; default 10 min. */
  readonly callTimeoutMs?: number;
  /** Maximum message size over http. Default: the default of the settings. `startProcess` limits messages from programs. */
  readonly maxMessageBytes?: number;
}

/** Time limit for ending the server's session. */
const farewellMs = 1_000;
const defaultHint = "Check its entry in the settings of your editor.";

/** Host without capabilities that ignores notifications. */
const nobody: ConnectionHost = { notified: () => undefined, ended: () => undefined };

/** Client for MCP servers over stdio, http and sse, in stateful and stateless protocol revisions. Loads the MCP SDK on first use. */
export class McpClient {
  constructor(private readonly options: McpClientOptions) {}

  readonly connect: ConnectMcp = async (entry, context): Promise<McpConnection> => {
    if (entry.type === "acp") {
      // No notifications are forwarded, since tool progress isn't shown anywhere.
      return new InProcessClient(new StatelessServer(entry.name, entry.serverId, context.client, new UpstreamCalls()));
    }
    const live = await this.open({ name: entry.name, launch: launchOf(entry, context) }, nobody, context.signal);
    return new InProcessClient({ call: (method, params, call) => live.call(method, params?.object ?? {}, call) }, live);
  };

  /** Connects to a stdio, http or sse server. `signIn` applies only to remote servers. */
  async open(
    plan: ConnectionPlan,
    host: ConnectionHost,
    signal: AbortSignal,
    signIn?: SignIn,
  ): Promise<UserServerConnection> {
    const sdk = await import("./mcp-sdk.js");
    const { launch } = plan;
    return launch.type === "stdio"
      ? this.#openProcess(sdk, plan, launch, host, signal)
      : this.#openRemote(sdk, plan, launch, host, { signal, signIn });
  }

  /**
   * Tries `initialize` first, since only purely stateless servers reject it and some servers exit on anything else. Restarts a server that
   * rejects it in stateless mode.
   */
  async #openProcess(
    sdk: Sdk,
    plan: ConnectionPlan,
    launch: ProgramLaunch,
    host: ConnectionHost,
    signal: AbortSignal,
  ): Promise<UserServerConnection> {
    const { command: program, args, env, cwd } = launch;
    const command: Command = { command: program, args, env, cwd };
    const modes: VersionNegotiationMode[] = ["legacy", { pin: statelessVersion }];
    if (plan.isStateless === true) modes.reverse();
    let refusal: unknown;
    for (const mode of modes) {
      const transport = new ProcessTransport({
        name: plan.name,
        command,
        startProcess: this.options.startProcess,
        parseMessage: (line) => sdk.deserializeMessage(line),
      });
      const client = this.#newClient(sdk, mode, host);
      try {
        await client.connect(transport, this.#connectOptions(plan, signal));
        return this.#serve(sdk, client, plan, host, {
          explain: (thrown) => explainProcess(plan, command, transport, thrown),
        });
      } catch (thrown) {
        await transport.close();
        refusal = thrown;
        const isRefused = thrown instanceof sdk.ProtocolError || (mode !== "legacy" && thrown instanceof sdk.SdkError);
        if (!isRefused || transport.ownExit !== undefined || signal.aborted) {
          throw explainProcess(plan, command, transport, thrown);
        }
      }
    }
    throw unreachable(plan, "it uses an unsupported MCP version.", refusal);
  }

  async #openRemote(
    sdk: Sdk,
    plan: ConnectionPlan,
    { type, url: address, headers }: RemoteLaunch,
    host: ConnectionHost,
    { signal, signIn }: { signal: AbortSignal; signIn: SignIn | undefined },
  ): Promise<UserServerConnection> {
    const client = this.#newClient(sdk, type === "sse" ? "legacy" : "auto", host);
    const bounded = new BoundedFetch({
      fetch: signIn?.fetch ?? proxiedFetch,
      maxMessageBytes: this.options.maxMessageBytes ?? defaultSettings.maxMessageBytes,
      onFault: () => void client.close(),
    });
    const explain = (thrown: unknown): Error => explainRemote(sdk, plan, bounded.fault ?? thrown);
    const limits = this.#connectOptions(plan, signal);
    try {
      const { url, credentials } = withoutCredentials(address);
      const ways = { fetch: bounded.fetch, ...(signIn && { authProvider: signIn }) };
      const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
      const options = { requestInit: { headers: { ...(!isGiven && credentials), ...headers } }, ...ways };
      if (type === "sse") {
        // oxlint-disable-next-line typescript/no-deprecated -- servers of this kind are still about
        const transport = new sdk.SSEClientTransport(url, options);
        const either = AbortSignal.any([signal, AbortSignal.timeout(limits.timeout)]);
        await connected(client.connect(transport, limits), transport, either);
        return this.#serve(sdk, client, plan, host, { explain });
      }
      const transport = new sdk.StreamableHTTPClientTransport(url, { ...options, reconnectionOptions });
      await connected(client.connect(transport, limits), transport, signal);
      return this.#serve(sdk, client, plan, host, {
        explain,
        close: async () => void (await isDoneWithin(transport.terminateSession(), farewellMs)),
      });
    } catch (thrown) {
      await client.close();
      throw explain(thrown);
    }
  }

  #newClient(sdk: Sdk, mode: VersionNegotiationMode, { roots, elicitation }: ConnectionHost): Client {
    const { form = false, url = false } = elicitation ?? {};
    const modes = { ...(form && { form: {} }), ...(url && { url: {} }) };
    return new sdk.Client(this.options.clientInfo, {
      versionNegotiation: { mode },
      // The agent validates the tools' results, so this client doesn't.
      jsonSchemaValidator: {
        getValidator: () => (result) => ({ valid: true, data: result as never, errorMessage: undefined }),
      },
      capabilities: { ...(roots && { roots: {} }), ...((form || url) && { elicitation: modes }) },
    });
  }

  #connectOptions({ startTimeoutMs }: ConnectionPlan, signal: AbortSignal): { signal: AbortSignal; timeout: number } {
    return { signal, timeout: startTimeoutMs ?? this.options.connectTimeoutMs ?? 30_000 };
  }

  #serve(
    sdk: Sdk,
    client: Client,
    plan: ConnectionPlan,
    host: ConnectionHost,
    ways: { explain(thrown: unknown): Error; close?: () => Promise<void> },
  ): UserServerConnection {
    const callTimeoutMs = plan.callTimeoutMs ?? this.options.callTimeoutMs ?? 600_000;
    return new SdkServer(client, { sdk, name: plan.name, host, callTimeoutMs, ...ways });
  }
}

/** The SDK reopens the stream of server messages by itself; retry as long as the connection is in use. */
const reconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 60_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.MAX_SAFE_INTEGER,
};

function launchOf(
  entry: Exclude<McpServerEntry, { type: "acp" }>,
  { cwd }: McpConnectContext,
): ProgramLaunch | RemoteLaunch {
  if (entry.type !== "stdio") return { type: entry.type, url: entry.url, headers: entry.headers };
  return { type: "stdio", command: entry.command, args: entry.args, env: entry.env, cwd };
}

function explainProcess(plan: ConnectionPlan, command: Command, transport: ProcessTransport, thrown: unknown): Error {
  const exit: ProcessExit | undefined = transport.ownExit;
  if (exit === undefined) return unreachable(plan, reasonOf(transport.fault ?? thrown), thrown);
  if (exit.startError === "ENOENT" && command.cwd !== undefined && !existsSync(command.cwd)) {
    const message = `MCP server "${plan.name}" could not be started: the folder "${command.cwd}" does not exist.`;
    return new SymposiumError("component-start-failed", message, plan.hint ?? defaultHint, { cause: thrown });
  }
  const { stderrTail } = exit;
  const message = describeExit(`MCP server "${plan.name}"`, exit);
  return new SymposiumError(
    exit.startError === undefined ? "component-exited" : "component-start-failed",
    stderrTail === "" ? message : `${message} It wrote: ${stderrTail}`,
    startHint(command, exit),
    { cause: thrown },
  );
}

function explainRemote(sdk: Sdk, plan: ConnectionPlan, thrown: unknown): Error {
  const isRefused = thrown instanceof sdk.SdkHttpError && thrown.status === 401;
  if (isRefused || thrown instanceof sdk.UnauthorizedError) return new SignInNeeded(plan.name, { cause: thrown });
  return unreachable(plan, reasonOf(thrown), thrown);
}

function unreachable({ name, launch, hint }: ConnectionPlan, reason: string, cause?: unknown): SymposiumError {
  const where = launch.type === "stdio" ? launch.command : withoutSecrets(launch.url);
  const message = `MCP server "${name}" (${where}) cannot be used: ${reason}`;
  return new SymposiumError("component-start-failed", message, hint ?? defaultHint, { cause });
}

/** A URL may contain a key in its query or credentials before the host. */
function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return "an invalid address";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/** Returns the innermost error message, since `fetch failed` alone doesn't help. */
function reasonOf(thrown: unknown): string {
  let reason: unknown = thrown;
  while (reason instanceof Error && reason.cause instanceof Error) reason = reason.cause;
  const text = messageOf(reason);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `fetch` rejects URLs with credentials, and its error repeats them. */
function withoutCredentials(address: string): {
  readonly url: URL;
  readonly credentials: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url, credentials: {} };
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url, credentials: { Authorization: `Basic ${pair.toString("base64")}` } };
}

/** Closes the transport on abort: the SDK waits forever for a silent stream and ignores the signal during version negotiation. */
async function connected(
  connecting: Promise<void>,
  transport: { close(): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  try {
    await untilAborted(connecting, signal);
  } catch (thrown) {
    await transport.close();
    throw thrown;
  }
}
