import { isAbsolute, resolve } from "node:path";
import { type LogEvent, LogFilter, Logger } from "../base/logger.js";
import { Scope } from "../base/scope.js";
import { invalidArguments, SymposiumError } from "../base/symposium-error.js";
import type { ChainEnvironment } from "../conductor/chain/chain.js";
import { type StartProcess } from "../base/component-process.js";
import { startEarly } from "../base/early-start.js";
import { type AgentComponent, nameOf } from "../conductor/chain/component.js";
import { startProcess, type StartProcessOptions } from "../base/node/child-component.js";
import type { Confinement } from "../base/node/confinement.js";
import type { ProtectionLevel } from "../base/safety/protection-level.js";
import { completeEnvironment } from "../settings/node/complete-environment.js";
import { LoopbackMcpBridge } from "../base/node/mcp-bridge/loopback-bridge.js";
import { startingPackagesElsewhere } from "../base/node/runners-outside-project.js";
import { Watchdog } from "../base/node/orphan-watchdog.js";
import type { Component } from "../settings/component-spec.js";
import type { Settings } from "../settings/settings-table.js";
import type { ConfigState } from "../settings/node/config-file.js";
import type { FolderTrust } from "../settings/trust/folder-trust.js";
import { TrustFile } from "../settings/trust/node/trust-file.js";
import type { AgentSandbox } from "../guard/node/sandbox/agent-sandbox.js";
import { RunningProtection } from "../guard/node/running-protection.js";
import { type OrganisationLimits, withPolicy } from "./organisation.js";
import { RecordedConversations } from "./recorded-conversations.js";
import { Projects } from "../guard/node/guarded-projects.js";
import { startingWithDenials } from "../guard/node/native-rule-files.js";
import { packageStartOptions, selfCommand } from "../base/node/self-command.js";
import { SessionMcpServers } from "../context/servers/node/session-mcp-servers.js";
import type { ChainHooks } from "../guard/hooks/node/session-hooks.js";
import { configuredHooks } from "./configured-hooks.js";
import { telemetryLimits } from "../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";
import { defaultTelemetrySettings, type TelemetrySettings } from "../settings/telemetry-settings.js";
import { startTelemetry } from "../sessions/telemetry/node/start-telemetry.js";
import type { Telemetry } from "../sessions/telemetry/telemetry.js";
import { vouchingFor } from "../settings/trust/node/trusted-worktrees.js";

interface EnvironmentOptions {
  /** Values of the options that most subcommands share. Without `log`, only errors are logged. */
  readonly values: {
    readonly log?: string | undefined;
    readonly "trace-dir"?: string | undefined;
    /** Folders that the caller already trusts, for example an editor with its own trust setting. */
    readonly "trusted-folder"?: readonly string[] | undefined;
  };
  /** Receives lines to show the user once, without line breaks. Default: stderr. */
  readonly notice?: (line: string) => void;
  readonly settings: Settings;
  /**
   * Agents that this process starts, needed because guard.jsonc may override the `guard` setting for an agent. `any` if the agents aren't
   * known yet; if absent, only the setting applies.
   */
  readonly agents?: readonly Component[] | "any";
}

/** State shared by the chains of this process. Dispose it after the chains; disposing closes the bridge and the trace. */
export interface Environment extends AsyncDisposable {
  readonly chain: ChainEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly watchdog: Watchdog;
  readonly trust: FolderTrust;
  readonly projects: Projects;
  /** Sandbox for programs that run for agents; undefined if no agent is sandboxed. */
  readonly confined: Confinement | undefined;
  /** Sandbox for one folder's language servers; undefined if `guard` requires none. */
  readonly languageServers: AgentSandbox["forLanguageServers"] | undefined;
  /** Whether this process may read a file on behalf of sandboxed agents; undefined if `guard` requires no sandbox. */
  readonly isReadable: ((path: string) => boolean) | undefined;
  /** Recorded conversations. The code that opens a chain decides whether to record. */
  readonly conversations: RecordedConversations;
  readonly servers: SessionMcpServers;
  readonly levels: RunningProtection;
  /** Proxies that apply the organisation's policy to sessions; undefined without such a policy. */
  readonly limits: OrganisationLimits | undefined;
  /** Undefined if no telemetry is sent. */
  readonly telemetry: Telemetry | undefined;
  /** Makes the proxies that run hooks; undefined if neither the user nor this folder's project has hooks. */
  readonly hooks: (() => ChainHooks) | undefined;
  /** Applies protection to the agent of one chain. Throws `invalid-config` if the agent's protection level can't be determined. */
  hold(agent: AgentComponent): ProtectedAgent;
  /** Starts an agent, with its protection, before its chain: the next {@link hold} of this object takes the process over. */
  startEarly(agent: AgentComponent): void;
  announce(components: readonly string[]): void;
  kill(): void;
}

