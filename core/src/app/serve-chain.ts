import { type AgentComponent, nameOf, type ProxyComponent } from "../conductor/chain/component.js";
import { Conductor, type ConductorOptions } from "../conductor/chain/conductor.js";
import type { PlaceNames } from "../conductor/chain/failure.js";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { KnownSessions } from "../conductor/choices/known-sessions.js";
import { withOwnSignIn, withTerminalAuth } from "../conductor/chain/sign-in.js";
import type { TurnNotice } from "../base/acp/turn-notice.js";
import { endOnSignals } from "../base/node/end-on-signals.js";
import { serveOverStdio } from "../conductor/node/serve-stdio.js";
import type { Peer } from "../base/rpc/peer.js";
import { missingFileProxy } from "../agents/missing-file-proxy.js";
import { serverRequests } from "../context/servers/server-requests.js";
import { isAgentNamed } from "../guard/node/protection-levels.js";
import type { Environment } from "./environment.js";
import { levelNotice } from "../guard/node/protection-changed-notice.js";
import { extensionName } from "../base/node/product-version.js";
import { selfCommand } from "../base/node/self-command.js";
import { EditorAndProxyServers } from "../context/servers/editor-and-proxy-servers.js";
import type { ChainHooks } from "../guard/hooks/node/session-hooks.js";
import { keptAgents } from "./recorded-conversations.js";
import type { Telemetry } from "../sessions/telemetry/telemetry.js";
import { sessionContext } from "./session-context.js";
import { type RunLimits, sessionGuards } from "../guard/node/rule-and-budget-proxies.js";

export interface ChainPlan {
  readonly proxies: readonly ProxyComponent[];
  /** Agent of the chain; absent in proxy mode. */
  readonly agent?: AgentComponent;
  /** Words to append to `sign-in METHOD` for the same agent. Absent if the agent's methods already belong to Symposium. */
  readonly signInWords?: readonly string[];
  /** Names for the places where the user finds the settings; default config.jsonc. */
  readonly places?: PlaceNames;
  /** Whether sessions get the user's servers, rules, skills and commands; default true. */
  readonly hasContext?: boolean;
  /** `mcpServers` from an editor's settings, in config.jsonc format, if the editor doesn't send them with `initialize`. */
  readonly editorServers?: Readonly<Record<string, unknown>>;
  /** Limits of this process in addition to guard.jsonc. */
  readonly limits?: RunLimits;
  /** Name under which the agent's conversations are recorded; session features that the agent lacks are supplied from these recordings. */
  readonly kept?: { readonly agent: string; readonly editorIdOf?: (sessionId: string) => string };
}

export const configPlaces: PlaceNames = {
  agent: "config.jsonc",
  proxies: "config.jsonc",
  startupTimeout: '"startupTimeoutMs" in config.jsonc',
  stallTimeout: '"stallTimeoutMs" in config.jsonc',
};

/** The VS Code extension has settings instead of a configuration file and options. */
export const extensionPlaces: PlaceNames = {
  agent: "VS Code's settings",
  proxies: "VS Code's settings",
  startupTimeout: 'the setting "symposium.startupTimeout"',
};

interface Served extends AsyncDisposable {
  readonly fromClient: Peer;
}

export interface Wrapper {
  towardClient?(client: Peer): Peer;
  towardAgent(agent: Peer, client: Peer): Peer;
  [Symbol.dispose]?(): void;
}

interface EditorParts {
  readonly environment: Environment;
  /** Returns the name of a session's agent. Absent if the sessions aren't recorded. */
  readonly agentOf?: (sessionId: string) => string;
  /** Remembered sessions with their agents; absent if users can't switch agents. */
  readonly known?: KnownSessions;
  readonly sandboxNotice?: TurnNotice;
}

interface ChainParts {
  readonly plan: ChainPlan;
  readonly environment: Environment;
  readonly given: EditorAndProxyServers;
  readonly held: ReturnType<Environment["hold"]> | undefined;
  readonly guards: ReturnType<typeof sessionGuards> | undefined;
  readonly hooks: ChainHooks | undefined;
  readonly clientChannel: ConductorOptions["clientChannel"];
}

