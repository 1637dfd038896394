import { SymposiumError } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import { settingAt, withoutSetting, withSetting, type SettingsPath } from "../../settings/settings-edit.js";
import { withoutAgentServers } from "./installed-agents.js";

/** A model of the OpenAI-compatible endpoint as Zed is told of it. */
interface ZedModel {
  /** Its id at the endpoint. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** Zed derives the variable of the key from it: `SYMPOSIUM_API_KEY`. */
const providerPath: SettingsPath = ["language_models", "openai_compatible", "symposium"];
/** Agents count their own tokens; Zed only needs figures that no agent falls below. */
const maxTokens = 200_000;
const maxOutputTokens = 32_000;

/**
 * The settings `text` with the endpoint at `address` as a provider of `models`. Models that are there already stay as
 * the user has them. Throws `invalid-config` where a provider of the same name leads elsewhere, and for a broken text.
 */
export function withLanguageModels(text: string, address: string, models: readonly ZedModel[], file: string): string {
  const known = settingAt(text, providerPath, file);
  if (known === undefined) {
    return withSetting(text, providerPath, { api_url: address, available_models: models.map(toModel) }, file);
  }
  if (!isOurs(known)) {
    throw new SymposiumError(
      "invalid-config",
      `${file} has a provider "symposium" that leads elsewhere.`,
      "Rename that entry of language_models.openai_compatible; nothing was changed.",
    );
  }
  const list = asObject(known)?.["available_models"];
  const old: readonly unknown[] = Array.isArray(list) ? list : [];
  const names = new Set(old.map((model) => asObject(model)?.["name"]));
  const added = models.filter(({ id }) => !names.has(id)).map(toModel);
  const withAddress = withSetting(text, [...providerPath, "api_url"], address, file);
  if (added.length === 0) return withAddress;
  return withSetting(withAddress, [...providerPath, "available_models"], [...old, ...added], file);
}

/** The settings `text` without that provider. One of the same name that leads elsewhere stays. */
export function withoutLanguageModels(text: string, file: string): string {
  return isOurs(settingAt(text, providerPath, file)) ? withoutSetting(text, providerPath, file) : text;
}

function isOurs(provider: unknown): boolean {
  const address = asObject(provider)?.["api_url"];
  return typeof address === "string" && address.startsWith("http://127.0.0.1:");
}

/** The agents bring their own tools, so that Zed is told to send none of its own. */
function toModel({ id, name }: ZedModel): unknown {
  return {
    name: id,
    display_name: name,
    max_tokens: maxTokens,
    max_output_tokens: maxOutputTokens,
    capabilities: {
      tools: false,
      images: true,
      parallel_tool_calls: false,
      prompt_cache_key: false,
      chat_completions: true,
    },
  };
}

/** Zed's settings without anything that this product has put there. Throws `invalid-config` for a broken text. */
export function withoutSymposium(text: string, file: string): string {
  return withoutLanguageModels(withoutAgentServers(text, file), file);
}
