import { withoutTools } from "./tool-filter.js";
import type { Logger } from "../../base/logger.js";
import { isDoneWithin, whenAborted } from "../../base/until-aborted.js";
import type { InitializedAgent } from "../../conductor/client/initialized-agent.js";
import type { McpServerEntry } from "../../base/mcp/mcp-server-entry.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { UserServer } from "../../settings/user-server.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import type { Expand, ExpandedLaunch, ServerSession } from "./expanded-launch.js";
import { PromptCommands } from "./prompt-commands.js";
import type { ConnectionHost, ConnectionPlan, UserServerConnection } from "./user-server-connection.js";
import type { KeptLists, ServerLists } from "./server-lists.js";
import { safeName, ServerNames } from "./server-names.js";
import { ServerStatuses } from "./server-status.js";
import { SessionServer } from "./session-server.js";
import { SharedServers } from "./shared-servers.js";
import { textOf } from "../../base/rpc/json.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { acpMethods } from "../../base/acp/methods.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { ask } from "../../base/rpc/peer.js";

export interface HubSession extends ServerSession {
  readonly agent: Pick<InitializedAgent, "accepts">;
  readonly row: AgentRow | undefined;
  readonly project: {
    readonly servers: readonly UserServer[];
    readonly disabledServers: readonly string[];
    readonly disabledTools: readonly string[];
  };
  readonly editorServers: readonly McpServerEntry[];
}

export interface ServerHubOptions {
  /** Returns the names of the servers that the agent reads from its own files in this folder. */
  agentServers?(row: AgentRow, session: HubSession): Promise<readonly string[]>;
  readonly expand: Expand;
  /** `server` and `session` determine the sign-in. */
  connect(
    plan: ConnectionPlan,
    host: ConnectionHost,
    signal: AbortSignal,
    of: { readonly server: UserServer; readonly session: ServerSession },
  ): Promise<UserServerConnection>;
  readonly lists: KeptLists;
  readonly logger: Logger;
  /** Shared states of the servers; if undefined, the hub creates its own. */
  readonly statuses?: ServerStatuses;
  /** Maximum time in milliseconds that a session waits for servers without stored lists. */
  readonly firstWaitMs?: number;
  /** Delay in milliseconds before a session's servers start, unless the agent calls a tool earlier; default 300. */
  readonly startDelayMs?: number;
  /** Delays in milliseconds before successive restarts of a server that ended. */
  readonly retryDelaysMs?: readonly number[];
}

interface Candidate {
  readonly server: UserServer;
  readonly launch: ExpandedLaunch;
  /** Name of the editor's server that this one replaces. */
  readonly replaces?: string;
}

interface HubContribution {
  readonly servers: readonly SessionServer[];
  readonly replaces: readonly string[];
  readonly commands?: PromptCommands;
  opened(): void;
}

/** Maximum number of servers that start at the same time, so that the agent keeps CPU time. */
const startsAtOnce = 2;
/** Time after which a slow start no longer delays the next servers. */
const startTurnMs = 3_000;

/**
 * Runs the user's MCP servers. This process is the client of every server, over stdio, http or sse, and gives each agent one loopback entry
 * per server. Variables, sign-in (secrets never leave this process), `cwd`, tool filters, time limits and restarts are therefore handled in
 * one place for all agents.
 *
 * **One connection per session** and server, as if the agent had started the server itself: forms, folders, log levels and the server's
 * state belong to one conversation. Each session costs a process per stdio server. Sharing would save that, but break servers that send
 * requests to their client, which can't be known in advance. Agents whose sessions share servers (`sharesServers`) get one connection per
 * folder instead, at one address, because the agent applies the last session's entry to all of its sessions. Servers with the same name but
 * another launch get another name.
 *
 * **No session waits for a server that ran before**: the hub serves the stored lists at once. The server starts shortly after the session,
 * two at a time, or with the first call; `list_changed` announces differences. Only the first session waits for a server without stored
 * lists, a few seconds at most.
 *
 * Path of a call: `mcp/mcp-endpoint` (agent side) → `session-server` (lists, filter, starts) → `node/sdk-server` (official client) →
 * `node/process-transport`, or http.
 */
export class ServerHub implements AsyncDisposable {
  readonly statuses: ServerStatuses;
  readonly #open = new Set<SessionServer>();
  readonly #shared = new SharedServers();
  /** Resolves when all changed lists are saved. */
  #written: Promise<void> = Promise.resolve();
  /** Keys of servers that failed to start in time. Later sessions don't wait for them. */
  readonly #silent = new Set<string>();
  /** Logged problems of unusable servers, so that each is logged once. */
  readonly #said = new Set<string>();

