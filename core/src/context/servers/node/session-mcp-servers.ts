import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import type { StartProcess } from "../../../base/component-process.js";
import type { ContextSession, ContextSource, Contribution } from "../../contribution.js";
import { configFolder } from "../../../base/node/own-program.js";
import type { EditorAndProxyServers } from "../editor-and-proxy-servers.js";
import type { ListFiles } from "./lists-file.js";
import type { ServerHub } from "../server-hub.js";
import { ServerStatuses } from "../server-status.js";
import type { ToolSearches } from "../tool-search.js";
import type { ToolSearchSettings } from "../../../settings/settings-table.js";
import type { UserServer } from "../../../settings/user-server.js";
import { productVersion } from "../../../base/node/product-version.js";

interface ServerSourceOptions {
  readonly startProcess: StartProcess;
  /** The longest message of a server over http. */
  readonly maxMessageBytes: number;
  readonly toolSearch: ToolSearchSettings;
  readonly logger: Logger;
  /** Hears every secret, so that it can be kept out of traces. */
  readonly learn: (secret: string) => void;
}

interface Searching extends AsyncDisposable {
  readonly searches: ToolSearches;
}

/** Long after the first session has begun, which it would disturb. */
const cleaningDelayMs = 30_000;

/**
 * The users' MCP servers as a source of context: all chains of a process have one hub, which is loaded with the first session
 * that gets a server. Disposing ends every server.
 */
export class SessionMcpServers implements AsyncDisposable {
  /** Those that sessions have; none before the first one. */
  readonly statuses = new ServerStatuses();
  #hub: Promise<ServerHub> | undefined;
  #searching: Promise<Searching> | undefined;
  #cleaning: NodeJS.Timeout | undefined;

  constructor(private readonly options: ServerSourceOptions) {}

  /** The source of one chain. `configured` reads the servers of the user's own files, as they are now. */
  forChain(given: EditorAndProxyServers, configured: () => Promise<readonly UserServer[]>): ContextSource {
    return {
      name: "servers",
      prepare: () => void this.#prepare(given, configured),
      open: async (session) => this.#open(session, [...(await configured()), ...given.current]),
    };
  }

  /** The hub, loaded now. */
  hub(): Promise<ServerHub> {
    this.#hub ??= this.#load();
    return this.#hub;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const hub = await this.#hub?.catch(() => undefined);
    // Loading the hub starts it.
    clearTimeout(this.#cleaning);
    await hub?.[Symbol.asyncDispose]();
    await (await this.#searching?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  /** Who waits for it hears of what fails. */
  async #prepare(given: EditorAndProxyServers, configured: () => Promise<readonly UserServer[]>): Promise<void> {
    const servers = await configured().catch(() => []);
    if (servers.length + given.current.length === 0) return;
    // Node's own module takes as long to load as all of ours.
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
    const [{ ToolSearches }, { ToolUseFile }] = await Promise.all([
      import("../tool-search.js"),
      import("./tool-use-file.js"),
    ]);
    const { toolSearch, logger } = this.options;
    const use = await ToolUseFile.open(join(configFolder(), "tool-use.json"), logger);
    const searches = new ToolSearches({ settings: () => toolSearch, version: productVersion, use });
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
    const { serverAccess } = await import("./server-secrets.js");
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
          // Codex refuses a name that it knows, also of a server that is switched off there.
          .filter(({ isEnabled, needsTrust }) => id === "codex" || (isEnabled && !needsTrust))
          .map(({ name }) => name),
      expand: access.expand,
      connect: async (plan, host, signal, { server, session }) => {
        const { launch } = plan;
        const signIn = launch.type === "stdio" ? undefined : await access.findSignIn(server, launch, session);
        return client.open(plan, host, signal, signIn);
      },
    });
  }
}

async function cleanLists(lists: ListFiles, keyOf: (server: UserServer) => string): Promise<void> {
  const { userServers } = await import("./user-servers.js");
  const problems: string[] = [];
  const servers = await userServers((problem) => problems.push(problem));
  // Nobody knows what a broken file would name.
  await lists.clean(problems.length > 0 ? undefined : servers.map(keyOf));
}
