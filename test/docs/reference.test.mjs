import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentOptionId } from "../../core/dist/src/conductor/choices/choice-options.js";
import { agentTable } from "../../core/dist/src/agents/registry/agent-table.js";
import { hookReach } from "../../core/dist/src/guard/hooks/hook-reach.js";
import { eliza } from "../../core/dist/src/agents/registry/built-in-agents.js";
import { configKeys } from "../../core/dist/src/settings/config.js";
import { settingsTable } from "../../core/dist/src/settings/settings-table.js";
import { platforms } from "../../scripts/release/platforms.mjs";
import { documents, root } from "./documents.mjs";

const read = (name) => readFileSync(join(root, "vscode-extension", name), "utf8");
const texts = JSON.parse(read("package.nls.json"));
const { contributes } = JSON.parse(read("package.json"), (_key, value) => texts[/^%(.+)%$/.exec(value)?.[1]] ?? value);
const documentAt = (file) => documents.find((document) => document.file === file);
const vscodePages = documents.filter(({ file }) => /^docs\/vscode(?:-[\w-]+)?\.md$/.test(file));
const commandPage = documentAt("docs/vscode-commands.md");
const configure = documentAt("docs/configure.md");

describe("the pages about VS Code", () => {
  it("have every setting, and no document has another", () => {
    const settings = Object.keys(contributes.configuration.properties);
    // Of VS Code's views, and of the session options that an editor shows.
    const others = [agentOptionId, "symposium.review", "symposium.chatView", "symposium.settings"];
    const said = documents.flatMap(({ spans }) => spans.flatMap((span) => span.match(/^symposium\.\w+$/g) ?? []));
    assert.deepEqual(
      {
        missing: settings.filter((name) => !vscodePages.some(({ spans }) => spans.includes(name))),
        unknown: said.filter((name) => !settings.includes(name) && !others.includes(name)),
      },
      { missing: [], unknown: [] },
    );
  });

  it("list every command by its title on one page, and no document has another", () => {
    const titles = new Set(contributes.commands.map(({ title }) => title));
    const said = documents.flatMap(({ text }) =>
      [...text.matchAll(/_Symposium:\s([^_]+)_/g)].map(([, title]) => title.replaceAll(/\s+/g, " ")),
    );
    assert.ok(said.length > 5);
    assert.deepEqual(
      {
        missing: [...titles].filter((title) => !commandPage.text.includes(`_${title}_`)),
        unknown: said.filter((title) => !titles.has(title)),
      },
      { missing: [], unknown: [] },
    );
  });

  it("have every key, as the extension's page does", () => {
    const keys = contributes.keybindings.flatMap(({ key, mac }) => (mac === undefined ? [key] : [key, mac]));
    const pages = [commandPage, documentAt("vscode-extension/README.md")].map(({ text }) => text.toLowerCase());
    assert.deepEqual(
      keys.filter((key) => !pages.every((text) => text.includes(key))),
      [],
    );
  });
});

describe("the page about the configuration", () => {
  it("has every key of config.jsonc", () => {
    const keys = [...configKeys, ...Object.keys(settingsTable)];
    assert.deepEqual(
      keys.filter((key) => !configure.spans.includes(key)),
      [],
    );
  });

  it("has the defaults that count", () => {
    const rows = configure.text.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const said = Object.fromEntries(rows.map(([, key = "", value = ""]) => [key.replaceAll("`", ""), value]));
    const numbers = Object.entries(settingsTable).filter(([, setting]) => typeof setting.default === "number");
    assert.deepEqual(
      Object.fromEntries(numbers.map(([key]) => [key, Number(said[key])])),
      Object.fromEntries(numbers.map(([key, setting]) => [key, setting.default])),
    );
  });
});

describe("the page about agents", () => {
  it("has every agent that Symposium knows by itself", () => {
    const ids = [...agentTable, eliza].map(({ id }) => id);
    assert.deepEqual(
      ids.filter((id) => !documentAt("docs/agents.md").spans.includes(id)),
      [],
    );
  });
});

describe("the page about hooks", () => {
  it("has how far PreToolUse hooks reach for each agent", () => {
    const rows = documentAt("docs/hooks.md")
      .text.split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()));
    const said = new Map(
      rows.map(([, agent = "", commands, edits]) => [agent.replaceAll("`", ""), { commands, edits }]),
    );
    const known = agentTable.filter(({ asksFirst }) => asksFirst);
    assert.deepEqual(
      known.map(({ id }) => [id, said.get(id)]),
      known.map((row) => [row.id, hookReach(row)]),
    );
  });
});

describe("the page about installing", () => {
  it("has every archive of a release", () => {
    const said = documentAt("docs/install.md").spans.filter((span) => /^symposium-.*\.(?:tar\.gz|zip)$/.test(span));
    assert.deepEqual(said.sort(), platforms.map(({ archive }) => archive).sort());
  });
});
