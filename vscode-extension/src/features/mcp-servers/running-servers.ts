import type { WindowAgents } from "../../acp/running-agent.js";
import type { ClientAbility } from "../../acp/abilities.js";
import { type RunningServer, runningServers } from "./listed-servers.js";

/** Notifications about the MCP servers of running agents, as an ability of the editor, which announces none. */
export class ServerNotices implements ClientAbility {
  readonly capabilities = {};
  readonly requests = {};
  readonly notifications = { "_symposium/mcpServers/changed": () => this.#changed() };
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Longer than a command that works takes to say what it has. */
const answerMs = 5_000;

/** The MCP servers of all agents that run in this window. */
export class RunningServers {
  /** `limitMs`: how long each agent has to answer. */
  constructor(
    private readonly agents: Pick<WindowAgents, "ready">,
    private readonly limitMs = answerMs,
  ) {}

  /** Each server of each agent. An agent that does not answer in time, or not at all, as one of an older command, has none. */
  async list(): Promise<readonly RunningServer[]> {
    const lists = this.agents.ready.map(async ({ client }) => {
      const limit = AbortSignal.timeout(this.limitMs);
      const asked = client.call("_symposium/mcpServers/list", {}, limit).catch(() => undefined);
      // A request that is given up still waits for its answer.
      const late = new Promise<undefined>((resolve) => limit.addEventListener("abort", () => resolve(undefined)));
      const answer = await Promise.race([asked, late]);
      const parsed = runningServers.safeParse(answer);
      return parsed.success ? parsed.data.servers : [];
    });
    return (await Promise.all(lists)).flat();
  }

  /** Restarts a server in all sessions that have it; rejects with the reason where none has. */
  async restart(name: string): Promise<void> {
    const asked = this.agents.ready.map(({ client }) => client.call("_symposium/mcpServers/restart", { name }));
    const ends = await Promise.allSettled(asked);
    if (ends.some(({ status }) => status === "fulfilled")) return;
    throw new Error(`No session has the MCP server "${name}" any more.`);
  }
}
