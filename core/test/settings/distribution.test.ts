import assert from "node:assert/strict";
import fc from "fast-check";
import { agentDefinition } from "../../src/settings/agent-definition.js";
import { distribution } from "../../src/settings/distribution.js";
import { keyOf, Place } from "../../src/base/problem.js";
import type { Problem } from "../../src/base/problem.js";
import type { Shape } from "../../src/settings/shape.js";

function readAs<T>(shape: Shape<T>, value: unknown) {
  const problems: Problem[] = [];
  const read = shape.read(value, new Place(problems));
  return { read, problems: problems.map(({ severity, path, message }) => [severity, keyOf(path), message]) };
}

describe("distribution", () => {
  it("reads every kind with all of its members", () => {
    const start = { args: ["--acp", ""], env: { A: "1" } };
    const given = {
      executable: { command: "agent", ...start },
      symposium: { subcommand: "eliza", args: ["--deterministic"] },
      npx: { package: "@a/b", cmd: "b", ...start },
      pipx: { package: "b", cmd: "c", ...start },
      uvx: { package: "b", cmd: "c", ...start },
      cargo: { crate: "b", version: "1.0.0", binary: "c", ...start },
      binary: { "linux-x86_64": { archive: "https://example.org/a.tgz", cmd: "./a", sha256: "00", ...start } },
    };
    assert.deepEqual(readAs(distribution, given), { read: given, problems: [] });
  });

  it("takes `local` and `path` for other spellings of `executable` and `command`", () => {
    const expected = { read: { executable: { command: "/bin/agent" } }, problems: [] };
    for (const kind of ["local", "executable"]) {
      for (const member of ["path", "command"]) {
        assert.deepEqual(readAs(distribution, { [kind]: { [member]: "/bin/agent" } }), expected);
      }
    }
  });

  it("keeps what it knows and warns of what it does not", () => {
    assert.deepEqual(readAs(distribution, { npx: { package: "a", arg: [], _note: 1 }, brew: {} }), {
      read: { npx: { package: "a" } },
      problems: [
        ["warning", "brew", '"brew" is unknown and has no effect.'],
        ["warning", "npx.arg", '"npx.arg" is unknown and has no effect.'],
      ],
    });
  });

  for (const [given, key, message] of [
    [5, "", "The value must be an object, got 5."],
    [{}, "", "The value doesn't say how to start it."],
    [{ npx: {} }, "npx.package", '"npx.package" is missing.'],
    [{ npx: { package: "" } }, "npx.package", '"npx.package" must be non-empty text, got "".'],
    [{ npx: { package: "a", args: "b" } }, "npx.args", '"npx.args" must be a list, got "b".'],
    [{ npx: { package: "a", args: ["b", 1] } }, "npx.args[1]", '"npx.args[1]" must be text, got 1.'],
    [{ npx: { package: "a", env: { KEY: 12345 } } }, "npx.env.KEY", '"npx.env.KEY" must be text.'],
    [{ local: {} }, "local", '"local" needs "command" (or "path"), the program to start.'],
    [{ local: { path: "a", command: "b" } }, "local", '"local" has both "command" and "path".'],
    [{ binary: { linux: { archive: "a" } } }, "binary.linux.cmd", '"binary.linux.cmd" is missing.'],
  ] as const) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      assert.deepEqual(readAs(distribution, given), { read: null, problems: [["error", key, message]] });
    });
  }

  it("never throws, and says why whenever it refuses", () => {
    const kind = fc.constantFrom("local", "npx", "binary", "cargo", "symposium", "__proto__");
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(kind, fc.jsonValue())), (value) => {
        const { read, problems } = readAs(distribution, value);
        return read !== null || problems.some(([severity]) => severity === "error");
      }),
    );
  }).timeout(20_000);
});

describe("agentDefinition", () => {
  it("accepts a registry entry with members of its own, and names it by its id", () => {
    const entry = {
      id: "gemini",
      version: "0.22.3",
      icon: "x.svg",
      authors: ["G"],
      distribution: { npx: { package: "g" } },
    };
    assert.deepEqual(readAs(agentDefinition, entry), {
      read: { id: "gemini", name: "gemini", version: "0.22.3", distribution: { npx: { package: "g" } } },
      problems: [],
    });
  });
});
