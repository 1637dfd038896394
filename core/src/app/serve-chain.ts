import { type AgentComponent, nameOf, type ProxyComponent } from "../conductor/chain/component.js";
import { Conductor, type ConductorOptions } from "../conductor/chain/conductor.js";
import type { PlaceNames } from "../conductor/chain/failure.js";
import { withOwnSignIn, withTerminalAuth } from "../conductor/chain/sign-in.js";
import type { TurnNotice } from "../base/acp/turn-notice.js";
import { endOnSignals } from "../base/node/end-on-signals.js";
import { serveOverStdio } from "../conductor/node/serve-stdio.js";
import type { Peer } from "../base/rpc/peer.js";
import { serverRequests } from "../context/servers/server-requests.js";
import { isAgentNamed } from "../guard/node/protection-levels.js";
import type { Environment } from "./environment.js";
import { levelNotice } from "../guard/node/protection-changed-notice.js";
import { extensionName } from "../base/node/product-version.js";
import { selfCommand } from "../base/node/self-command.js";
import { GivenServers } from "../context/servers/editor-and-proxy-servers.js";
import { sessionContext } from "./session-context.js";
import { sessionGuards } from "../guard/node/rule-and-budget-proxies.js";

/** A chain to be opened. */
export interface ChainPlan {
  readonly proxies: readonly ProxyComponent[];
  /** Absent in proxy mode. */
  readonly agent?: AgentComponent;
  /** The words after `sign-in METHOD` that lead to the same agent again; absent for agents whose methods are already ours. */
  readonly signInWords?: readonly string[];
  /** Where its user has written it; config.jsonc when absent. */
  readonly places?: PlaceNames;
  /** Whether sessions get the user's servers, rules, skills and commands; true when absent. */
  readonly hasContext?: boolean;
  /** `mcpServers` of an editor's settings that does not send them with `initialize`, in the format of config.jsonc. */
  readonly editorServers?: Readonly<Record<string, unknown>>;
  /** What the agent lacks of sessions is done from the conversations that are kept with it by this name. */
  readonly kept?: { readonly agent: string; readonly editorIdOf?: (sessionId: string) => string };
}

/** Where it is written when nothing else is said. */
export const configPlaces: PlaceNames = {
  agent: "config.jsonc",
  proxies: "config.jsonc",
  startupTimeout: '"startupTimeoutMs" in config.jsonc',
  stallTimeout: '"stallTimeoutMs" in config.jsonc',
};

/** The extension for VS Code has settings in place of a configuration and of options. */
export const extensionPlaces: PlaceNames = {
  agent: "the settings of VS Code",
  proxies: "the settings of VS Code",
  startupTimeout: 'the setting "symposium.startupTimeout"',
};

/** A chain as whoever serves it uses it. */
type ServedChain = Pick<Conductor, "fromClient" | typeof Symbol.asyncDispose>;

/** Makes the conductor of a chain; its processes start when the editor says `initialize`. */
export function openChain(
  plan: ChainPlan,
  environment: Environment,
  client: Peer,
  hooks: Pick<ConductorOptions, "clientChannel" | "onFailure" | "reportsFailure" | "onWrappedCancel"> = {},
): ServedChain {
  const { proxies, agent, signInWords, editorServers, kept, hasContext = true } = plan;
  const supplied = kept && environment.conversations.supplied(kept.agent, hooks.clientChannel, kept.editorIdOf);
  const given = new GivenServers(environment.logger.child("mcp.servers"));
  if (editorServers) given.set(editorServers);
  environment.announce(["Client", ...proxies.map(nameOf), "Agent"]);
  const context = sessionContext(environment, { agent, given, proxies, hasFiles: hasContext });
  // Next to the agent, behind all that users choose: what keeps folders from starting programs, then what sessions get.
  const last = context ? [context] : [];
  const held = agent && environment.hold(agent);
  const conductor = new Conductor({
    proxies: agent ? proxies : [...proxies, ...last.map((proxy) => ({ kind: "proxy", proxy }) as const)],
    ...(agent && {
      agent,
      lastProxies: [
        environment.projects.guard(agent),
        ...last,
        serverRequests(environment.servers.statuses),
        // What it asks has been held against the rules already.
        ...(held?.sandbox ? [held.sandbox.desk] : []),
        ...(held?.hasRules === true
          ? sessionGuards(held.sandbox?.isHeld ?? (() => false), (name) => isAgentNamed(agent, name))
          : []),
        ...(held?.sandbox ? [held.sandbox.proxy] : []),
      ],
    }),
    client: supplied?.towardClient(client) ?? client,
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
  if (!supplied) return conductor;
  return {
    fromClient: supplied.towardAgent(conductor.fromClient),
    [Symbol.asyncDispose]: () => conductor[Symbol.asyncDispose](),
  };
}

type Connect = Parameters<typeof serveOverStdio>[0];

/** `connect`, whose users hear of something of ours. */
export function noticing(notice: TurnNotice, connect: Connect): Connect {
  return (client, hooks) => {
    const served = connect(client, hooks);
    return {
      fromClient: notice.towardAgent(served.fromClient, client),
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  };
}

/**
 * Serves one editor over stdio with what `connect` makes, until it leaves; ends everything, signals included.
 *
 * This is the way of a prompt, for `run-with`, `run`, `zed run` and `eliza`: a line of the editor comes in by
 * `serveOverStdio` and its `Connection`; it goes to what `connect` makes, a `Conductor` or, where users can choose, `Chains`
 * with a conductor for each choice (`serve-choices`); then member by member through the `Chain` that the conductor has
 * built from the plan, and out to the agent's process.
 */
export async function serveChain(environment: Environment, connect: Connect): Promise<number> {
  const stop = new AbortController();
  const notice = levelNotice(environment.levels, environment.logger.child("guard"));
  const served = serveOverStdio(noticing(notice, connect), stop.signal, {
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
