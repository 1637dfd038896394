import assert from "node:assert/strict";
import { commandOf } from "../../src/settings/distribution-command.js";

describe("commandOf", () => {
  const args = ["--acp"];
  const env = { A: "1" };

  for (const [given, command] of [
    [{ executable: { command: "/bin/a", args, env } }, { command: "/bin/a", args, env }],
    [{ npx: { package: "@a/b@1", args, env } }, { command: "npx", args: ["-y", "@a/b@1", "--acp"], env }],
    [
      { npx: { package: "@a/b", cmd: "c", args } },
      { command: "npx", args: ["-y", "--package", "@a/b", "c", "--acp"], env: {} },
    ],
    [{ pipx: { package: "b", args } }, { command: "pipx", args: ["run", "b", "--acp"], env: {} }],
    [{ uvx: { package: "b", env } }, { command: "uvx", args: ["b"], env }],
    [{ uvx: { package: "b", cmd: "c", args } }, { command: "uvx", args: ["--from", "b", "c", "--acp"], env: {} }],
  ] as const) {
    it(`starts ${JSON.stringify(given)} with ${command.command}`, () => {
      assert.deepEqual(commandOf(given), { kind: "command", command });
    });
  }

  it("leaves a subcommand of the product to the caller", () => {
    assert.deepEqual(commandOf({ symposium: { subcommand: "eliza" } }), {
      kind: "symposium",
      subcommand: "eliza",
      args: [],
    });
  });

  it("prefers what needs no installation", () => {
    const start = commandOf({ cargo: { crate: "a" }, binary: {}, npx: { package: "b" }, executable: { command: "c" } });
    assert.deepEqual(start, { kind: "command", command: { command: "c", args: [], env: {} } });
    assert.equal(commandOf({ cargo: { crate: "a" }, uvx: { package: "b" } }).kind, "command");
  });

  it("says what to write instead of a crate", () => {
    assert.deepEqual(commandOf({ cargo: { crate: "a", version: "1.0.0", binary: "b" } }), {
      kind: "problem",
      message: `The crate "a@1.0.0" must be installed first; adding it to the configuration doesn't install it.`,
      hint: 'Run `symposium-acp-agent registry install` with it (and --extension, for a proxy) and use its id, or `cargo install a@1.0.0` and "executable": { "path": "b" }.',
    });
  });

  it("says what to write instead of an archive", () => {
    const start = commandOf({ binary: { "linux-x86_64": { archive: "https://example.org/a.tgz", cmd: "a" } } });
    assert.equal(start.kind === "problem" && start.hint?.includes("registry install"), true);
  });
});
