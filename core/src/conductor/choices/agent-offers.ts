import { elementsOf, memberOf } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";

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
    this.#mode = stringOf(mode);
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

/** One of the two selects that agents had before there were config options. */
interface LegacySelect {
  readonly id: "mode" | "model";
  readonly name: string;
  readonly method: string;
  /** The parameter of `method` that takes the value. */
  readonly parameter: string;
  readonly values: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
  current: string;
}

/**
 * The `modes` and `models` of a session whose agent has no config options, as config options: clients that know config
 * options ignore the older ones once there are any. Setting one becomes `session/set_mode` or `session/set_model`.
 */
class LegacyOptions {
  private constructor(private readonly selects: readonly LegacySelect[]) {}

  /** Of the answer that opened a session; undefined where it has neither. */
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

  /** The older request that sets `configId`; undefined for options that are none of these. */
  request(sessionId: string, configId: unknown, value: unknown): Request | RpcError | undefined {
    const select = this.#select(configId);
    if (!select) return undefined;
    if (select.values.some((offered) => offered.value === value)) {
      return Request.of(select.method, { sessionId, [select.parameter]: value });
    }
    const known = select.values.map((offered) => offered.value).join(", ");
    return RpcError.invalidParams(`"${select.id}" cannot be ${JSON.stringify(value)}. It is one of: ${known}.`);
  }

  /** The agent has accepted a value, or changed it by itself. False where there is nothing to change. */
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
