import assert from "node:assert/strict";
import { parse as parseToml } from "smol-toml";
import { parseGuardFile } from "../../core/dist/src/guard/guard-rule.js";
import { defaultExtensions } from "../../core/dist/src/extensions/extension-names.js";
import { extensionDistribution, recommendedBy } from "../../core/dist/src/agents/recommendations/crate-metadata.js";
import { parseRecommendations } from "../../core/dist/src/agents/recommendations/recommendation.js";
import { parseConfig } from "../../core/dist/src/settings/config.js";
import { parsePolicyFile, policySchema } from "../../core/dist/src/settings/managed-policy/policy-file.js";
import { JsonDocument } from "../../core/dist/src/settings/json-document.js";
import { parseSettings } from "../../vscode-extension/dist-ts/src/features/settings/settings-table.js";
import { documents } from "./documents.mjs";

const samples = documents.flatMap((document) => document.samples);
const inLanguage = (name) => samples.filter(({ language }) => language === name);
const policyKeys = policySchema().properties;
const zedKeys = ["agent_servers", "context_servers", "language_models"];

describe("the samples of the documents", () => {
  it("are JSON and TOML where they say so", () => {
    assert.ok(inLanguage("json").length > 0 && inLanguage("toml").length > 0);
    const readers = { json: JSON.parse, toml: parseToml };
    const wrong = Object.entries(readers).flatMap(([language, read]) =>
      inLanguage(language).flatMap(({ place, content }) => failureOf(place, () => read(content))),
    );
    assert.deepEqual(wrong, []);
  });

  it("are recommendations that the product understands", () => {
    const [files, manifests] = [[], []];
    for (const { place, content } of inLanguage("toml")) {
      const { package: manifest, recommendation } = parseToml(content);
      if (recommendation !== undefined) files.push({ place, problems: parseRecommendations(content).problems });
      const symposium = manifest?.metadata?.symposium;
      if (symposium === undefined) continue;
      const { problems } = recommendedBy({ symposium });
      const crate = extensionDistribution({ name: "my-library", version: "1.0.0", symposium });
      manifests.push({ place, problems: [...problems, ...crate.problems] });
    }
    assert.ok(files.length > 0 && manifests.length > 1);
    assert.deepEqual(
      [...files, ...manifests].filter(({ problems }) => problems.length > 0),
      [],
    );
  });

  it("are JSON with comments where they say so, and mean something to whom they are for", () => {
    assert.ok(inLanguage("jsonc").length > 5);
    assert.deepEqual(
      inLanguage("jsonc").flatMap(({ place, content }) => problemsOf(content).map((problem) => `${place}: ${problem}`)),
      [],
    );
  });

  it("are refused where they have a mistake", () => {
    const wrong = [
      `{ "agent": 5 }`,
      `{ "agents": "x" }`,
      `{ "name": "nobody", "enabled": true }`,
      `"agent_servers": {`,
      `{ "symposium.acpAgentPath": 5 }`,
      `{ "symposium.agent": "x" }`,
      `{ "rules": [{ "effect": "forbid", "command": "rm" }] }`,
      `{ "allowedAgents": "codex" }`,
    ];
    assert.deepEqual(
      wrong.filter((sample) => problemsOf(sample).length === 0),
      [],
    );
  });
});

/** Returns the problems of a sample: Symposium's configuration or one entry of it, a policy, guard rules, or VS Code or Zed settings. */
function problemsOf(content) {
  // A part of a file is shown without the braces around it.
  const text = /^\s*"/.test(content) ? `{${content}}` : content;
  const { value, problems } = JsonDocument.parse(text);
  if (problems.length > 0) return problems.map(({ message }) => message);
  const keys = Object.keys(value);
  if (keys.every((key) => zedKeys.includes(key))) return [];
  if (keys.some((key) => Object.hasOwn(policyKeys, key) && !["$schema", "rules", "conversations"].includes(key)))
    return parsePolicyFile(text, "policy.jsonc").problems.map(({ message }) => message);
  if (["rules", "budgets", "agents"].some((key) => keys.includes(key)))
    return parseGuardFile(text, { file: "guard.jsonc", isOfProject: false }).problems;
  if (keys.every((key) => key.startsWith("symposium."))) return settingsProblems(value);
  const config = keys.includes("name") && keys.includes("enabled") ? `{"proxies": [${text}]}` : text;
  return parseConfig(config, defaultExtensions, { isInstalled: (name) => name === "ID" }).problems.map(
    ({ message }) => message,
  );
}

function settingsProblems(value) {
  const asked = new Set();
  const { problems } = parseSettings((key) => {
    asked.add(`symposium.${key}`);
    return value[`symposium.${key}`];
  });
  const unknown = Object.keys(value).filter((key) => !asked.has(key));
  return [...problems.map(({ message }) => message), ...unknown.map((key) => `There is no setting ${key}.`)];
}

function failureOf(place, read) {
  try {
    read();
    return [];
  } catch (error) {
    return [`${place}: ${error.message}`];
  }
}
