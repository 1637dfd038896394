import type { KnownAgent } from "../../src/agents/known-agents.js";
import { SetupAgent } from "../../src/agents/setup/setup-agent.js";
import type { SetupAgentNeeds, SetupReason } from "../../src/agents/setup/setup-agent-needs.js";
import { Logger } from "../../src/base/logger.js";
import type { ChainHooks, OpenedChain } from "../../src/conductor/choices/agent-switch.js";
import { Chains } from "../../src/conductor/choices/chains.js";
import { KnownSessions } from "../../src/conductor/choices/known-sessions.js";
import type { Agent } from "../../src/conductor/chain/component.js";
import { Json } from "../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../src/base/rpc/message.js";
import { ask, type Peer } from "../../src/base/rpc/peer.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { type Answer, RecordingPeer } from "../../testing/recording-peer.js";

export const offered: readonly KnownAgent[] = [
  { id: "alpha", name: "Alpha Agent", words: "npx -y alpha", description: "the first", needs: "a key", origin: "npx" },
  { id: "beta", name: "Beta", words: "beta acp", description: "the second", origin: "path" },
  { id: "kiro", name: "Kiro", words: "kiro acp", description: "the third", origin: "path", missing: "kiro" },
];

/** Default answers of an agent in the inner chain. */
const usualAnswers: Readonly<Record<string, Answer>> = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "inner", title: "Inner Agent" } },
  "session/new": { sessionId: "inner-1" },
  "session/prompt": { stopReason: "end_turn" },
};

/** An answer that does not come until the test gives it. */
export const unanswered: Answer = () => undefined;

/** A chain that a test plays: `agent` is what the editor's messages reach. */
class PlayedChain implements OpenedChain {
  readonly fromClient: RecordingPeer;
  readonly failed: Promise<string>;
  isDisposed = false;
  #failure: Outcome | undefined;
  /** As a conductor does: what waits for an answer gets the failure, and so does what comes later. */
  fail: (text: string) => void = () => undefined;

  constructor(
    readonly client: Peer,
    readonly chosen: KnownAgent | undefined,
    answers: Readonly<Record<string, Answer>>,
    hooks: ChainHooks,
  ) {
    const whileRunning = Object.entries({ ...usualAnswers, ...answers }).map(([method, answer]): [string, Answer] => [
      method,
      (request: Request) => this.#failure ?? (typeof answer === "function" ? answer(request) : answer),
    ]);
    this.fromClient = new RecordingPeer(Object.fromEntries(whileRunning));
    this.failed = new Promise((resolve) => {
      this.fail = (text) => {
        const error = RpcError.internal(text);
        const failure = Outcome.error(error);
        this.#failure = failure;
        for (const { reply } of [...this.fromClient.open]) reply(failure);
        hooks.onFailure({ component: "agent", message: text, error });
        resolve(text);
      };
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }

  /** An agent message in the session that the agent knows as `sessionId`. */
  say(text: string, sessionId = "inner-1"): void {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    this.client.notify(Notification.of("session/update", { sessionId, update }));
  }
}

/** Chains without a choice of their own before a setup agent, between an editor that records and chains that a test plays. */
export class SetupStage {
  readonly client: RecordingPeer;
  readonly chains: PlayedChain[] = [];
  readonly saved: string[] = [];
  /** State of the file when it is read again. */
  found: "ok" | SetupReason;
  readonly connection: Chains;
  readonly #awaitingChain: ((chain: PlayedChain) => void)[] = [];

  constructor(
    options: Partial<SetupAgentNeeds> & {
      readonly inner?: Readonly<Record<string, Answer>>;
      readonly client?: RecordingPeer;
    } = {},
  ) {
    const { inner = {}, client = new RecordingPeer(), ...given } = options;
    this.client = client;
    this.found = given.reason ?? { kind: "absent" };
    const setup: Omit<SetupAgentNeeds, "agentSwitch"> = {
      version: "1.2.3",
      reason: { kind: "absent" },
      extensions: ["sparkle", "cargo"],
      agents: () => Promise.resolve(offered),
      save: (chosen) => {
        this.saved.push(chosen.words);
        return Promise.resolve("/home/me/.symposium/config.jsonc");
      },
      reload: () => Promise.resolve(this.found),
      open: (chosen, toClient, hooks) => {
        const chain = new PlayedChain(toClient, chosen, inner, hooks);
        this.chains.push(chain);
        for (const resolve of this.#awaitingChain.splice(0)) resolve(chain);
        return Promise.resolve(chain);
      },
      terminalCommand: (chosen, { args }) => [chosen?.words ?? "configured", ...args].join(" "),
      ...given,
    };
    this.connection = chainsOf(client, ({ agentSwitch }) => new SetupAgent({ ...setup, agentSwitch }));
    void this.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  /** The chain that was opened last. */
  get chain(): PlayedChain {
    const chain = this.chains.at(-1);
    if (!chain) throw new Error("no chain was opened");
    return chain;
  }

  /** The first chain, as soon as it is opened. */
  chainOpened(): Promise<PlayedChain> {
    const [chain] = this.chains;
    return chain ? Promise.resolve(chain) : new Promise((resolve) => this.#awaitingChain.push(resolve));
  }

  get fromClient(): Peer {
    return this.connection.fromClient;
  }

  ask(method: string, params: unknown, signal?: AbortSignal): Promise<Outcome> {
    return ask(this.fromClient, new Request(method, Json.of(params)), signal);
  }

  notify(method: string, params: unknown): void {
    this.fromClient.notify(Notification.of(method, params));
  }

  /** Opens a session, waits for the greeting and forgets it; the session's id. */
  async open(params: unknown = { cwd: "/work", mcpServers: [] }): Promise<string> {
    const outcome = await this.ask("session/new", params);
    await this.client.waitFor("session/update");
    this.client.received.splice(0);
    return String(outcome.json.object?.["sessionId"]);
  }

  prompt(sessionId: string, text: string, signal?: AbortSignal): Promise<Outcome> {
    return this.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, signal);
  }

  /** Sends a prompt and returns the new text in the chat and the stop reason. */
  async answer(sessionId: string, text: string): Promise<{ text: string; stopReason: unknown }> {
    this.client.received.splice(0);
    const outcome = await this.prompt(sessionId, text);
    return { text: this.client.text, stopReason: outcome.json.object?.["stopReason"] ?? outcome.json.value };
  }
}

/** Chains that offer nothing themselves, the first of which is the agent that `make` makes, without a conductor. */
export function chainsOf(client: Peer, make: (hooks: ChainHooks) => Agent): Chains {
  return new Chains({
    client,
    logger: Logger.silent,
    offer: { agents: [], proxies: [] },
    choice: { agent: "as-configured", proxies: new Set() },
    file: "/home/me/.symposium/config.jsonc",
    known: new KnownSessions([], { keep: () => undefined, forget: () => undefined }),
    first: (toClient, hooks) => {
      const connected = make(hooks).connect(toClient);
      return {
        fromClient: connected.fromClient,
        [Symbol.asyncDispose]: async () => connected[Symbol.asyncDispose]?.(),
      };
    },
    open: () => Promise.reject(new Error("nothing else can be chosen")),
    save: () => Promise.resolve(),
    signInLine: () => "symposium-acp-agent sign-in",
    protection: {
      describe: () => Promise.reject(new Error("no agent is chosen")),
      change: () => Promise.reject(new Error("no agent is chosen")),
    },
    onFailure: () => undefined,
  });
}

/** Methods and parsed parameters, in order. */
export function received(peer: RecordingPeer): unknown[] {
  return peer.received.map(({ method, params }) => [method, params?.value]);
}