  constructor(private readonly options: ServerHubOptions) {
    this.statuses = options.statuses ?? new ServerStatuses();
  }

  /** `given` are the user's current servers from config.jsonc, the editor's settings and proxy programs. */
  async open(session: HubSession, given: readonly UserServer[]): Promise<HubContribution> {
    const candidates = await this.#candidates(session, given);
    const replaces = candidates.flatMap((candidate) => candidate.replaces ?? []);
    const isReplaced = new Set(replaces);
    const others = session.editorServers.filter(({ name }) => !isReplaced.has(name)).map(({ name }) => name);
    const names = new ServerNames(others);
    const keys = candidates.map(({ server }) => listsKey(server));
    const kept = await Promise.all(keys.map((key) => this.options.lists.read(key)));
    const servers = candidates.map((candidate, at) => this.#serve(candidate, kept[at], names, session));
    await Promise.all(servers.map((server, at) => this.#awaitFirst(server, keys[at] ?? "")));
    const hasCommands = servers.length > 0 && session.row?.listsServerPrompts !== true;
    return {
      servers,
      replaces,
      ...(hasCommands && { commands: new PromptCommands(servers, session.agent.accepts) }),
      opened: () => this.#startSoon(servers, session.signal),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#open].map((server) => server[Symbol.asyncDispose]()));
    await this.#written;
  }

  async #awaitFirst(server: SessionServer, key: string): Promise<void> {
    if (server.hasLists || this.#silent.has(key)) return;
    if (!(await isDoneWithin(server.start(), this.options.firstWaitMs ?? 4_000))) this.#silent.add(key);
  }

  /** Delays the start, so that starting processes don't slow down the first prompt, which follows immediately. */
  #startSoon(servers: readonly SessionServer[], signal: AbortSignal): void {
    const timer = setTimeout(() => void startAll(servers), this.options.startDelayMs ?? 300);
    timer.unref?.();
    whenAborted(signal, () => clearTimeout(timer));
  }

  #keep(server: UserServer, lists: ServerLists): void {
    this.#written = this.#written.then(() => this.options.lists.write(listsKey(server), lists, server.origin));
  }

  async #candidates(session: HubSession, user: readonly UserServer[]): Promise<Candidate[]> {
    const { row, project } = session;
    const own = (row && (await this.options.agentServers?.(row, session))) ?? [];
    const isOwn = new Set(own.map(safeName));
    const isDisabled = new Set(project.disabledServers);
    const wanted = [...user.filter(({ name }) => !isDisabled.has(name)), ...project.servers].filter(
      ({ isEnabled, agents, name }) =>
        isEnabled && (agents === undefined || agents.includes(row?.id ?? "")) && !isOwn.has(safeName(name)),
    );
    const expanded = await Promise.all(
      wanted.map((server) => this.#expanded(withoutTools(server, project.disabledTools), session)),
    );
    return [...adopted(session), ...expanded.flatMap((candidate) => candidate ?? [])];
  }

  async #expanded(server: UserServer, session: HubSession): Promise<Candidate | undefined> {
    const launch = await this.#launchOf(server, session);
    if (!("reason" in launch)) return { server, launch };
    const { reason, hint } = launch;
    const key = `${server.name}\n${reason}`;
    if (!this.#said.has(key)) {
      this.#said.add(key);
      this.options.logger.error("left out an MCP server", { server: server.name, reason: `${reason} ${hint}` });
    }
    const left = this.statuses.add({
      origin: server.origin,
      type: server.launch.type,
      originalName: server.name,
      status: () => ({ state: { kind: "failed", reason, hint }, tools: [], prompts: [] }),
      restart: () => undefined,
    });
    whenAborted(session.signal, () => left[Symbol.dispose]());
    return undefined;
  }

  /** Catches all errors, so that one server can't affect the others. */
  async #launchOf(
    server: UserServer,
    session: HubSession,
  ): Promise<ExpandedLaunch | { readonly reason: string; readonly hint: string }> {
    try {
      const launch = await this.options.expand(server, session);
      if (!("missing" in launch)) return launch;
      return { reason: `${launch.missing} has no value.`, hint: "Set it, or disable the server in its file." };
    } catch (fault) {
      const { message, hint } = fault instanceof SymposiumError ? fault : { message: messageOf(fault) };
      return { reason: message, hint: hint ?? "Disable the server in its file." };
    }
  }

