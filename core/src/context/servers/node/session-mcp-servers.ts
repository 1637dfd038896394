import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import type { StartProcess } from "../../../base/component-process.js";
import type { McpOutcome } from "../../../base/mcp/mcp-server.js";
import type { Members } from "../../../base/rpc/json.js";
import type { ContextSession, ContextSource, Contribution } from "../../contribution.js";
import { configFolder } from "../../../base/node/own-program.js";
import type { EditorAndProxyServers } from "../editor-and-proxy-servers.js";
import type { ListFiles } from "./lists-file.js";
import type { ServerSession } from "../expanded-launch.js";
import type { ServerHub } from "../server-hub.js";
import { ServerStatuses } from "../server-status.js";
import type { OfferedTools } from "../direct-or-searched-tools.js";
import type { ToolSearchSettings } from "../../../settings/settings-table.js";
import type { UserServer } from "../../../settings/user-server.js";
import type { UserServerConnection } from "../user-server-connection.js";
import { productVersion } from "../../../base/node/product-version.js";

interface ObservedCall {
  /** Name of the server in the user's configuration. */
  readonly server: string;
  readonly session: string | undefined;
  readonly method: string;
  readonly params: Members;
}

interface ServerSourceOptions {
  readonly startProcess: StartProcess;
  readonly maxMessageBytes: number;
  readonly toolSearch: ToolSearchSettings;
  readonly logger: Logger;
  /** Called with every secret, to redact it from traces. */
  readonly learn: (secret: string) => void;
  /** Observes each request to a server. `send` sends it with the given parameters. Undefined if nobody observes. */
  readonly observeCall?: (call: ObservedCall, send: (params: Members) => Promise<McpOutcome>) => Promise<McpOutcome>;
}

interface Searching extends AsyncDisposable {
  readonly searches: OfferedTools;
}

/** Delay of cleaning, so that it doesn't slow down the first session. */
const cleaningDelayMs = 30_000;

/**
 * Context source for the user's MCP servers. All chains of a process share one hub, loaded with the first session that gets a server.
 * Disposing ends every server.
 */
export class SessionMcpServers implements AsyncDisposable {
  /** States of the sessions' servers; empty before the first session. */
  readonly statuses = new ServerStatuses();
  #hub: Promise<ServerHub> | undefined;
  #searching: Promise<Searching> | undefined;
  #cleaning: NodeJS.Timeout | undefined;

  constructor(private readonly options: ServerSourceOptions) {}

  /** Creates the source of one chain. `configured` reads the current servers of the user's files. */
  forChain(given: EditorAndProxyServers, configured: () => Promise<readonly UserServer[]>): ContextSource {
    return {
      name: "servers",
      prepare: () => void this.#prepare(given, configured),
      open: async (session) => this.#open(session, [...(await configured()), ...given.current]),
    };
  }

  hub(): Promise<ServerHub> {
    this.#hub ??= this.#load();
    return this.#hub;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const hub = await this.#hub?.catch(() => undefined);
    // Loading the hub starts this timer.
    clearTimeout(this.#cleaning);
    await hub?.[Symbol.asyncDispose]();
    await (await this.#searching?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /** Ignores failures, which a session reports when it needs the hub. */
  async #prepare(given: EditorAndProxyServers, configured: () => Promise<readonly UserServer[]>): Promise<void> {
    const servers = await configured().catch(() => []);
    if (servers.length + given.current.length === 0) return;
    // `node:crypto` takes as long to load as all of this project's modules.
    await Promise.allSettled([this.hub(), this.#searches(), import("node:crypto")]);
  }

  async #open(session: ContextSession, servers: readonly UserServer[]): Promise<Contribution> {
    const { row, project, editorServers } = session;
    const isAdopting = (row?.dropsStdioServers ?? row?.sharesServers ?? false) && editorServers.length > 0;
    if (servers.length === 0 && project.servers.length === 0 && !isAdopting) return {};
    const hub = await this.hub();
    const contribution = await hub.open(session, servers);
    const { searches } = await this.#searches();
    return { ...contribution, ...(await searches.offer(contribution.servers, session)) };
  }

  #searches(): Promise<Searching> {
    this.#searching ??= this.#loadSearches();
    return this.#searching;
  }

  async #loadSearches(): Promise<Searching> {
    const [{ OfferedTools }, { ToolUseFile }] = await Promise.all([
      import("../direct-or-searched-tools.js"),
      import("./tool-call-counts-file.js"),
    ]);
    const { toolSearch, logger } = this.options;
    const use = await ToolUseFile.open(join(configFolder(), "tool-use.json"), logger);
    const searches = new OfferedTools({ settings: () => toolSearch, version: productVersion, use });
    return { searches, [Symbol.asyncDispose]: () => use[Symbol.asyncDispose]() };
  }

  async #load(): Promise<ServerHub> {
    const [{ ServerHub, listsKey }, { McpClient }, { ListFiles }, { ownServersOf }] = await Promise.all([
      import("../server-hub.js"),
      import("./mcp-client.js"),
      import("./lists-file.js"),
      import("./find-servers.js"),
    ]);
    const { startProcess, maxMessageBytes, logger, learn } = this.options;
    const { serverAccess } = await import("./secrets-and-sign-in.js");
    const access = serverAccess({ logger, learn, signedIn: (name) => this.statuses.retry(name) });
    const clientInfo = { name: "symposium", version: productVersion };
    const client = new McpClient({ clientInfo, startProcess, maxMessageBytes });
    const lists = new ListFiles(join(configFolder(), "mcp-lists"), logger);
    this.#cleaning = setTimeout(() => void cleanLists(lists, listsKey), cleaningDelayMs).unref();
    return new ServerHub({
      logger,
      statuses: this.statuses,
      lists,
      agentServers: async ({ id }, { cwd }) =>
        (await ownServersOf(id, cwd))
          // Codex rejects a known name even if that server is disabled.
          .filter(({ isEnabled, needsTrust }) => id === "codex" || (isEnabled && !needsTrust))
          .map(({ name }) => name),
      expand: access.expand,
      connect: async (plan, host, signal, { server, session }) => {
        const { launch } = plan;
        const signIn = launch.type === "stdio" ? undefined : await access.findSignIn(server, launch, session);
        return this.#observed(await client.open(plan, host, signal, signIn), server, session);
      },
    });
  }

  #observed(live: UserServerConnection, server: UserServer, session: ServerSession): UserServerConnection {
    const { observeCall } = this.options;
    if (!observeCall) return live;
    return {
      description: live.description,
      isStateless: live.isStateless,
      call: (method, params, context) =>
        observeCall({ server: server.name, session: session.sessionId, method, params }, (sent) =>
          live.call(method, sent, context),
        ),
      [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
    };
  }
}

async function cleanLists(lists: ListFiles, keyOf: (server: UserServer) => string): Promise<void> {
  const { userServers } = await import("./servers-in-config.js");
  const problems: string[] = [];
  const servers = await userServers((problem) => problems.push(problem));
  // A broken file may still list any server.
  await lists.clean(problems.length > 0 ? undefined : servers.map(keyOf));
}
