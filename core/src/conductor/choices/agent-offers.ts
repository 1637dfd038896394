import { elementsOf, memberOf } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

export class AgentOffers {
  #options: readonly Json[] = [];
  #legacy: LegacyOptions | undefined;
  commands: readonly Json[] = [];
  #mode: string | undefined;

  /** The agent's raw config options, converted from legacy modes and models if the agent has no config options. */
  get options(): readonly Json[] {
    return this.#legacy?.options ?? this.#options;
  }

  open(answer: Json): void {
    const given = memberOf(answer, "configOptions");
    this.#options = (given && elementsOf(given)) ?? this.#options;
    if (this.#options.length === 0) this.#legacy = LegacyOptions.of(answer);
    const mode = asObject(answer.object?.["modes"])?.["currentModeId"];
    this.#mode = stringOf(mode);
  }

  get mode(): string | undefined {
    return this.#mode;
  }

  setOptions(json: Json): void {
    const given = memberOf(json, "configOptions");
    const options = given && elementsOf(given);
    if (!options) return;
    this.#options = options;
    if (options.length > 0) this.#legacy = undefined;
  }

  setCommands(json: Json): void {
    const given = memberOf(json, "availableCommands");
    this.commands = (given && elementsOf(given)) ?? [];
  }

  /** Converts a config option to its legacy request. Undefined if the agent supports `session/set_config_option`. */
  legacyRequest(sessionId: string, configId: unknown, value: unknown): Request | RpcError | undefined {
    return this.#legacy?.request(sessionId, configId, value);
  }

  setLegacy(configId: unknown, value: unknown): boolean {
    return this.#legacy?.set(configId, value) ?? false;
  }
}

/** Legacy mode or model selector of an agent without config options. */
interface LegacySelect {
  readonly id: "mode" | "model";
  readonly name: string;
  readonly method: string;
  readonly parameter: string;
  readonly values: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
  current: string;
}

/**
 * Converts `modes` and `models` of an agent without config options to config options, because clients with config options ignore the legacy
 * ones. Setting an option becomes `session/set_mode` or `session/set_model`.
 */
class LegacyOptions {
  private constructor(private readonly selects: readonly LegacySelect[]) {}

  /** Reads legacy modes and models from the answer that opened a session. Returns undefined if the answer contains neither. */
  static of(opened: Json): LegacyOptions | undefined {
    const { modes, models } = opened.object ?? {};
    const selects = [
      readSelect(modes, { id: "mode", name: "Mode", method: "session/set_mode", parameter: "modeId" }, [
        "availableModes",
        "id",
        "currentModeId",
      ]),
      readSelect(models, { id: "model", name: "Model", method: "session/set_model", parameter: "modelId" }, [
        "availableModels",
        "modelId",
        "currentModelId",
      ]),
    ].filter((select) => select !== undefined);
    return selects.length === 0 ? undefined : new LegacyOptions(selects);
  }

  get options(): readonly Json[] {
    return this.selects.map(({ id, name, current, values }) =>
      Json.of({ id, name, category: id, type: "select", currentValue: current, options: values }),
    );
  }

  /** Returns the legacy request that sets `configId`; undefined if `configId` isn't a legacy option. */
  request(sessionId: string, configId: unknown, value: unknown): Request | RpcError | undefined {
    const select = this.#select(configId);
    if (!select) return undefined;
    if (select.values.some((offered) => offered.value === value)) {
      return Request.of(select.method, { sessionId, [select.parameter]: value });
    }
    const known = select.values.map((offered) => offered.value).join(", ");
    return RpcError.invalidParams(`"${select.id}" can't be ${JSON.stringify(value)}. Use one of: ${known}.`);
  }

  /** Stores an option's value that the agent accepted or changed by itself. Returns false if nothing changes. */
  set(configId: unknown, value: unknown): boolean {
    const select = this.#select(configId);
    if (!select || typeof value !== "string") return false;
    select.current = value;
    return true;
  }

  #select(configId: unknown): LegacySelect | undefined {
    return this.selects.find(({ id }) => id === configId);
  }
}

function readSelect(
  given: unknown,
  select: Pick<LegacySelect, "id" | "name" | "method" | "parameter">,
  [listKey, idKey, currentKey]: readonly [string, string, string],
): LegacySelect | undefined {
  const object = asObject(given);
  const { [listKey]: list, [currentKey]: current } = object ?? {};
  if (!Array.isArray(list) || typeof current !== "string") return undefined;
  const values = list.flatMap((item: unknown) => {
    const { [idKey]: value, name, description } = asObject(item) ?? {};
    if (typeof value !== "string") return [];
    const described = typeof description === "string" && { description };
    return [{ value, name: typeof name === "string" ? name : value, ...described }];
  });
  return values.length === 0 ? undefined : { ...select, values, current };
}
