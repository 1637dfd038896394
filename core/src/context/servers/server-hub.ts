import { withoutTools } from "./tool-filter.js";
import type { Logger } from "../../base/logger.js";
import { isDoneWithin, whenAborted } from "../../base/until-aborted.js";
import type { InitializedAgent } from "../../conductor/client/initialized-agent.js";
import type { McpServerEntry } from "../../base/mcp/mcp-connection.js";
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
import { relaysOf } from "./session-relays.js";
import { SharedServers } from "./shared-servers.js";

/** A session that gets servers. */
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
  /** The names of the servers that the agent reads from files of its own in this folder. */
  agentServers?(row: AgentRow, session: HubSession): Promise<readonly string[]>;
  readonly expand: Expand;
  /** `server` and `session` are those that sign-ins are for. */
  connect(
    plan: ConnectionPlan,
    host: ConnectionHost,
    signal: AbortSignal,
    of: { readonly server: UserServer; readonly session: ServerSession },
  ): Promise<UserServerConnection>;
  readonly lists: KeptLists;
  readonly logger: Logger;
  /** Where its servers are seen; one of its own when absent. */
  readonly statuses?: ServerStatuses;
  /** Longest wait of a session for servers that have never been seen. */
  readonly firstWaitMs?: number;
  /** How long after its start a session has the machine to itself, unless its agent calls a tool; 300 ms unless told. */
  readonly startDelayMs?: number;
  /** How long a server that ended is left alone, one time after the other. */
  readonly retryDelaysMs?: readonly number[];
}

/** A server that a session gets, before it has a name there. */
interface Candidate {
  readonly server: UserServer;
  readonly launch: ExpandedLaunch;
  /** The editor's entry that it stands for. */
  readonly replaces?: string;
}

/** What the hub adds to one session. */
interface HubContribution {
  readonly servers: readonly SessionServer[];
  readonly replaces: readonly string[];
  readonly commands?: PromptCommands;
  opened(): void;
}

/** Servers that come up at once: each is a process, on a machine that the agent needs too. */
const startsAtOnce = 2;
/** One that takes longer to come up keeps the next ones waiting no more. */
const startTurnMs = 3_000;

/**
 * The users' MCP servers at run time. This process is the client of every one of them, over stdio, http or sse and of either
 * era of MCP, and serves each agent one loopback entry for each server, by the gate of the chain. So one thing is done in one
 * place, for all agents: variables and sign-in (secrets never leave this process), `cwd`, filters of tools, time limits,
 * starting again what has died, and servers over stdio for an agent that drops those.
 *
 * **One connection for each session** and server, as agents have it when they start servers themselves: forms, folders, log
 * levels and whatever a server remembers belong to one conversation. It costs a process for each server over stdio and session;
 * sharing would save that, and be wrong for each server that asks anything of its client, which nobody can tell before.
 * Agents whose sessions share servers (`sharesServers`) get one for a folder instead, at one address, since the entry of the
 * last session counts for all of theirs; those of another launch get a name of their own there.
 *
 * **No session waits for a server that has been seen before**: what it listed last time is served at once, the server comes up
 * a moment after the session, two at a time, or with the first call, and what has changed is told by `list_changed`. A server
 * that has never been seen is waited for, a few seconds at most, and by one session only.
 *
 * The way of a call: `mcp/mcp-endpoint` (the agent's side) → `session-server` (this session's server: lists, filter, starts)
 * → `node/sdk-server` (the official client) → `node/process-transport`, or http.
 */
export class ServerHub implements AsyncDisposable {
  readonly statuses: ServerStatuses;
  readonly #open = new Set<SessionServer>();
  readonly #shared = new SharedServers();
  /** Resolves when all lists are on the disk that have changed so far. */
  #written: Promise<void> = Promise.resolve();
  /** Keys of servers that did not come up while a session waited; later sessions start them without waiting. */
  readonly #silent = new Set<string>();
  /** What has been said of servers that cannot be had, so that it is said once. */
  readonly #said = new Set<string>();

  constructor(private readonly options: ServerHubOptions) {
    this.statuses = options.statuses ?? new ServerStatuses();
  }

  /** `given` are the user's servers as they are now: of config.jsonc, of the editor's settings, and of components. */
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

  /** `key` is that of its lists. */
  async #awaitFirst(server: SessionServer, key: string): Promise<void> {
    if (server.hasLists || this.#silent.has(key)) return;
    if (!(await isDoneWithin(server.start(), this.options.firstWaitMs ?? 4_000))) this.#silent.add(key);
  }

  /** Not at once: the first prompt comes with the answer, and programs that start, and the client, would be in its way. */
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

  /** What one server lacks is no matter of the others. */
  async #launchOf(
    server: UserServer,
    session: HubSession,
  ): Promise<ExpandedLaunch | { readonly reason: string; readonly hint: string }> {
    try {
      const launch = await this.options.expand(server, session);
      if (!("missing" in launch)) return launch;
      return { reason: `${launch.missing} has no value.`, hint: "Give it one, or switch the server off in its file." };
    } catch (fault) {
      const hint = fault instanceof SymposiumError ? fault.hint : undefined;
      return { reason: messageOf(fault), hint: hint ?? "Switch the server off in its file." };
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

/** The editor's servers that the agent would drop, or mistake for those of another session. */
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
  const where = origin.file ?? (origin.kind === "editor" ? "the settings of your editor" : "config.jsonc");
  return {
    name,
    launch,
    hint: `Check its entry in ${where}.`,
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
  };
}

/** What tells a server from another, by its entry as it is written: values of variables and of its environment are not in it. */
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
