import { SymposiumError } from "../../base/symposium-error.js";
import { asObject } from "../../base/rpc/json.js";
import { settingAt, withoutSetting, withSetting, type SettingsPath } from "../../settings/settings-edit.js";
import { withoutAgentServers } from "./installed-agents.js";

interface ZedModel {
  readonly id: string;
  readonly name: string;
}

/** Zed derives the key's environment variable from the provider name: `SYMPOSIUM_API_KEY`. */
const providerPath: SettingsPath = ["language_models", "openai_compatible", "symposium"];
/** Agents count their own tokens, so Zed only needs values below every agent's limits. */
const maxTokens = 200_000;
const maxOutputTokens = 32_000;

/**
 * Adds a provider with `models` at `address` to the settings `text`. Models already listed keep the user's settings. Throws
 * `invalid-config` for invalid settings, and if another endpoint uses the provider name.
 */
export function withLanguageModels(text: string, address: string, models: readonly ZedModel[], file: string): string {
  const known = settingAt(text, providerPath, file);
  if (known === undefined) {
    return withSetting(text, providerPath, { api_url: address, available_models: models.map(toModel) }, file);
  }
  if (!isOurs(known)) {
    throw new SymposiumError(
      "invalid-config",
      `${file} already has a provider "symposium" with another address.`,
      "Nothing was changed. Rename that entry in language_models.openai_compatible.",
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

/** Removes Symposium's provider from the settings `text`. A provider of the same name with another endpoint stays. */
export function withoutLanguageModels(text: string, file: string): string {
  return isOurs(settingAt(text, providerPath, file)) ? withoutSetting(text, providerPath, file) : text;
}

function isOurs(provider: unknown): boolean {
  const address = asObject(provider)?.["api_url"];
  return typeof address === "string" && address.startsWith("http://127.0.0.1:");
}

/** Declares no tool support, since the agents bring their own tools. */
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

/** Removes everything that Symposium added to Zed's settings. Throws `invalid-config` for invalid settings. */
export function withoutSymposium(text: string, file: string): string {
  return withoutLanguageModels(withoutAgentServers(text, file), file);
}