/** Row of {@link members}. `make` returns undefined if the member isn't needed in this connection or chain. */
type Member = { readonly name: string } & (
  | { readonly at: "editor"; make(parts: EditorParts): Wrapper | undefined }
  | { readonly at: "conductor"; make(parts: ChainParts): Wrapper | undefined }
  | { readonly at: "extensions"; make(parts: ChainParts): readonly ProxyComponent[] }
  | { readonly at: "agent"; make(parts: ChainParts): Proxy | undefined }
);

/**
 * Members between an editor and its agent, in the order in which a prompt passes them. After the `editor` rows, `run` and `zed run` have
 * `Chains` with one conductor per user choice. After the last row, `Chain` has its MCP gate and the agent.
 */
export const members: readonly Member[] = [
  {
    name: "notice of a changed protection",
    at: "editor",
    make: ({ environment: { levels, logger } }) => levelNotice(levels, logger.child("guard")),
  },
  { name: "notice of the sandbox", at: "editor", make: ({ sandboxNotice }) => sandboxNotice },
  {
    name: "lookup of stored sessions' agents",
    at: "editor",
    make: ({ known, environment }) => known && keptAgents(known, environment.conversations.store),
  },
  {
    name: "notice of the recording",
    at: "editor",
    make: ({ agentOf, environment }) => agentOf && environment.conversations.notice(),
  },
  {
    name: "notice of a failed recording",
    at: "editor",
    make: ({ agentOf, environment }) => agentOf && environment.conversations.faultNotice(),
  },
  {
    name: "recorder",
    at: "editor",
    make: ({ agentOf, environment }) => agentOf && environment.conversations.recorder(agentOf),
  },
  // Follows the recorder, which starts a turn's span.
  { name: "trace context", at: "editor", make: ({ environment }) => environment.telemetry },
  {
    name: "replayed sessions",
    at: "conductor",
    make: ({ plan: { kept }, environment: { conversations }, clientChannel }) =>
      kept && conversations.supplied(kept.agent, clientChannel, kept.editorIdOf),
  },
  { name: "extensions", at: "extensions", make: ({ plan }) => plan.proxies },
  { name: "hooks", at: "agent", make: ({ hooks }) => hooks?.turns },
  {
    name: "allowed MCP servers",
    at: "agent",
    make: ({ plan: { agent }, environment }) => agent && environment.limits?.servers,
  },
  {
    name: "permission modes",
    at: "agent",
    make: ({ plan: { agent }, environment }) => agent && environment.limits?.modes,
  },
  // Follows all rows for user choices, since this row prevents folders from starting programs.
  {
    name: "project guard",
    at: "agent",
    make: ({ plan: { agent }, environment }) => agent && environment.projects.guard(agent),
  },
  {
    name: "context",
    at: "agent",
    make: ({ plan: { agent, proxies, hasContext = true }, environment, given }) =>
      sessionContext(environment, { agent, given, proxies, hasFiles: hasContext }),
  },
  {
    name: "requests about MCP servers",
    at: "agent",
    make: ({ plan: { agent }, environment }) => agent && serverRequests(environment.servers.statuses),
  },
  // Placed so that the user is asked only about hosts that the rules allow.
  { name: "questions about hosts", at: "agent", make: ({ held }) => held?.sandbox?.desk },
  { name: "budgets", at: "agent", make: ({ guards }) => guards?.budgets },
  { name: "rules", at: "agent", make: ({ held, guards }) => (held?.hasRules === true ? guards?.rules : undefined) },
  // Nearer to the agent than the rules, so that hooks can deny a call that a rule allows.
  { name: "tool hooks", at: "agent", make: ({ hooks }) => hooks?.tools },
  { name: "sandbox", at: "agent", make: ({ held }) => held?.sandbox?.proxy },
  { name: "missing files", at: "agent", make: ({ plan: { agent } }) => agent && missingFileProxy() },
];

