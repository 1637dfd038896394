import * as l10n from "@vscode/l10n";
import { SymposiumError } from "@symposium-dev/core";
import { withSignIn } from "./model-requests.js";
import type { ModelService } from "./model-service.js";

export interface AskedAgent {
  readonly id: string;
  readonly name: string;
  /** Value for the command's `--agent`. */
  readonly spec: string;
  readonly configOptions: Readonly<Record<string, string>>;
}

interface AgentQuestion {
  readonly agent: AskedAgent;
  readonly prompt: string;
  /** Absolute working folder of the session. */
  readonly folder: string;
}

const idleMs = 5 * 60_000;

/**
 * Asks an agent for one answer in a separate session that doesn't affect the panel's conversations. The agent runs without tools, so it can
 * only answer.
 */
export class Answers implements AsyncDisposable {
  #idle: ReturnType<typeof setTimeout> | undefined;
  #openCount = 0;

  constructor(private readonly service: Pick<ModelService, "respond" | "restart" | typeof Symbol.asyncDispose>) {}

  /** Returns the whole answer, or undefined if `signal` aborts. Rejects with a message for the user. */
  async ask({ agent, prompt, folder }: AgentQuestion, signal: AbortSignal): Promise<string | undefined> {
    clearTimeout(this.#idle);
    this.#openCount++;
    let text = "";
    try {
      const { stopReason } = await this.service.respond(
        {
          modelId: agent.id,
          agent: agent.spec,
          messages: [{ role: "user", content: [{ type: "text", value: prompt }] }],
          conversationId: crypto.randomUUID(),
          folder,
          exposure: "raw",
          configOptions: agent.configOptions,
        },
        (part) => {
          if (part.type === "text") text += part.value;
        },
        signal,
      );
      if (signal.aborted) return undefined;
      if (stopReason !== undefined && stopReason !== "end_turn") throw stopped(agent.name, stopReason);
      return text;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      throw withSignIn(thrown, agent.name);
    } finally {
      if (--this.#openCount === 0) this.#endLater();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    await this.service[Symbol.asyncDispose]();
  }

  #endLater(): void {
    this.#idle = setTimeout(() => void this.service.restart(), idleMs);
    this.#idle.unref();
  }
}

function stopped(name: string, stopReason: string): SymposiumError {
  const hint = l10n.t("Try again, or ask for less.");
  return new SymposiumError(
    "component-stalled",
    l10n.t("{0} stopped before its answer was complete ({1}).", name, stopReason),
    hint,
  );
}
