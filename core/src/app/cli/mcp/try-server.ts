import { Logger } from "../../../base/logger.js";
import { invalidArguments, messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { StartProcess } from "../../../base/component-process.js";
import type { McpServer } from "../../../base/mcp/mcp-server.js";
import { type ListedTool, listTools } from "../../../base/mcp/in-process-client.js";
import { nobody } from "../../../base/rpc/peer.js";
import type { ServerSession } from "../../../context/servers/expanded-launch.js";
import type { ConnectionHost } from "../../../context/servers/user-server-connection.js";
import type { UserServer } from "../../../settings/user-server.js";
import type { KnownServer } from "./servers-for-folder.js";
import { productVersion } from "../../../base/node/product-version.js";

export type Tried =
  | {
      readonly state: "ready";
      /** Tools listed by the server, including those hidden from agents. */
      readonly tools: readonly ListedTool[];
      readonly isStateless: boolean;
      readonly ms: number;
    }
  | { readonly state: "failed"; readonly reason: string; readonly remedy?: string };

/** Returns the named server, or all enabled servers, except unapproved project servers. Throws `invalid-arguments` for an unknown name. */
export function serversToTry(known: readonly KnownServer[], name: string | undefined): readonly UserServer[] {
  const allowed = known.filter(({ needsApproval }) => !needsApproval);
  if (name === undefined) return allowed.filter(({ offBy }) => offBy === undefined).map(({ server }) => server);
  const found = allowed.filter(({ server }) => server.name === name).map(({ server }) => server);
  if (found.length > 0) return found;
  const isKnown = known.some(({ server }) => server.name === name);
  throw invalidArguments(
    isKnown
      ? `"${name}" belongs to this folder's project, which you have not allowed.`
      : `There is no MCP server "${name}" in your configuration.`,
    isKnown
      ? "Run `symposium-acp-agent trust .` to review and allow what the project asks for."
      : "`symposium-acp-agent mcp list` lists your servers.",
  );
}

/** Starts a server as a session would, lists its tools and stops it. Never asks the user. */
export async function tryServer(server: UserServer, startProcess: StartProcess, signal: AbortSignal): Promise<Tried> {
  const [{ McpClient }, { serverAccess }] = await Promise.all([
    import("../../../context/servers/node/mcp-client.js"),
    import("../../../context/servers/node/secrets-and-sign-in.js"),
  ]);
  const access = serverAccess({ logger: Logger.silent, learn: () => undefined, signedIn: () => undefined });
  const cwd = process.cwd();
  const over = new AbortController();
  const session: ServerSession = {
    cwd,
    roots: [cwd],
    client: nobody,
    clientCapabilities: {},
    sessionId: undefined,
    signal: AbortSignal.any([signal, over.signal]),
  };
  const start = performance.now();
  try {
    const launch = await access.expand(server, session);
    if ("missing" in launch) {
      return { state: "failed", reason: `${launch.missing} has no value.`, remedy: remedyFor(server, launch.missing) };
    }
    const signIn = launch.type === "stdio" ? undefined : await access.findSignIn(server, launch, session);
    const { name, startTimeoutMs, callTimeoutMs } = server;
    const limits = {
      ...(startTimeoutMs !== undefined && { startTimeoutMs }),
      ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    };
    const client = new McpClient({ clientInfo: { name: "symposium", version: productVersion }, startProcess });
    const hint = "Check its entry in config.jsonc.";
    await using live = await client.open({ name, launch, hint, ...limits }, host, signal, signIn);
    const lister: Pick<McpServer, "call"> = {
      call: (method, params, call) => live.call(method, params?.object ?? {}, call),
    };
    const tools = live.description.capabilities["tools"] === undefined ? [] : await listTools(lister, signal);
    return { state: "ready", tools, isStateless: live.isStateless, ms: Math.round(performance.now() - start) };
  } catch (failure) {
    signal.throwIfAborted();
    const { message: reason, hint: remedy } =
      failure instanceof SymposiumError ? failure : { message: messageOf(failure) };
    return { state: "failed", reason, ...(remedy !== undefined && { remedy }) };
  } finally {
    over.abort();
  }
}

/** Suggests how to set missing values. `missing` lists them as written, such as `${input:id}, ${env:TOKEN}`. */
function remedyFor({ name }: UserServer, missing: string): string {
  const remedies = [
    [/\$\{input:/, `Run \`symposium-acp-agent mcp login ${name}\` to enter it.`],
    [/\$\{secret:/, "Store the secret with `symposium-acp-agent mcp secret set NAME`."],
    [/\$\{(?!input:|secret:)/, "Set the variable in the environment."],
  ] as const;
  const fitting = remedies.flatMap(([variable, remedy]) => (variable.test(missing) ? [remedy] : []));
  return fitting.length === 0 ? "Correct its entry in config.jsonc." : fitting.join(" ");
}

const host: ConnectionHost = { notified: () => undefined, ended: () => undefined };
