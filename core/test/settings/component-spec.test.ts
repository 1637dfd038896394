import assert from "node:assert/strict";
import fc from "fast-check";
import { parseComponentSpec } from "../../src/settings/component-spec.js";

describe("parseComponentSpec", () => {
  it("takes a single word for a name", () => {
    assert.deepEqual(parseComponentSpec(" ferris "), { kind: "name", name: "ferris" });
  });

  it("takes a path, a quoted word and several words for a command", () => {
    const kinds = ["./ferris", "'ferris'", "ferris --x", "A=1 ferris"].map((text) => parseComponentSpec(text).kind);
    assert.deepEqual(kinds, ["command", "command", "command", "command"]);
  });

  it("names a command after its program", () => {
    assert.deepEqual(parseComponentSpec("KEY=1 npx -y @a/agent"), {
      kind: "command",
      name: "agent",
      command: { command: "npx", args: ["-y", "@a/agent"], env: { KEY: "1" } },
    });
  });

  for (const env of [[{ name: "A", value: "" }], { A: "" }]) {
    it(`reads an ACP McpServer with env ${Array.isArray(env) ? "as a list" : "as an object"}`, () => {
      const text = JSON.stringify({ type: "stdio", name: "Agent Name", command: "/bin/agent", args: ["--flag"], env });
      assert.deepEqual(parseComponentSpec(text), {
        kind: "command",
        name: "Agent Name",
        command: { command: "/bin/agent", args: ["--flag"], env: { A: "" } },
      });
    });
  }

  it("reads an agent definition", () => {
    assert.deepEqual(parseComponentSpec(`{"id": "g", "name": "Gemini", "distribution": {"npx": {"package": "g"}}}`), {
      kind: "command",
      name: "Gemini",
      command: { command: "npx", args: ["-y", "g"], env: {} },
    });
  });

  it("reads the options of a proxy, also of one that its id is enough for", () => {
    const distribution = { executable: { command: "p" } };
    const options = { depth: 1 };
    const warnings: string[] = [];
    assert.deepEqual(
      [{ id: "p", distribution, options }, { id: "cargo", options }, { id: "cargo" }, { id: "cargo", options: 5 }].map(
        (given) => parseComponentSpec(JSON.stringify(given), (text) => warnings.push(text)),
      ),
      [
        { kind: "command", name: "p", command: { command: "p", args: [], env: {} }, options },
        { kind: "name", name: "cargo", options },
        { kind: "name", name: "cargo" },
        { kind: "name", name: "cargo" },
      ],
    );
    assert.deepEqual(warnings, [`In the component's JSON, line 1, column 15: "options" must be an object, got 5.`]);
    assert.equal(parseComponentSpec(`{"id": "a b"}`).kind, "problem");
  });

  it("leaves a subcommand of the product to the caller", () => {
    assert.deepEqual(parseComponentSpec(`{"id": "eliza", "distribution": {"symposium": {"subcommand": "eliza"}}}`), {
      kind: "symposium",
      name: "eliza",
      subcommand: "eliza",
      args: [],
    });
  });

  for (const [text, message] of [
    [`{"command": "a",, }`, "In the component's JSON, line 1, column 17: Expected a key in double quotes."],
    [
      `{\n  "command": "C:\\Users"`,
      "In the component's JSON, line 2, column 14: This backslash doesn't start a valid escape.",
    ],
    [
      `{"name": "a"}`,
      "In the component's JSON, line 1, column 1: The value doesn't say how to start or install a program.",
    ],
    [`{"command": 5}`, `In the component's JSON, line 1, column 2: "command" must be non-empty text, got 5.`],
    [`{"type": "http", "url": "x"}`, `In the component's JSON, line 1, column 2: "type" must be "stdio", got "http".`],
    [
      `{"id": "a", "distribution": {"npx": {}}}`,
      `In the component's JSON, line 1, column 30: "distribution.npx.package" is missing.`,
    ],
    [
      `{"command": "a", "env": [{"name": "A"}]}`,
      `In the component's JSON, line 1, column 26: "env[0].value" is missing.`,
    ],
    ["'a", "Unfinished single quote at character 1 of the command: 'a"],
  ] as const) {
    it(`refuses ${text} and says where`, () => {
      const read = parseComponentSpec(text);
      assert.equal(read.kind === "problem" && read.message, message);
    });
  }

  it("says what to do instead of a distribution that needs an installation", () => {
    const read = parseComponentSpec(`{"id": "a", "distribution": {"cargo": {"crate": "a"}}}`);
    assert.equal(read.kind === "problem" && read.hint?.includes("`cargo install a`"), true);
  });

  it("passes warnings on, and reads the component all the same", () => {
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    assert.equal(parseComponentSpec(`{"command": "a", "cwd": "/"}`, onWarning).kind, "command");
    assert.equal(parseComponentSpec(String.raw`C:\agent acp`, onWarning).kind, "command");
    assert.deepEqual(warnings, [
      `In the component's JSON, line 1, column 18: "cwd" is unknown and has no effect.`,
      String.raw`The backslash at character 3 of the command is dropped (C:\agent acp). Put paths with backslashes in single quotes.`,
    ]);
  });

  it("never throws", () => {
    const json = fc
      .tuple(fc.json(), fc.nat(), fc.string())
      .map(([text, at, noise]) => text.slice(0, at) + noise + text.slice(at));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json,
          fc.string().map((text) => `{${text}`),
        ),
        (text) => {
          const read = parseComponentSpec(text);
          return read.kind !== "problem" || read.message !== "The component cannot be read.";
        },
      ),
      { numRuns: 500 },
    );
  }).timeout(20_000);
});