interface ProtectedAgent {
  readonly hasRules: boolean;
  readonly startAgent: StartProcess;
  readonly sandbox?: Pick<ReturnType<AgentSandbox["forAgent"]>, "desk" | "proxy" | "isHeld">;
}

/**
 * Opens the shared state. Rejects with `invalid-policy` if the organisation's policy can't be applied. Completes this process's environment
 * variables first, because later lookups depend on them.
 */
export async function openEnvironment({ settings: given, ...options }: EnvironmentOptions): Promise<Environment> {
  const { settings, limits } = await withPolicy(given);
  const logger = stderrLogger(options.values.log);
  await completeEnvironment(settings.loginEnvironment, { logger: logger.child("process") });
  const scope = new Scope();
  const watchdog = scope.add(new Watchdog());
  const bridge = scope.add(new LoopbackMcpBridge(selfCommand(), logger.child("mcp.bridge")));
  const { maxMessageBytes: maxLineBytes, stallTimeoutMs } = settings;
  const processes = { logger: logger.child("process"), watchdog, maxLineBytes, stallTimeoutMs };
  const levels = await RunningProtection.open({ usual: settings.guard, isFixed: options.agents === undefined });
  const isSandboxed = levels.areSandboxed(options.agents ?? "any");
  const sandbox = isSandboxed ? scope.add(await openSandbox(logger, processes, bridge)) : undefined;
  const conversations = scope.add(new RecordedConversations(logger.child("conversations"), options.notice));
  conversations.secrets.learn(process.env);
  await conversations.findOut();
  const { state, telemetry, joined } = await openTelemetry(logger, conversations, scope);
  const trace = await openTrace(options.values["trace-dir"], logger, scope);
  const store = new TrustFile();
  const trust = await vouchingFor(options.values["trusted-folder"], store);
  const traced = (start: StartProcess): StartProcess => learning(trace?.watching(start) ?? start, conversations);
  const denying = await startingWithDenials(logger.child("guard"));
  const projects = new Projects({ trust, store, logger: logger.child("project") });
  const start = openStarts(processes, sandbox, traced);
  const learn = (secret: string): void => [trace, conversations.secrets].forEach((one) => one?.learn({ secret }));
  return {
    logger,
    watchdog,
    trust,
    projects,
    limits,
    hooks: await configuredHooks({ state, projects, conversations, watchdog, confined: sandbox?.others }),
    settings,
    confined: sandbox?.others,
    languageServers: sandbox && ((folder, files) => sandbox.forLanguageServers(folder, files)),
    isReadable: sandbox && ((path) => sandbox.isReadable(path)),
    conversations,
    telemetry,
    servers: scope.add(openServers(settings, { logger, startServer: start.servers, learn, telemetry })),
    chain: {
      startProcess: start.programs,
      bridge,
      logger,
      maxLineBytes,
      absoluteFolder,
      ...(trace && { tap: trace.tap }),
    },
    levels,
    ...holding({
      levels,
      sandbox,
      unsandboxed: joined(start.unsandboxedAgents),
      confined: (agent) => joined(traced(agent)),
      denying,
      ...(!trace && { early: scope }),
    }),
    announce: (components) => trace?.announce(components),
    kill: () => watchdog.kill(),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

interface TelemetryParts {
  /** The user's configuration, which is read once. */
  readonly state: ConfigState;
  readonly telemetry?: Telemetry;
  /** Starts agents with the variables that let their own telemetry join the trace. */
  readonly joined: (start: StartProcess) => StartProcess;
}

/** Starts telemetry before the first session is recorded. */
async function openTelemetry(
  logger: Logger,
  conversations: RecordedConversations,
  scope: Scope,
): Promise<TelemetryParts> {
  const { secrets } = conversations;
  const { readConfiguration } = await import("./read-user-config.js");
  const state = await readConfiguration();
  const settings: TelemetrySettings = state.state === "ok" ? state.config.settings.telemetry : defaultTelemetrySettings;
  const sent = await startTelemetry({
    settings,
    limits: telemetryLimits(await systemPolicy()),
    logger: logger.child("telemetry"),
    mask: (text) => secrets.mask(text),
  });
  if (!sent) return { state, joined: (start) => start };
  const { telemetry } = scope.add(sent);
  conversations.observeWith(telemetry);
  const joined: TelemetryParts["joined"] = (start) => (name, command, handlers) =>
    start(name, { ...command, env: { ...command.env, ...telemetry.variables } }, handlers);
  return { state, telemetry, joined };
}

interface ServerParts {
  readonly logger: Logger;
  readonly startServer: StartProcess;
  readonly learn: (secret: string) => void;
  readonly telemetry: Telemetry | undefined;
}

function openServers(
  { maxMessageBytes, toolSearch }: Settings,
  { logger, startServer, learn, telemetry }: ServerParts,
): SessionMcpServers {
  return new SessionMcpServers({
    startProcess: startServer,
    maxMessageBytes,
    toolSearch,
    logger: logger.child("mcp.servers"),
    learn,
    ...(telemetry && { observeCall: (call, send) => telemetry.mcpCall(call, send) }),
  });
}

interface Starts {
  readonly unsandboxedAgents: StartProcess;
  readonly programs: StartProcess;
  readonly servers: StartProcess;
}

function openStarts(
  processes: StartProcessOptions,
  sandbox: AgentSandbox | undefined,
  traced: (start: StartProcess) => StartProcess,
): Starts {
  const starting = (start: StartProcess): StartProcess =>
    traced(startingPackagesElsewhere(start, packageStartOptions()));
  const unsandboxedAgents = starting(startProcess({ ...processes, notFrom: [process.cwd()] }));
  const programs = sandbox ? starting(sandbox.startOther) : unsandboxedAgents;
  // User-configured servers may run programs of the project, for example from its virtual environment.
  return { unsandboxedAgents, programs, servers: sandbox ? programs : starting(startProcess(processes)) };
}

function absoluteFolder(path: string): string {
  return isAbsolute(path) ? path : resolve(path);
}

interface HoldParts {
  readonly levels: RunningProtection;
  readonly sandbox: AgentSandbox | undefined;
  readonly unsandboxed: StartProcess;
  /** Completes the start of a sandboxed agent. */
  readonly confined: (start: StartProcess) => StartProcess;
  readonly denying: (start: StartProcess) => StartProcess;
  /**
   * Owns agents that start before their chain. Absent if a trace is written, because a trace begins with the names of all components, which
   * the chain announces.
   */
  readonly early?: Scope;
}

function holding(parts: HoldParts): Pick<Environment, "hold" | "startEarly"> {
  const { levels, sandbox, unsandboxed, confined, denying, early } = parts;
  const started = new Map<AgentComponent, ProtectedAgent>();
  const hold = (agent: AgentComponent): ProtectedAgent => {
    const level = levels.start(agent);
    if (level !== "sandbox") return protectedBy(level, unsandboxed, denying);
    if (!sandbox) throw startedWithout(nameOf(agent));
    const { startAgent, ...made } = sandbox.forAgent(agent);
    return { ...protectedBy(level, confined(startAgent), denying), sandbox: made };
  };
  return {
    hold: (agent) => {
      const held = started.get(agent) ?? hold(agent);
      started.delete(agent);
      return held;
    },
    startEarly: (agent) => {
      if (agent.kind !== "process" || !early) return;
      const held = hold(agent);
      const { start } = early.add(startEarly(held.startAgent, agent.name, agent.command));
      started.set(agent, { ...held, startAgent: start });
    },
  };
}

function protectedBy(
  level: ProtectionLevel,
  startAgent: StartProcess,
  denying: (start: StartProcess) => StartProcess,
): ProtectedAgent {
  return level === "off" ? { hasRules: false, startAgent } : { hasRules: true, startAgent: denying(startAgent) };
}

/** A process can open its sandbox only at its own start. */
function startedWithout(name: string): SymposiumError {
  return new SymposiumError(
    "sandbox-unavailable",
    `${name} should run in a sandbox, but this process was started without one.`,
    "Restart it by closing the agent's sessions or the editor.",
  );
}

function learning(start: StartProcess, { secrets }: RecordedConversations): StartProcess {
  return (name, command, handlers) => {
    secrets.learn(command.env);
    return start(name, command, handlers);
  };
}

async function openSandbox(
  logger: Logger,
  processes: StartProcessOptions,
  bridge: LoopbackMcpBridge,
): Promise<AgentSandbox> {
  const { SandboxWatcher } = await import("../guard/node/sandbox/sandbox-watcher.js");
  const watcher = new SandboxWatcher(selfCommand());
  watcher.start();
  const { AgentSandbox } = await import("../guard/node/sandbox/agent-sandbox.js");
  const { SandboxHosts } = await import("../guard/node/network/sandbox-hosts.js");
  const [own, cwd] = [logger.child("sandbox"), process.cwd()];
  const hosts = await SandboxHosts.open({ logger: own, cwd, ports: [await bridge.port()] });
  return AgentSandbox.open({ logger: own, processes, cwd, hosts, watcher });
}

interface Trace {
  readonly tap: NonNullable<ChainEnvironment["tap"]>;
  announce(components: readonly string[]): void;
  learn(variables: Readonly<Record<string, string>>): void;
  watching(start: StartProcess): StartProcess;
}

async function openTrace(dir: string | undefined, logger: Logger, scope: Scope): Promise<Trace | undefined> {
  if (dir === undefined) return undefined;
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
    learn: (variables) => sink.secrets.learn(variables),
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

/** Errors always reach stderr; other levels only if the filter includes them. */
function stderrLogger(filterText: string | undefined): Logger {
  const { filter, problems } = LogFilter.parse(filterText ?? "error");
  if (problems.length > 0) {
    throw invalidArguments(
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
