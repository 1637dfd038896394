import type { StartedChain } from "../../conductor/choices/agent-switch.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import type { Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Reply } from "../../base/rpc/peer.js";
import { parseSignIns, type SignIn } from "../../conductor/chain/sign-in.js";
import type { KnownAgent } from "../known-agents.js";
import type { SetupAgentNeeds } from "./setup-agent-needs.js";

/** The agent that was chosen, in a chain that is started once for all sessions. */
export class ChosenAgent {
  /** Set once a session is with it. */
  isReady = false;

  /** `agent` is undefined for the one that the configuration names. */
  constructor(
    readonly agent: KnownAgent | undefined,
    private readonly chain: StartedChain,
  ) {}

  /** Its answer to `initialize`, or the error that kept its chain from getting there. */
  get initialized(): Promise<Outcome> {
    return this.chain.initialized;
  }

  /** For people. */
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

  /** Has our session from now on, which it has opened with the result `opened`; with its open prompt, too, if that is for it. */
  receive(sessionId: string, opened: Json, withPrompt: boolean): void {
    this.isReady = true;
    this.chain.handOver(sessionId, opened, withPrompt);
  }

  stop(): void {
    this.chain.stop();
  }
}

/** The place for the one agent that is chosen: given up when it has no session and nobody waits for it any more. */
export class AgentPlace {
  #current: ChosenAgent | undefined;
  #hasTried = false;
  readonly #waiting = new Set<object>();

  /** `onFailure` hears of an agent that has ended by itself, as `text` says. */
  constructor(
    private readonly options: SetupAgentNeeds,
    private readonly onFailure: (chosen: ChosenAgent, text: string) => void,
  ) {}

  get current(): ChosenAgent | undefined {
    return this.#current;
  }

  /** Whether an agent was started already, whatever became of it. */
  get hasTried(): boolean {
    return this.#hasTried;
  }

  /** Starts an agent when `before` has resolved. Only while there is none. */
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

  /** `session` waits for `chosen`. */
  join(chosen: ChosenAgent, session: object): void {
    if (chosen === this.#current) this.#waiting.add(session);
  }

  /** `session` no longer wants `chosen`. */
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
