import * as z from "zod/mini";
import type { AgentOffer } from "../agents/agent-choices.js";
import type { SubcommandRunner } from "../agents/subcommand-runner.js";

interface GuardNamesOptions {
  readonly commandLine: Pick<SubcommandRunner, "json">;
  /** Returns the agents that this window could start, without asking a registry. */
  readonly agents: () => Promise<readonly Pick<AgentOffer, "id" | "spec" | "source">[]>;
  readonly failed: (reason: unknown) => void;
  /** Time limit for the command in milliseconds, since agents' requests wait for it. */
  readonly limitMs?: number;
}

const usualLimitMs = 30_000;

const statusSchema = z.object({
  agents: z.array(z.union([z.object({ agent: z.string(), id: z.string(), names: z.array(z.string()) }), z.object({})])),
});

export class GuardNames {
  readonly #known = new Map<string, Promise<string | undefined>>();

  constructor(private readonly options: GuardNamesOptions) {}

  /** Returns an agent's id in guard.jsonc, or undefined if unknown. Never rejects. */
  of(agentId: string): Promise<string | undefined> {
    const known = this.#known.get(agentId) ?? this.#find(agentId).catch(() => undefined);
    this.#known.set(agentId, known);
    // Failures aren't cached, so the next call tries again.
    void known.then((name) => {
      if (name === undefined) this.#known.delete(agentId);
    });
    return known;
  }

  async #find(agentId: string): Promise<string | undefined> {
    const spec = (await this.options.agents()).find(({ id }) => id === agentId)?.spec;
    if (spec === undefined) return undefined;
    try {
      return (await this.#namesOf([spec])).get(spec)?.[0];
    } catch (error) {
      this.options.failed(error);
      return undefined;
    }
  }

  async #namesOf(specs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const words = ["guard", "status", "--editor", "--json", "--", ...specs];
    const { commandLine, limitMs = usualLimitMs } = this.options;
    const { agents } = await commandLine.json(words, statusSchema, { signal: AbortSignal.timeout(limitMs) });
    return new Map(agents.flatMap((one) => ("id" in one ? [[one.agent, [one.id, ...one.names]] as const] : [])));
  }
}
