import * as l10n from "@vscode/l10n";
import { acpMethods, asObject, type Members, objectsOf, stringOf } from "@symposium-dev/core";
import type { ConfigOption } from "../../protocol/index.js";

interface OptionRequest {
  readonly method: string;
  readonly params: Members;
}

interface OptionClient {
  call(method: string, params: object): Promise<Members>;
}

const modePicker = "symposium:mode";
export const modelPicker = "symposium:model";

export class SessionOptions {
  #options: readonly Members[] = [];
  #modes: Choices | undefined;
  #models: Choices | undefined;

  /** Reads the options from the response to opening a session or changing an option. Missing members keep their values. */
  read(result: unknown): void {
    const { configOptions, modes, models } = asObject(result) ?? {};
    if (Array.isArray(configOptions)) this.#options = objectsOf(configOptions);
    const modeState = asObject(modes);
    if (modeState) this.#modes = choicesOf(modeState["availableModes"], "id", modeState["currentModeId"]);
    const modelState = asObject(models);
    if (modelState) this.#models = choicesOf(modelState["availableModels"], "modelId", modelState["currentModelId"]);
  }

  setMode(modeId: string): void {
    if (this.#modes) this.#modes = { ...this.#modes, value: modeId };
    this.#options = this.#options.map((option) =>
      option["category"] === "mode" ? { ...option, currentValue: modeId } : option,
    );
  }

  get view(): ConfigOption[] {
    const options = this.#options.flatMap((option) => toConfigOption(option) ?? []);
    const has = (category: string): boolean => options.some((option) => option.category === category);
    return [
      ...(this.#modes && !has("mode") ? [pickerOf(modePicker, l10n.t("Mode"), "mode", this.#modes)] : []),
      ...(this.#models && !has("model") ? [pickerOf(modelPicker, l10n.t("Model"), "model", this.#models)] : []),
      ...options,
    ];
  }

  /** Changes a session option. Rejects if the agent no longer offers the option or refuses the change. */
  async change(client: OptionClient, sessionId: string, optionId: string, value: string | boolean): Promise<void> {
    const request = this.request(optionId, value);
    if (!request) throw new Error(l10n.t("The agent no longer offers it."));
    this.#confirm(optionId, value, await client.call(request.method, { sessionId, ...request.params }));
  }

  /** Returns the request that sets an option to `value`, or undefined if there is no such option. */
  request(optionId: string, value: string | boolean): OptionRequest | undefined {
    if (optionId === modePicker) return { method: acpMethods.setMode, params: { modeId: value } };
    if (optionId === modelPicker) return { method: acpMethods.setModel, params: { modelId: value } };
    const option = this.#options.find((one) => one["id"] === optionId);
    if (!option) return undefined;
    const type = option["type"] === "boolean" ? { type: "boolean" } : {};
    return { method: acpMethods.setConfigOption, params: { configId: optionId, ...type, value } };
  }

  /**
   * Records a change that the agent accepted. A response with the full option list replaces the list, since one option can change others.
   */
  #confirm(optionId: string, value: string | boolean, result: unknown): void {
    if (optionId === modePicker && this.#modes) this.#modes = { ...this.#modes, value: String(value) };
    else if (optionId === modelPicker && this.#models) this.#models = { ...this.#models, value: String(value) };
    else this.#options = this.#options.map((one) => (one["id"] === optionId ? { ...one, currentValue: value } : one));
    this.read(result);
  }
}

interface Choices {
  readonly value: string;
  readonly choices: NonNullable<ConfigOption["choices"]>;
}

function pickerOf(id: string, name: string, category: string, { value, choices }: Choices): ConfigOption {
  return { id, name, category, value, choices };
}

function choicesOf(list: unknown, idKey: string, current: unknown): Choices {
  const choices = objectsOf(list).flatMap((one) => choiceOf(one, idKey) ?? []);
  return { value: stringOf(current) ?? choices[0]?.value ?? "", choices };
}

function choiceOf(one: Members, idKey: string, group?: string): Choices["choices"][number] | undefined {
  const value = stringOf(one[idKey]);
  if (value === undefined) return undefined;
  const description = stringOf(one["description"]);
  return {
    value,
    name: stringOf(one["name"]) ?? value,
    ...(description === undefined ? {} : { description }),
    ...(group === undefined ? {} : { group }),
  };
}

function toConfigOption(option: Members): ConfigOption | undefined {
  const [id, value] = [stringOf(option["id"]), option["currentValue"]];
  if (id === undefined) return undefined;
  const [description, category] = [stringOf(option["description"]), stringOf(option["category"])];
  const common = {
    id,
    name: stringOf(option["name"]) ?? id,
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
  };
  if (typeof value === "boolean") return { ...common, value };
  if (typeof value !== "string") return undefined;
  const choices = objectsOf(option["options"]).flatMap((one) => {
    // Only groups have nested options.
    const members = objectsOf(one["options"]);
    const group = stringOf(one["name"]) ?? stringOf(one["group"]);
    return members.length === 0
      ? (choiceOf(one, "value") ?? [])
      : members.flatMap((each) => choiceOf(each, "value", group) ?? []);
  });
  return { ...common, value, choices };
}
