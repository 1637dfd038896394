import * as l10n from "@vscode/l10n";
import type { WindowAgents } from "../../acp/running-agent.js";
import type { ClientAbility } from "../../acp/client-abilities.js";
import { type RunningServer, runningServers } from "./listed-servers.js";

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

/** Time limit in milliseconds. A working command answers sooner. */
const answerMs = 5_000;

export class RunningServers {
  constructor(
    private readonly agents: Pick<WindowAgents, "ready">,
    private readonly limitMs = answerMs,
  ) {}

  /** Returns all servers of all agents. Agents that don't answer in time, for example older commands, are skipped. */
  async list(): Promise<readonly RunningServer[]> {
    const lists = this.agents.ready.map(async ({ client }) => {
      const limit = AbortSignal.timeout(this.limitMs);
      const asked = client.call("_symposium/mcpServers/list", {}, limit).catch(() => undefined);
      // An aborted call still waits for its response, so stop waiting when the time limit is reached.
      const late = new Promise<undefined>((resolve) => limit.addEventListener("abort", () => resolve(undefined)));
      const answer = await Promise.race([asked, late]);
      const parsed = runningServers.safeParse(answer);
      return parsed.success ? parsed.data.servers : [];
    });
    return (await Promise.all(lists)).flat();
  }

  /** Restarts a server in all sessions that have it. Rejects with the reason if no session has it. */
  async restart(name: string): Promise<void> {
    const asked = this.agents.ready.map(({ client }) => client.call("_symposium/mcpServers/restart", { name }));
    const ends = await Promise.allSettled(asked);
    if (ends.some(({ status }) => status === "fulfilled")) return;
    throw new Error(l10n.t('No session is using the MCP server "{0}".', name));
  }
}
