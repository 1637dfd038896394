import { asObject } from "../rpc/json.js";
import { setModelKey } from "./chat-session.js";

/** A model that an agent lets its users choose. */
export interface ModelChoice {
  /** The config option by which it is chosen, or {@link setModelKey}. */
  readonly configId: string;
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

type Members = Readonly<Record<string, unknown>>;

/** The models in the result of a request that opened a session: those of its config options, else of the older member. */
export function modelChoices(result: Members): readonly ModelChoice[] {
  const configOptions = objects(result["configOptions"]).filter(({ category }) => category === "model");
  const chosen = configOptions.flatMap(({ id, options }) =>
    typeof id === "string" ? flattened(options).flatMap((option) => choiceOf(id, option, "value")) : [],
  );
  if (chosen.length > 0) return chosen;
  const models = objects(asObject(result["models"])?.["availableModels"]);
  return models.flatMap((model) => choiceOf(setModelKey, model, "modelId"));
}

function choiceOf(configId: string, option: Members, key: string): readonly ModelChoice[] {
  const { [key]: value, name, description } = option;
  if (typeof value !== "string" || value === "") return [];
  return [
    {
      configId,
      value,
      name: typeof name === "string" ? name : value,
      ...(typeof description === "string" && { description }),
    },
  ];
}

/** Options stand alone, or in groups. */
function flattened(options: unknown): readonly Members[] {
  return objects(options).flatMap((option) =>
    Array.isArray(option["options"]) ? objects(option["options"]) : [option],
  );
}

function objects(value: unknown): readonly Members[] {
  return (Array.isArray(value) ? value : []).map(asObject).filter((object) => object !== undefined);
}
