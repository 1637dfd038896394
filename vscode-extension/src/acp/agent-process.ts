import { AgentFailure, AgentRefusal } from "./agent-failure.js";
import { call } from "./call.js";
import { ConnectedProcess, type ConnectedProcessOptions } from "./connected-process.js";
import { type InitializedAgent, parseInitialized } from "./initialized-agent.js";
import { soon } from "./soon.js";
import { wire, type WireObject } from "./wire.js";

interface AgentProcessOptions extends ConnectedProcessOptions {
  readonly clientCapabilities: WireObject;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** Until `initialize` is answered; a first start may download the agent. Default 180 s. */
  readonly startupTimeoutMs?: number;
}

/** One running agent, greeted. */
export class AgentProcess extends ConnectedProcess {
  /** Rejects with {@link AgentFailure} when the agent does not come up. */
  readonly initialized: Promise<InitializedAgent>;
  readonly #options: AgentProcessOptions;

  constructor(options: AgentProcessOptions) {
    super(options);
    this.#options = options;
    this.initialized = this.#initialize();
    this.initialized.catch(() => undefined);
  }

  async #initialize(): Promise<InitializedAgent> {
    const { name, clientCapabilities, clientInfo, logger, startupTimeoutMs = 180_000 } = this.#options;
    const params = { protocolVersion: 1, clientCapabilities, clientInfo };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(startupTimeout(name, startupTimeoutMs)), startupTimeoutMs);
    });
    try {
      const agent = parseInitialized(await Promise.race([call(this.peer, wire.initialize, params), timeout]));
      logger.info("initialized", { agent: agent.info, pid: this.pid });
      return agent;
    } catch (thrown) {
      throw await this.#startFailure(thrown);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The best account of a start that failed: what a component said of itself, else how the process ended. */
  async #startFailure(thrown: unknown): Promise<AgentFailure> {
    if (thrown instanceof AgentFailure) return thrown;
    if (!(thrown instanceof AgentRefusal)) throw thrown;
    const reported = thrown.failure;
    if (reported) return reported;
    const exit = await soon(this.ended);
    return exit ?? new AgentFailure("component-start-failed", thrown.message);
  }
}

function startupTimeout(name: string, ms: number): AgentFailure {
  return new AgentFailure(
    "startup-timeout",
    `${name} did not answer within ${Math.round(ms / 1000)} s after its start.`,
    "A first start may have to download it: try again. The log may say what it waits for.",
  );
}