  #serve(
    { server, launch }: Candidate,
    lists: ServerLists | undefined,
    names: ServerNames,
    session: HubSession,
  ): SessionServer {
    const make = (name: string, current: () => ServerSession, isShared: boolean): SessionServer => {
      const made = new SessionServer({
        name,
        server,
        lists,
        isShared,
        ...(this.options.retryDelaysMs && { delaysMs: this.options.retryDelaysMs }),
        host: relaysOf(server.name, current),
        connect: (host, signal, isStateless) =>
          this.options.connect({ ...planOf(server, launch), isStateless }, host, signal, {
            server,
            session: current(),
          }),
        keep: (kept) => this.#keep(server, kept),
        stateChanged: () => this.statuses.changed(),
      });
      const status = this.statuses.add(made);
      this.#open.add(made);
      whenAborted(made.ended, () => {
        status[Symbol.dispose]();
        void made[Symbol.asyncDispose]().finally(() => this.#open.delete(made));
      });
      return made;
    };
    if (session.row?.sharesServers === true) {
      return this.#shared.open(session, { server, launch }, (name, current) => make(name, current, true));
    }
    const made = make(names.add(server.name), () => session, false);
    whenAborted(session.signal, () => void made[Symbol.asyncDispose]());
    return made;
  }
}

/** Returns the editor's servers that the agent would drop or share between sessions. */
function adopted({ editorServers, row, cwd }: HubSession): Candidate[] {
  return editorServers.flatMap((entry): Candidate[] => {
    if (entry.type === "acp") return [];
    const isDropped = entry.type === "stdio" && row?.dropsStdioServers === true;
    if (!isDropped && row?.sharesServers !== true) return [];
    const launch: ExpandedLaunch =
      entry.type === "stdio"
        ? { type: "stdio", command: entry.command, args: entry.args, env: entry.env, cwd }
        : { type: entry.type, url: entry.url, headers: entry.headers };
    return [
      {
        server: { name: entry.name, launch, origin: { kind: "editor" }, isEnabled: true },
        launch,
        replaces: entry.name,
      },
    ];
  });
}

function planOf({ name, startTimeoutMs, callTimeoutMs, origin }: UserServer, launch: ExpandedLaunch): ConnectionPlan {
  const where = origin.file ?? (origin.kind === "editor" ? "your editor's settings" : "config.jsonc");
  return {
    name,
    launch,
    hint: `Check its entry in ${where}.`,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
  };
}

/** Identifies a server by its unexpanded entry. Contains no values of environment variables or headers. */
export function listsKey({ launch }: UserServer): string {
  const { type } = launch;
  if (type !== "stdio") return JSON.stringify([type, launch.url, Object.keys(launch.headers).sort()]);
  return JSON.stringify([type, launch.command, launch.args, Object.keys(launch.env).sort(), launch.cwd ?? null]);
}

async function startAll(servers: readonly SessionServer[]): Promise<void> {
  const waiting = [...servers];
  const next = async (): Promise<void> => {
    for (let server = waiting.shift(); server !== undefined; server = waiting.shift()) {
      await isDoneWithin(server.start(), startTurnMs);
    }
  };
  await Promise.all(Array.from({ length: startsAtOnce }, next));
}

/**
 * Relays a server's requests to its session: `roots`, and forms or URLs if the editor supports them (ACP `elicitation/create`). Sampling
 * isn't offered, since ACP has no request for it. `session` returns the most recently opened session.
 */
function relaysOf(server: string, session: () => ServerSession): Pick<ConnectionHost, "roots" | "elicitation"> {
  const { clientCapabilities } = session();
  const form = hasCapability(clientCapabilities, "elicitation.form");
  const url = hasCapability(clientCapabilities, "elicitation.url");
  const roots = (): readonly string[] => session().roots;
  if (!form && !url) return { roots };
  return {
    roots,
    elicitation: {
      form,
      url,
      async ask({ _meta, message, ...params }, signal) {
        const { sessionId, client } = session();
        // The session isn't open yet, so the editor couldn't show a form.
        if (sessionId === undefined) return { action: "cancel" };
        const asked = {
          mode: "form",
          // ACP requires an id, but stateless servers send none.
          ...(params["mode"] === "url" && { elicitationId: crypto.randomUUID() }),
          ...params,
          sessionId,
          message: `${server}: ${textOf(message)}`,
        };
        const request = Request.of(acpMethods.createElicitation, asked);
        const outcome = await ask(client, request, signal);
        return outcome.isError ? { action: "cancel" } : (outcome.json.object ?? { action: "cancel" });
      },
      completed({ elicitationId }) {
        if (typeof elicitationId !== "string") return;
        session().client.notify(Notification.of(acpMethods.completeElicitation, { elicitationId }));
      },
    },
  };
}
