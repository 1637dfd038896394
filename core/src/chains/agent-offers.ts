import { asObject, type Json } from "../rpc/json.js";
import { elementsOf, memberOf } from "../rpc/json-edit.js";
import type { Request } from "../rpc/message.js";
import type { RpcError } from "../rpc/rpc-error.js";
import { LegacyOptions } from "./legacy-options.js";

/** What the agent of one session offers its user, as it last said: config options, slash commands and modes. */
export class AgentOffers {
  #options: readonly Json[] = [];
  #legacy: LegacyOptions | undefined;
  /** Raw entries of `availableCommands`. */
  commands: readonly Json[] = [];
  /** The mode that the session was opened in. */
  #mode: string | undefined;

  /** Raw config options; the older modes and models where the agent has nothing newer. */
  get options(): readonly Json[] {
    return this.#legacy?.options ?? this.#options;
  }

  /** The session was opened, with this answer. */
  open(answer: Json): void {
    const given = memberOf(answer, "configOptions");
    this.#options = (given && elementsOf(given)) ?? this.#options;
    if (this.#options.length === 0) this.#legacy = LegacyOptions.of(answer);
    const mode = asObject(answer.object?.["modes"])?.["currentModeId"];
    this.#mode = typeof mode === "string" ? mode : undefined;
  }

  get mode(): string | undefined {
    return this.#mode;
  }

  /** The agent has sent another list, as the member `configOptions` of `json`. */
  setOptions(json: Json): void {
    const given = memberOf(json, "configOptions");
    const options = given && elementsOf(given);
    if (!options) return;
    this.#options = options;
    if (options.length > 0) this.#legacy = undefined;
  }

  /** The agent has sent its commands, as the member `availableCommands` of `json`. */
  setCommands(json: Json): void {
    const given = memberOf(json, "availableCommands");
    this.commands = (given && elementsOf(given)) ?? [];
  }

  /** The older request that sets an option; undefined where the agent takes `session/set_config_option` itself. */
  legacyRequest(sessionId: string, configId: unknown, value: unknown): Request | RpcError | undefined {
    return this.#legacy?.request(sessionId, configId, value);
  }

  /** An older option has another value now. False where the agent has none of that kind. */
  setLegacy(configId: unknown, value: unknown): boolean {
    return this.#legacy?.set(configId, value) ?? false;
  }
}
