import type { ComponentProcess, ProcessHandlers, StartProcess } from "../../base/component-process.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import { Connection } from "../../base/rpc/connection.js";
import { Scope } from "../../base/scope.js";
import { Chain } from "../../conductor/chain/chain.js";
import type { Proxy } from "../../conductor/chain/proxy.js";
import { contextProxy } from "../../context/context-proxy.js";
import type { ContextSession, ContextSource } from "../../context/contribution.js";
import type { HubSession } from "../../context/servers/server-hub.js";
import { excludedTools } from "../../settings/context-exclusions.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { type Environment, openEnvironment } from "../environment.js";
import { readConfiguration } from "../read-user-config.js";
import { shareableServers } from "./share-servers.js";

/** Starts conductors on another machine. Disposing ends the MCP servers that this machine shares with them. */
export interface ConductorStart extends AsyncDisposable {
  readonly start: StartProcess;
}

/**
 * Wraps `start`, which starts conductors on another machine, so that their sessions also get the servers named in `shared`. This process
 * runs the servers and answers their calls over ACP. Disposing ends the servers.
 */
export async function sharingServers(start: StartProcess, shared: readonly string[]): Promise<ConductorStart> {
  const state = await readConfiguration();
  const settings = state.state === "ok" ? state.config.settings : defaultSettings;
  const scope = new Scope();
  const environment = scope.add(await openEnvironment({ values: {}, settings }));
  const proxy = contextProxy({ sources: [sharedServersSource(environment, shared)] });
  const end = (): Promise<void> => scope[Symbol.asyncDispose]();
  const kill = (): void => environment.kill();
  scope.add(endOnSignals({ end, kill, signals: ["SIGTERM", "SIGHUP"] }));
  return {
    start: (name, command, handlers) =>
      scope.add(throughProxy(proxy, environment, handlers, (inner) => start(name, command, inner))),
    [Symbol.asyncDispose]: end,
  };
}

/** Connects a client, at `handlers`, through a proxy to a conductor that `start` starts. */
function throughProxy(
  proxy: Proxy,
  { chain: environment }: Environment,
  handlers: ProcessHandlers,
  start: (handlers: ProcessHandlers) => ComponentProcess,
): ComponentProcess {
  const client = new Connection({
    send: (line) => handlers.line(line),
    inbound: {
      request: (request, reply) => chain.first.request(request, reply),
      notify: (notification) => chain.first.notify(notification),
    },
    answersGarbage: true,
  });
  const conductor = new Connection({
    send: (line) => process.send(line),
    inbound: {
      request: (request, reply) => chain.fromEnd.request(request, reply),
      notify: (notification) => chain.fromEnd.notify(notification),
    },
    answersGarbage: false,
  });
  const chain = new Chain({
    proxies: [{ kind: "proxy", proxy }],
    end: { successor: conductor, canCarryMcp: () => true },
    client,
    clientChannel: undefined,
    environment,
    onFailure: () => undefined,
  });
  const process = start({
    ...handlers,
    line: (line) => conductor.receive(line),
    oversize: (line) => conductor.receiveOversize(line, environment.maxLineBytes),
  });
  return {
    pid: process.pid,
    exited: process.exited,
    get isCongested() {
      return process.isCongested;
    },
    send: (line) => client.receive(line),
    onCongestion: (listener) => process.onCongestion(listener),
    pause: () => process.pause(),
    resume: () => process.resume(),
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await chain[Symbol.asyncDispose]();
    },
  };
}

/** Opens the shared servers of the current config.jsonc for each session. */
function sharedServersSource({ servers, logger }: Environment, shared: readonly string[]): ContextSource {
  return {
    name: "servers",
    async open(session) {
      const state = await readConfiguration();
      if (state.state !== "ok") {
        logger.warn("shares no MCP servers, because config.jsonc is missing or broken");
        return {};
      }
      const { config } = state;
      const hub = await servers.hub();
      const agentId = session.row?.id ?? "";
      const given = shareableServers(config)
        .filter(({ name, agents }) => shared.includes(name) && agents?.includes(agentId) !== false)
        .map(({ agents: _agents, ...server }) => server);
      const disabledTools = excludedTools(config.settings.context.exclude);
      const contribution = await hub.open(atHome(session, disabledTools), given);
      return { servers: contribution.servers, opened: () => contribution.opened() };
    },
  };
}

/** Returns the session as servers of this machine see it: the session's folders are on the other machine, and its agent's files too. */
function atHome(session: ContextSession, disabledTools: readonly string[]): HubSession {
  const { agent, client, clientCapabilities, editorServers, signal } = session;
  return {
    agent,
    client,
    clientCapabilities,
    editorServers,
    signal,
    cwd: process.cwd(),
    roots: [],
    row: undefined,
    project: { servers: [], disabledServers: [], disabledTools },
    get sessionId() {
      return session.sessionId;
    },
  };
}
