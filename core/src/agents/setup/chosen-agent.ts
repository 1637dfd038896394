import type { StartedChain } from "../../conductor/choices/agent-switch.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import type { Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Reply } from "../../base/rpc/peer.js";
import { parseSignIns, type SignIn } from "../../conductor/chain/sign-in.js";
import type { KnownAgent } from "../known-agents.js";
import type { SetupAgentNeeds } from "./setup-agent-needs.js";

export class ChosenAgent {
  /** Set once the agent has opened a session. */
  isReady = false;

  /** `agent` is undefined for the configured agent. */
  constructor(
    readonly agent: KnownAgent | undefined,
    private readonly chain: StartedChain,
  ) {}

  get initialized(): Promise<Outcome> {
    return this.chain.initialized;
  }

  get name(): string {
    if (this.agent) return this.agent.name;
    const info = asObject(this.chain.initializeResult.object?.["agentInfo"]);
    const name = info?.["title"] ?? info?.["name"];
    return typeof name === "string" && name !== "" ? name : "the configured agent";
  }

  get signIns(): readonly SignIn[] {
    return parseSignIns(this.chain.initializeResult);
  }

  request(request: Request, reply: Reply): Cancel {
    return this.chain.request(request, reply);
  }

  /** Hands the session over to the agent, which opened it with the result `opened`. `withPrompt` also hands over the open prompt. */
  receive(sessionId: string, opened: Json, withPrompt: boolean): void {
    this.isReady = true;
    this.chain.handOver(sessionId, opened, withPrompt);
  }

  stop(): void {
    this.chain.stop();
  }
}

/** Slot for the single chosen agent. Stops the agent if it has no session and no session waits for it. */
export class AgentPlace {
  #current: ChosenAgent | undefined;
  #hasTried = false;
  readonly #waiting = new Set<object>();

  /** `onFailure` is called when an agent ends by itself; `text` describes the failure. */
  constructor(
    private readonly options: SetupAgentNeeds,
    private readonly onFailure: (chosen: ChosenAgent, text: string) => void,
  ) {}

  get current(): ChosenAgent | undefined {
    return this.#current;
  }

  get hasTried(): boolean {
    return this.#hasTried;
  }

  /** Starts an agent after `before` resolves. Must be called only while there is no current agent. */
  start(agent: KnownAgent | undefined, before: Promise<unknown> = Promise.resolve()): ChosenAgent {
    this.#hasTried = true;
    const chain = this.options.agentSwitch.start({
      before,
      open: (client, hooks) => this.options.open(agent, client, hooks),
      onFailure: (text) => {
        this.#clear(chosen);
        this.onFailure(chosen, text);
      },
    });
    const chosen = new ChosenAgent(agent, chain);
    this.#current = chosen;
    return chosen;
  }

  join(chosen: ChosenAgent, session: object): void {
    if (chosen === this.#current) this.#waiting.add(session);
  }

  /** Ends a session's wait for the agent `chosen`. Stops the agent if it has no session and no session waits for it. */
  leave(chosen: ChosenAgent, session: object): void {
    if (chosen !== this.#current) return;
    this.#waiting.delete(session);
    if (this.#waiting.size > 0 || chosen.isReady) return;
    this.#clear(chosen);
    chosen.stop();
  }

  #clear(chosen: ChosenAgent): void {
    if (chosen !== this.#current) return;
    this.#current = undefined;
    this.#waiting.clear();
  }
}
