import assert from "node:assert/strict";
import { extensionDistribution, recommendedBy } from "../../../src/agents/recommendations/crate-metadata.js";
import { keyOf } from "../../../src/base/problem.js";

describe("recommendedBy", () => {
  it("reads the shorthand and tables, mixed", () => {
    const symposium = { recommended: ["foo", { source: { acp: "bar" } }, { source: { url: "https://e.com/x.json" } }] };
    const { recommendations, problems } = recommendedBy({ symposium });
    assert.deepEqual(problems, []);
    assert.deepEqual(
      recommendations.map(({ source }) => source.key),
      ["crate:foo", "acp:bar", "url:https://e.com/x.json"],
    );
  });

  const faults: readonly (readonly [unknown, string])[] = [
    ["text", "package.metadata.symposium"],
    [{ recomended: [] }, "package.metadata.symposium.recomended"],
    [{ recommended: "foo" }, "package.metadata.symposium.recommended"],
    [{ recommended: ["a b"] }, "package.metadata.symposium.recommended[0]"],
    [{ recommended: ["a", { source: { crat: "b" } }] }, "package.metadata.symposium.recommended[1].source.crat"],
  ];
  for (const [symposium, path] of faults) {
    it(`reports ${path} in ${JSON.stringify(symposium)}`, () => {
      assert.deepEqual(
        recommendedBy({ symposium }).problems.map((problem) => keyOf(problem.path)),
        [path],
      );
    });
  }
});

describe("extensionDistribution", () => {
  it("starts the crate's program with its arguments and variables, in this version", () => {
    const symposium = { binary: "b", args: ["--mcp"], env: { KEY: "v" }, recommended: ["other"] };
    assert.deepEqual(extensionDistribution({ name: "x", version: "1.0.0", symposium }), {
      distribution: { cargo: { crate: "x", version: "1.0.0", binary: "b", args: ["--mcp"], env: { KEY: "v" } } },
      problems: [],
    });
  });

  it("does not let a crate set variables that could hijack a program", () => {
    const { distribution, problems } = extensionDistribution({
      name: "x",
      version: "1.0.0",
      symposium: { env: { NODE_OPTIONS: "--require evil" } },
    });
    assert.deepEqual(distribution, { cargo: { crate: "x", version: "1.0.0", env: {} } });
    assert.equal(problems.length, 1);
  });

  it("is undefined, with a problem, when the metadata cannot be used", () => {
    const { distribution, problems } = extensionDistribution({ name: "x", version: "1.0.0", symposium: { args: "a" } });
    assert.deepEqual([distribution, problems.length], [undefined, 1]);
  });
});
