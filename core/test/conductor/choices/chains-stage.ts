import { type LogEvent, Logger } from "../../../src/base/logger.js";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import type { ChainHooks, OpenedChain } from "../../../src/conductor/choices/agent-switch.js";
import { Chains } from "../../../src/conductor/choices/chains.js";
import type { Continuing } from "../../../src/conductor/choices/chain-selection.js";
import type { Change, Choice, Offer } from "../../../src/conductor/choices/chosen-agent-and-proxies.js";
import { type KnownSession, KnownSessions } from "../../../src/conductor/choices/known-sessions.js";
import type { Agent } from "../../../src/conductor/chain/component.js";
import type { ChainFailure } from "../../../src/conductor/chain/failure.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, type Peer } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";
import { ScriptedAgent } from "../../../testing/scripted-agent.js";
import { scriptedClient } from "../../../testing/scripted-client.js";

export const offer: Offer = {
  agents: [
    { id: "alpha", name: "Alpha", description: "the first" },
    { id: "beta", name: "Beta", description: "the second" },
  ],
  proxies: [{ id: "ferris", name: "ferris", description: "knows crates" }],
};

/** A chain that was opened: its agent alone, without a conductor. */
interface OpenedAgent {
  readonly choice: Choice;
  readonly hooks: ChainHooks;
  readonly client: Peer;
  /** Messages that reached the agent. */
  readonly received: RecordingPeer;
  isDisposed: boolean;
}

interface ChainsStageOptions {
  /** The agents by the ids of the offer; scripted ones where absent. An error is thrown by `open`. */
  readonly agents?: Readonly<Record<string, Agent | Error>>;
  readonly save?: (change: Change) => Promise<void>;
  readonly continuing?: Continuing;
  readonly client?: RecordingPeer;
  /** Sessions that are remembered. */
  readonly known?: readonly KnownSession[];
}

/** A client in front of the chains of a test. */
export class ChainsStage {
  readonly client: RecordingPeer;
  readonly opened: OpenedAgent[] = [];
  readonly saved: Change[] = [];
  readonly failures: ChainFailure[] = [];
  /** Changes by `/symposium:guard` that the user cancelled. */
  readonly stopped: string[] = [];
  readonly events: LogEvent[] = [];
  /** The sessions as they are kept. */
  known: readonly KnownSession[] = [];
  readonly chains: Chains;

  constructor(private readonly options: ChainsStageOptions = {}) {
    this.client = options.client ?? scriptedClient();
    this.known = options.known ?? [];
    const choice: Choice = { agent: "alpha", proxies: new Set(["ferris"]) };
    this.chains = new Chains({
      client: this.client,
      logger: new Logger((event) => this.events.push(event)),
      offer,
      choice,
      file: "/home/me/.symposium/config.jsonc",
      known: new KnownSessions(options.known ?? [], {
        keep: (session) => (this.known = [...this.known.filter(([id]) => id !== session[0]), session]),
        forget: (clientId) => (this.known = this.known.filter(([id]) => id !== clientId)),
      }),
      first: (client, hooks) => this.#open(choice, client, hooks),
      open: (wanted, client, hooks) => Promise.resolve().then(() => this.#open(wanted, client, hooks)),
      save: async (change) => {
        await options.save?.(change);
        this.saved.push(change);
      },
      ...(options.continuing && { continuing: options.continuing }),
      signInLine: ({ agent }) => `symposium-acp-agent sign-in --agent ${agent}`,
      protection: {
        describe: ({ agent }, folder) => Promise.resolve(`${agent} in ${folder}`),
        change: ({ agent }, folder, wish, signal) =>
          wish === "off"
            ? new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                  this.stopped.push(wish);
                  reject(new Error("stopped"));
                });
              })
            : wish === "sandbox"
              ? Promise.reject(new SymposiumError("sandbox-unavailable", "There is none here.", "Install it."))
              : Promise.resolve(`${agent} in ${folder}: ${wish}`),
      },
      onFailure: (failure) => this.failures.push(failure),
    });
  }

  ask(method: string, params?: unknown, signal?: AbortSignal): Promise<Outcome> {
    return ask(this.chains.fromClient, new Request(method, params === undefined ? undefined : Json.of(params)), signal);
  }

  notify(method: string, params: unknown): void {
    this.chains.fromClient.notify(Notification.of(method, params));
  }

  /** The result of a request that must succeed. */
  async result(method: string, params?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.ask(method, params);
    if (outcome.isError) throw new Error(`${method}: ${outcome.json.text}`);
    return outcome.json.object ?? {};
  }

  /** The error of a request that must fail. */
  async error(method: string, params?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.ask(method, params);
    if (!outcome.isError) throw new Error(`${method} succeeded: ${outcome.json.text}`);
    return outcome.json.object ?? {};
  }

  initialize(capabilities: unknown = { session: { configOptions: { boolean: {} } } }): Promise<unknown> {
    return this.result("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
  }

  /** Opens a session and returns its id. Discards the messages that the client has received so far. */
  async session(): Promise<string> {
    const { sessionId } = await this.result("session/new", { cwd: "/w", mcpServers: [] });
    await settled();
    this.client.received.splice(0);
    return String(sessionId);
  }

  choose(sessionId: string, value: unknown, configId = "symposium.agent"): Promise<Outcome> {
    return this.ask("session/set_config_option", { sessionId, configId, value });
  }

  prompt(sessionId: string, text: string, signal?: AbortSignal): Promise<Outcome> {
    return this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, signal);
  }

  /** The chain opened as number `index`, from 0. */
  chain(index: number): OpenedAgent {
    const chain = this.opened[index];
    if (!chain) throw new Error(`no chain ${index}`);
    return chain;
  }

  #open(choice: Choice, client: Peer, hooks: ChainHooks): OpenedChain {
    const agent = this.options.agents?.[choice.agent] ?? new ScriptedAgent({ name: choice.agent });
    if (agent instanceof Error) throw agent;
    const connected = agent.connect(client);
    const received = new RecordingPeer();
    const opened: OpenedAgent = { choice, hooks, client, received, isDisposed: false };
    this.opened.push(opened);
    return {
      fromClient: {
        request: (request, reply) => {
          received.request(request, () => undefined);
          return connected.fromClient.request(request, reply);
        },
        notify: (notification) => {
          received.notify(notification);
          connected.fromClient.notify(notification);
        },
      },
      [Symbol.asyncDispose]: () => {
        opened.isDisposed = true;
        return Promise.resolve();
      },
    };
  }
}

/** Everything that is due in microtasks has happened, and one turn of the event loop. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The ids and current values of config options. */
export function valuesOf(configOptions: unknown): Readonly<Record<string, unknown>> {
  const options = Array.isArray(configOptions) ? configOptions : [];
  return Object.fromEntries(
    options.map((option: unknown) => {
      const { id, currentValue } = Json.of(option).object ?? {};
      return [String(id), currentValue];
    }),
  );
}

/** An agent message, as `chain`'s agent sends it. */
export function saidBy({ client }: OpenedAgent, sessionId: string, text: string): void {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  client.notify(Notification.of("session/update", { sessionId, update }));
}

/** The failure of a chain whose agent has ended. */
export const ended: ChainFailure = {
  component: "agent",
  message: "It has ended.",
  error: RpcError.internal("It has ended."),
};

/** Error that `open` throws for an unknown agent. */
export const notFound = new SymposiumError("unknown-agent", '"beta" is not there.', "Install it.");
