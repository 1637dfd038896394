import { isAbsolute, resolve } from "node:path";
import { type LogEvent, LogFilter, Logger } from "../base/logger.js";
import { Scope } from "../base/scope.js";
import { SymposiumError } from "../base/symposium-error.js";
import type { ChainEnvironment } from "../conductor/chain/chain.js";
import { type StartProcess } from "../base/component-process.js";
import { type AgentComponent, nameOf } from "../conductor/chain/component.js";
import { startProcess, type StartProcessOptions } from "../base/node/child-component.js";
import type { Confinement } from "../base/node/confinement.js";
import type { ProtectionLevel } from "../base/safety/protection-level.js";
import { completeEnvironment } from "../settings/node/complete-environment.js";
import { LoopbackMcpBridge } from "../base/node/mcp-bridge/loopback-bridge.js";
import { startingPackagesElsewhere } from "../base/node/runners-outside-project.js";
import { Watchdog } from "../base/node/watchdog.js";
import type { Component } from "../settings/component-spec.js";
import type { Settings } from "../settings/settings-table.js";
import type { FolderTrust } from "../settings/trust/folder-trust.js";
import { TrustFile } from "../settings/trust/node/trust-file.js";
import type { AgentSandbox } from "../guard/node/sandbox/agent-sandbox.js";
import { RunningProtection } from "../guard/node/running-protection.js";
import { RecordedConversations } from "./recorded-conversations.js";
import { Projects } from "../guard/node/projects.js";
import { startingWithDenials } from "../guard/node/native-rule-files.js";
import { packageStartOptions, selfCommand } from "../base/node/self-command.js";
import { SessionMcpServers } from "../context/servers/node/session-mcp-servers.js";
import { vouchingFor } from "../settings/trust/node/trusted-worktrees.js";

interface EnvironmentOptions {
  /** A filter such as `debug` or `info,mcp=debug`; only errors when absent. */
  readonly log: string | undefined;
  readonly traceDir: string | undefined;
  /** Takes what users are told once, a line without its newline; it goes to stderr when absent. */
  readonly notice?: (line: string) => void;
  /** Folders that whoever starts this process trusts already, as an editor with a trust of its own does. */
  readonly trustedFolders?: readonly string[] | undefined;
  readonly settings: Settings;
  /**
   * The agents that this process starts, for which guard.jsonc may say another level than the setting `guard`; `any` where they are not
   * known yet. Where it is absent, the setting holds.
   */
  readonly agents?: readonly Component[] | "any";
}

/** What the chains of this process share. Disposing it closes the bridge and the trace; chains are disposed before. */
export interface Environment extends AsyncDisposable {
  readonly chain: ChainEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly watchdog: Watchdog;
  /** Whether code of a folder may run. */
  readonly trust: FolderTrust;
  readonly projects: Projects;
  /** The sandbox of what runs for agents besides them; undefined where no agent has one. */
  readonly confined: Confinement | undefined;
  /** The sandbox of one folder's language servers; undefined where `guard` asks for none. */
  readonly languageServers: AgentSandbox["forLanguageServers"] | undefined;
  /** Whether this process may read a file for agents in a sandbox; undefined where `guard` asks for none. */
  readonly isReadable: ((path: string) => boolean) | undefined;
  /** What is kept of what is said; where it is kept, the chain's opener says. */
  readonly conversations: RecordedConversations;
  /** The users' MCP servers. */
  readonly servers: SessionMcpServers;
  /** How the agents that were started here are held. */
  readonly levels: RunningProtection;
  /** How the agent of one chain is held. Throws `invalid-config` where that cannot be known. */
  hold(agent: AgentComponent): ProtectedAgent;
  /** Names the components of the chain that starts, for the trace. */
  announce(components: readonly string[]): void;
  /** Has whatever still runs killed as soon as this process exits. */
  kill(): void;
}

/** How one agent starts, and what stands next to it. */
interface ProtectedAgent {
  /** The rules and budgets of guard.jsonc hold. */
  readonly hasRules: boolean;
  readonly startAgent: StartProcess;
  readonly sandbox?: Pick<ReturnType<AgentSandbox["forAgent"]>, "desk" | "proxy" | "isHeld">;
}

