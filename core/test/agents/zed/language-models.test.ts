import assert from "node:assert/strict";
import { JsonDocument } from "../../../src/settings/json-document.js";
import { withLanguageModels, withoutLanguageModels } from "../../../src/agents/zed/language-models.js";

const file = "settings.json";
const eliza = { id: "eliza", name: "Symposium: Eliza" };
const claude = { id: "claude-code", name: "Symposium: Claude Code" };
const settings = `{\n  // Mine\n  "vim_mode": true,\n}\n`;

function entry({ id, name }: { id: string; name: string }): object {
  const capabilities = {
    tools: false,
    images: true,
    parallel_tool_calls: false,
    prompt_cache_key: false,
    chat_completions: true,
  };
  return { name: id, display_name: name, max_tokens: 200_000, max_output_tokens: 32_000, capabilities };
}

function address(port: number): string {
  return `http://127.0.0.1:${port}/v1`;
}

describe("language models in Zed's settings", () => {
  it("are a provider on loopback, beside all that was there", () => {
    const text = withLanguageModels(settings, address(1), [eliza], file);
    assert.match(text, /^\{\n {2}\/\/ Mine\n {2}"vim_mode": true,\n {2}"language_models": \{\n/);
    assert.deepEqual(JsonDocument.parse(text).value, {
      vim_mode: true,
      language_models: { openai_compatible: { symposium: { api_url: address(1), available_models: [entry(eliza)] } } },
    });
  });

  it("get another port and further models, and keep what the user has set for the old ones", () => {
    const first = withLanguageModels(settings, address(1), [eliza], file).replace('"tools": false', '"tools": true');
    const second = withLanguageModels(first, address(2), [eliza, claude], file);
    const own = entry(eliza);
    assert.deepEqual(JsonDocument.parse(second).value, {
      vim_mode: true,
      language_models: {
        openai_compatible: {
          symposium: {
            api_url: address(2),
            available_models: [
              {
                ...own,
                capabilities: {
                  ...("capabilities" in own && typeof own.capabilities === "object" && own.capabilities),
                  tools: true,
                },
              },
              entry(claude),
            ],
          },
        },
      },
    });
    assert.equal(withLanguageModels(second, address(2), [eliza, claude], file), second);
  });

  it("leave nothing when they are taken out", () => {
    assert.equal(withoutLanguageModels(withLanguageModels(settings, address(1), [eliza], file), file), settings);
  });

  it("leave a provider of the same name alone that leads elsewhere", () => {
    const text = `{ "language_models": { "openai_compatible": { "symposium": { "api_url": "https://a.example" } } } }`;
    assert.equal(withoutLanguageModels(text, file), text);
    assert.throws(
      () => withLanguageModels(text, address(1), [eliza], file),
      /already has a provider "symposium" with another address/,
    );
  });
});
