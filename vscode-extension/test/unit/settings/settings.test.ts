import assert from "node:assert/strict";
import { exposureOf } from "../../../src/features/settings/model-tools-setting.js";
import { type ParsedSettings, parseSettings } from "../../../src/features/settings/settings-table.js";

function parse(values: Readonly<Record<string, unknown>>): ParsedSettings {
  return parseSettings((key) => values[key]);
}

describe("the settings", () => {
  it("have defaults without problems", () => {
    const { settings, problems } = parse({});
    assert.deepEqual(problems, []);
    assert.deepEqual(
      settings.extensions.map(({ id, isEnabled }) => [id, isEnabled]),
      [
        ["sparkle", true],
        ["ferris", true],
        ["cargo", true],
        ["ide-operations", true],
        ["tests", true],
        ["sources", true],
      ],
    );
    assert.equal(settings.requireModifierToSend, false);
  });

  it("keep the default and name the setting and the value when a type is wrong", () => {
    const { settings, problems } = parse({ requireModifierToSend: "yes", logLevel: "loud", traceDir: 3 });
    assert.equal(settings.requireModifierToSend, false);
    assert.deepEqual(problems, [
      {
        setting: "symposium.requireModifierToSend",
        message: 'symposium.requireModifierToSend must be true or false, got "yes".',
        hint: "The default, false, is used.",
      },
      {
        setting: "symposium.logLevel",
        message: 'symposium.logLevel must be one of "error", "info", "debug", got "loud".',
        hint: 'The default, "info", is used.',
      },
      {
        setting: "symposium.traceDir",
        message: "symposium.traceDir must be text, got 3.",
        hint: "It is ignored.",
      },
    ]);
  });

  it("hand MCP servers on as they are, and say which of them cannot be used", () => {
    const mcpServers = { files: { command: "files-mcp" }, broken: { args: [] } };
    const { settings, problems } = parse({ mcpServers });
    assert.deepEqual(
      [settings.mcpServers, problems.map(({ setting, message }) => [setting, message.slice(0, 50)])],
      [mcpServers, [["symposium.mcpServers", 'symposium.mcpServers: "mcpServers.broken" has no "']]],
    );
    assert.deepEqual(parse({ mcpServers: [] }).problems, [
      {
        setting: "symposium.mcpServers",
        message: "symposium.mcpServers must be an object of servers, got a list.",
        hint: "It is ignored.",
      },
    ]);
  });

  it("read agents from an object keyed by id, with a command line", () => {
    const { settings, problems } = parse({
      agents: { "Claude Code": { command: "npx", args: ["x"], env: { A: "b" }, bypassPermissions: true } },
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(settings.agents, [
      {
        id: "Claude Code",
        name: "Claude Code",
        spec: JSON.stringify({ name: "Claude Code", command: "npx", args: ["x"], env: [{ name: "A", value: "b" }] }),
        needsInstallation: false,
        bypassPermissions: true,
        source: "custom",
      },
    ]);
  });

  it("read agents from a list with distributions, as registries have them", () => {
    const entry = { id: "gemini", name: "Gemini", _source: "registry", distribution: { npx: { package: "g@1" } } };
    const { settings, problems } = parse({ agents: [entry] });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      settings.agents.map(({ id, name, source, spec }) => ({ id, name, source, spec: JSON.parse(spec) as unknown })),
      [
        {
          id: "gemini",
          name: "Gemini",
          source: "registry",
          spec: { id: "gemini", name: "Gemini", distribution: { npx: { package: "g@1" } } },
        },
      ],
    );
  });

  it("leave out an agent that cannot start, with the reason, and keep the others", () => {
    const { settings, problems } = parse({ agents: { good: { command: "a" }, bad: {}, worse: 7 } });
    assert.deepEqual(
      settings.agents.map(({ id }) => id),
      ["good"],
    );
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        'symposium.agents: "bad" has neither "command" nor "distribution".',
        'symposium.agents: "worse" must be an object with "command" or "distribution", got 7.',
      ],
    );
  });

  it("read extensions in their order, whether they say _enabled or enabled", () => {
    const distribution = { npx: { package: "@myorg/my-extension" } };
    const { settings, problems } = parse({
      extensions: [
        { id: "cargo", enabled: false },
        { id: "my-extension", _enabled: true, _source: "custom", name: "Mine", distribution },
      ],
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      settings.extensions.map(({ id, name, isEnabled, source, spec }) => ({ id, name, isEnabled, source, spec })),
      [
        { id: "cargo", name: "Cargo", isEnabled: false, source: "built-in", spec: "cargo" },
        {
          id: "my-extension",
          name: "Mine",
          isEnabled: true,
          source: "custom",
          spec: JSON.stringify({ id: "my-extension", name: "Mine", distribution }),
        },
      ],
    );
  });

  it("read which tools models work with, and leave out what is no exposure", () => {
    const { settings, problems } = parse({ languageModelExposure: { one: "raw", "two/fast": "agent", three: "all" } });
    assert.deepEqual(
      [...settings.languageModelExposure],
      [
        ["one", "raw"],
        ["two/fast", "agent"],
      ],
    );
    assert.deepEqual(problems, [
      {
        setting: "symposium.languageModelExposure",
        message: 'symposium.languageModelExposure: "three" must be "agent", "hybrid" or "raw", got "all".',
        hint: "It is ignored.",
      },
    ]);
  });

  it("hold an agent's exposure for all of its models, and a default for all others", () => {
    const exposures = new Map([
      ["one", "raw"],
      ["one/fast", "agent"],
      ["default", "agent"],
    ] as const);
    assert.deepEqual(
      [
        exposureOf(exposures, "one/fast", "one"),
        exposureOf(exposures, "one/slow", "one"),
        exposureOf(exposures, "two", "two"),
        exposureOf(new Map(), "constructor", "constructor"),
      ],
      ["agent", "raw", "agent", "hybrid"],
    );
  });
});