/** Completes the environment of this process first, so that what is looked up afterwards is found. */
export async function openEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const logger = stderrLogger(options.log);
  await completeEnvironment(options.settings.loginEnvironment, { logger: logger.child("process") });
  const scope = new Scope();
  const watchdog = scope.add(new Watchdog());
  const bridge = scope.add(new LoopbackMcpBridge(selfCommand(), logger.child("mcp.bridge")));
  const { maxMessageBytes, stallTimeoutMs } = options.settings;
  const processes = { logger: logger.child("process"), watchdog, maxLineBytes: maxMessageBytes, stallTimeoutMs };
  const { guard } = options.settings;
  const levels = await RunningProtection.open({ usual: guard, isFixed: options.agents === undefined });
  const isSandboxed = levels.areSandboxed(options.agents ?? "any");
  const sandbox = isSandboxed ? scope.add(await openSandbox(logger, processes, bridge)) : undefined;
  const conversations = scope.add(new RecordedConversations(logger.child("conversations"), options.notice));
  conversations.secrets.learn(process.env);
  await conversations.findOut();
  const trace = options.traceDir === undefined ? undefined : await openTrace(options.traceDir, logger, scope);
  const store = new TrustFile();
  const trust = await vouchingFor(options.trustedFolders, store);
  const traced = (started: StartProcess): StartProcess =>
    learning(trace ? trace.watching(started) : started, conversations);
  const denying = await startingWithDenials(logger.child("guard"));
  const start = openStarts(processes, sandbox, traced);
  const learn = (secret: string): void => {
    trace?.learn(secret);
    conversations.secrets.learn({ secret });
  };
  return {
    logger,
    watchdog,
    trust,
    projects: new Projects({ trust, store, logger: logger.child("project") }),
    settings: options.settings,
    confined: sandbox?.others,
    languageServers: sandbox && ((folder, files) => sandbox.forLanguageServers(folder, files)),
    isReadable: sandbox && ((path) => sandbox.isReadable(path)),
    conversations,
    servers: scope.add(openServers(options.settings, logger, start.servers, learn)),
    chain: {
      startProcess: start.programs,
      bridge,
      logger,
      maxLineBytes: maxMessageBytes,
      absoluteFolder: (path) => (isAbsolute(path) ? path : resolve(path)),
      ...(trace && { tap: trace.tap }),
    },
    levels,
    hold: (agent) => {
      const level = levels.start(agent);
      if (level !== "sandbox") return protectedBy(level, start.unsandboxedAgents, denying);
      if (!sandbox) throw startedWithout(nameOf(agent));
      const { startAgent, ...made } = sandbox.forAgent(agent);
      return { ...protectedBy(level, traced(startAgent), denying), sandbox: made };
    },
    announce: (components) => trace?.announce(components),
    kill: () => watchdog.kill(),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

function openServers(
  { maxMessageBytes, toolSearch }: Settings,
  logger: Logger,
  startServer: StartProcess,
  learn: (secret: string) => void,
): SessionMcpServers {
  return new SessionMcpServers({
    startProcess: startServer,
    maxMessageBytes,
    toolSearch,
    logger: logger.child("mcp.servers"),
    learn,
  });
}

interface Starts {
  readonly unsandboxedAgents: StartProcess;
  /** Starts proxies and other programs of chains, in the sandbox if there is one. */
  readonly programs: StartProcess;
  readonly servers: StartProcess;
}

/** Returns how agents, programs of chains and MCP servers start. */
function openStarts(
  processes: StartProcessOptions,
  sandbox: AgentSandbox | undefined,
  traced: (start: StartProcess) => StartProcess,
): Starts {
  const starting = (start: StartProcess): StartProcess =>
    traced(startingPackagesElsewhere(start, packageStartOptions()));
  const unsandboxedAgents = starting(startProcess({ ...processes, notFrom: [process.cwd()] }));
  const programs = sandbox ? starting(sandbox.startOther) : unsandboxedAgents;
  // Users name servers of a project by programs of its own, such as those of its virtual environment.
  return { unsandboxedAgents, programs, servers: sandbox ? programs : starting(startProcess(processes)) };
}

/** Adds the rules and the agent's own denials to its start, unless protection is off. */
function protectedBy(
  level: ProtectionLevel,
  startAgent: StartProcess,
  denying: (start: StartProcess) => StartProcess,
): ProtectedAgent {
  return level === "off" ? { hasRules: false, startAgent } : { hasRules: true, startAgent: denying(startAgent) };
}

/** A process opens its sandbox when it starts, or never. */
function startedWithout(name: string): SymposiumError {
  return new SymposiumError(
    "sandbox-unavailable",
    `${name} should run in a sandbox, and this process was started without one.`,
    "Start it again: close the agent's sessions, or the editor.",
  );
}

/** `start`, with the secrets of each process's environment hidden in what is kept. */
function learning(start: StartProcess, { secrets }: RecordedConversations): StartProcess {
  return (name, command, handlers) => {
    secrets.learn(command.env);
    return start(name, command, handlers);
  };
}

/** Loaded only where a sandbox is asked for. */
async function openSandbox(
  logger: Logger,
  processes: StartProcessOptions,
  bridge: LoopbackMcpBridge,
): Promise<AgentSandbox> {
  const { AgentSandbox } = await import("../guard/node/sandbox/agent-sandbox.js");
  const { SandboxHosts } = await import("../guard/node/network/sandbox-hosts.js");
  const [own, cwd] = [logger.child("sandbox"), process.cwd()];
  const hosts = await SandboxHosts.open({ logger: own, cwd, ports: [await bridge.port()] });
  return AgentSandbox.open({ logger: own, processes, cwd, hosts });
}

interface Trace {
  readonly tap: NonNullable<ChainEnvironment["tap"]>;
  announce(components: readonly string[]): void;
  /** Hides `secret` wherever somebody repeats it. */
  learn(secret: string): void;
  /** `start`, with the start and end of each process in the trace, which hides the secrets of its environment. */
  watching(start: StartProcess): StartProcess;
}

/** Loaded only where a trace is asked for. */
async function openTrace(dir: string, logger: Logger, scope: Scope): Promise<Trace> {
  const { openTraceFile } = await import("../sessions/trace/node/trace-file.js");
  const { tracedPeer } = await import("../sessions/trace/traced-peer.js");
  const { loadSecretRules } = await import("../base/secrets/node/secret-rules.js");
  const findSecrets = await loadSecretRules();
  const file = scope.add(openTraceFile(dir, { logger: logger.child("trace"), findSecrets }));
  const sink = file.writer;
  sink.secrets.learn(process.env);
  return {
    tap: (peer, from, to) => tracedPeer(peer, { from, to, sink }),
    announce: (components) => sink.begin(components),
    learn: (secret) => sink.secrets.learn({ secret }),
    watching: (start) => (name, command, handlers) => {
      sink.secrets.learn(command.env);
      sink.recordProcess(name, { event: "start" });
      const child = start(name, command, handlers);
      void child.exited.then(({ code, signal, stderrTail, startError = "" }) => {
        const text = `${startError}${stderrTail}`;
        if (text !== "") sink.recordProcess(name, { event: "stderr", text });
        sink.recordProcess(name, { event: "exit", code, signal });
      });
      return child;
    },
  };
}

/** Errors always reach stderr; everything else only where the filter asks for it. */
function stderrLogger(filterText: string | undefined): Logger {
  const { filter, problems } = LogFilter.parse(filterText ?? "error");
  if (problems.length > 0) {
    throw new SymposiumError(
      "invalid-arguments",
      `--log ${filterText ?? ""}: "${problems.join('", "')}" is not a level.`,
      "Levels are error, warn, info, debug, trace and off; a target may have its own, as in info,mcp=debug.",
    );
  }
  return new Logger((event) => {
    if (filter.allows(event.level, event.target)) process.stderr.write(`${formatEvent(event)}\n`);
  });
}

function formatEvent({ level, target, event, fields }: LogEvent): string {
  const details = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}=${typeof value === "string" ? JSON.stringify(value) : String(value)}`,
  );
  return `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${target}: ${event}${details.join("")}`;
}
