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

/** The MCP servers of all agents that run in this window. */
export class RunningServers {
  constructor(private readonly agents: Pick<WindowAgents, "ready">) {}

  /** Each server of each agent. An agent that does not answer, as one of an older command, has none. */
  async list(): Promise<readonly RunningServer[]> {
    const lists = this.agents.ready.map(async ({ client }) => {
      const answer = await client.call("_symposium/mcpServers/list", {}).catch(() => undefined);
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
