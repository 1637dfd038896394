import assert from "node:assert/strict";
import { parseConfig } from "../../src/settings/config.js";

describe("the hooks of config.jsonc", () => {
  it("are read without those that can't run, each of which is named", () => {
    const command = { type: "command", command: "x", timeout: 5 };
    const hooks = {
      PreToolUse: [{ matcher: "Bash", hooks: [command, { type: "http", url: "https://example.com" }] }],
      PostToolUse: [{ matcher: "(", hooks: [command] }, "x"],
      Stop: [{ hooks: [{ ...command, timeout: -1 }, { type: "command" }] }],
      PreCompact: [],
    };
    const { config, problems } = parseConfig(JSON.stringify({ hooks }), []);
    assert.deepEqual(config.hooks, { PreToolUse: [{ matcher: "Bash", hooks: [command] }], Stop: [{ hooks: [] }] });
    assert.deepEqual(
      problems.map(({ severity, path, message }) => [
        severity,
        path.slice(1).join("."),
        message.replace(/^"[^"]*" /, ""),
      ]),
      [
        ["warning", "PreToolUse.0.hooks.1", 'has the type "http"; only "command" hooks run here.'],
        ["warning", "PostToolUse.0.matcher", "isn't a valid pattern."],
        ["warning", "PostToolUse.1", 'must be an object, got "x".'],
        ["warning", "Stop.0.hooks.0.timeout", "must be a number of seconds above 0, got -1."],
        ["warning", "Stop.0.hooks.1.command", "is missing."],
        ["warning", "PreCompact", "is unknown and has no effect."],
      ],
    );
  });
});