/** Creates the conductor of a chain. Its processes start when the editor sends `initialize`, except an agent that was started early. */
export function openChain(
  plan: ChainPlan,
  environment: Environment,
  editor: Peer,
  hooks: Pick<ConductorOptions, "clientChannel" | "onFailure" | "reportsFailure" | "onWrappedCancel"> = {},
): Served {
  const { agent, signInWords, editorServers } = plan;
  const given = new EditorAndProxyServers(environment.logger.child("mcp.servers"));
  if (editorServers) given.set(editorServers);
  environment.announce(["Client", ...plan.proxies.map(nameOf), "Agent"]);
  const held = agent && environment.hold(agent);
  const isGuarded = held?.hasRules === true || (plan.limits?.budgets ?? []).length > 0;
  const guards =
    agent && isGuarded
      ? sessionGuards(
          held?.sandbox?.isHeld ?? (() => false),
          (name) => isAgentNamed(agent, name),
          withRefusals(plan.limits, environment.telemetry),
        )
      : undefined;
  const parts = {
    plan,
    environment,
    given,
    held,
    guards,
    hooks: agent && environment.hooks?.(),
    clientChannel: hooks.clientChannel,
  };
  const wrappers = members.flatMap((member) => (member.at === "conductor" ? (member.make(parts) ?? []) : []));
  const proxies = members.flatMap((member) => (member.at === "extensions" ? member.make(parts) : []));
  const lastProxies = members.flatMap((member) => (member.at === "agent" ? (member.make(parts) ?? []) : []));
  const conduct = (client: Peer): Served =>
    new Conductor({
      ...(agent
        ? { agent, proxies, lastProxies }
        : { proxies: [...proxies, ...lastProxies.map((proxy) => ({ kind: "proxy", proxy }) as const)] }),
      client,
      environment: { ...environment.chain, ...(held && { startAgent: held.startAgent }) },
      startupTimeoutMs: environment.settings.startupTimeoutMs,
      places: (clientName) => (clientName === extensionName ? extensionPlaces : (plan.places ?? configPlaces)),
      ...(agent && {
        editInitialize: (request) => given.takenFrom(request),
        onMcpServer: (component) => given.add(component),
        editInitialized: (outcome) => {
          const own = signInWords ? withOwnSignIn(outcome, (id) => ["sign-in", id, ...signInWords]) : outcome;
          return withTerminalAuth(own, selfCommand());
        },
      }),
      ...hooks,
    });
  return wrapped(wrappers, conduct)(editor);
}

/** Counts the refusals by rules, which no editor sees. */
function withRefusals(limits: RunLimits | undefined, telemetry: Telemetry | undefined): RunLimits | undefined {
  if (!telemetry) return limits;
  return {
    ...limits,
    onDecision: (record) => {
      if (record.answer === "deny") telemetry.refused(record.agent, "rule");
      limits?.onDecision?.(record);
    },
  };
}

function wrapped(wrappers: readonly Wrapper[], connect: (client: Peer) => Served): (client: Peer) => Served {
  return wrappers.reduceRight(
    (inner, wrapper) => (client) => {
      const served = inner(wrapper.towardClient?.(client) ?? client);
      return {
        fromClient: wrapper.towardAgent(served.fromClient, client),
        [Symbol.asyncDispose]: async () => {
          try {
            await served[Symbol.asyncDispose]();
          } finally {
            wrapper[Symbol.dispose]?.();
          }
        },
      };
    },
    connect,
  );
}

type Connect = Parameters<typeof serveOverStdio>[0];

export function behindEditor(parts: EditorParts, connect: Connect): Connect {
  const wrappers = members.flatMap((member) => (member.at === "editor" ? (member.make(parts) ?? []) : []));
  return (editor, hooks) => wrapped(wrappers, (client) => connect(client, hooks))(editor);
}

/**
 * Serves one editor over stdio with the result of `connect`, until the editor disconnects or a signal arrives.
 * A line from the editor enters through `serveOverStdio` and its `Connection`, passes the {@link members} at the editor, and
 * reaches the result of `connect`.
 */
export async function serveChain(
  environment: Environment,
  connect: Connect,
  given: Omit<EditorParts, "environment"> = {},
): Promise<number> {
  const stop = new AbortController();
  const served = serveOverStdio(behindEditor({ ...given, environment }, connect), stop.signal, {
    logger: environment.logger.child("stdio"),
    maxLineBytes: environment.settings.maxMessageBytes,
    beforeWrite: () => environment.conversations.writeNow(),
  });
  using _signals = endOnSignals({
    end: async () => {
      stop.abort();
      await served;
      await environment[Symbol.asyncDispose]();
    },
    kill: () => environment.kill(),
  });
  const exitCode = await served;
  await environment[Symbol.asyncDispose]();
  return exitCode;
}
