import { asObject } from "../rpc/json.js";
import { settingAt, withoutSetting, withSetting, type SettingsPath } from "./settings-edit.js";

/** A model of the OpenAI-compatible endpoint as Zed is told of it. */
export interface OfferedModel {
  /** Its id at the endpoint. */
  readonly name: string;
  /** For people. */
  readonly displayName: string;
}

/** Zed derives the variable of the key from it: `SYMPOSIUM_API_KEY`. */
const providerPath: SettingsPath = ["language_models", "openai_compatible", "symposium"];
/** Agents count their own tokens; Zed only needs figures that no agent falls below. */
const maxTokens = 200_000;
const maxOutputTokens = 32_000;

/**
 * The settings `text` with the endpoint on `port` as a provider of `models`. The agents bring their own tools, so that
 * Zed is told to send none of its own.
 */
export function withLanguageModels(text: string, port: number, models: readonly OfferedModel[], file: string): string {
  const provider = {
    api_url: `http://127.0.0.1:${port}/v1`,
    available_models: models.map(({ name, displayName }) => ({
      name,
      display_name: displayName,
      max_tokens: maxTokens,
      max_output_tokens: maxOutputTokens,
      capabilities: {
        tools: false,
        images: true,
        parallel_tool_calls: false,
        prompt_cache_key: false,
        chat_completions: true,
      },
    })),
  };
  return withSetting(text, providerPath, provider, file);
}

/** The settings `text` without that provider. One of the same name that leads elsewhere stays. */
export function withoutLanguageModels(text: string, file: string): string {
  const address = asObject(settingAt(text, providerPath, file))?.["api_url"];
  const isLoopback = typeof address === "string" && address.startsWith("http://127.0.0.1:");
  return isLoopback ? withoutSetting(text, providerPath, file) : text;
}
