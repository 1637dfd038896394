import assert from "node:assert/strict";
import {
  parseNpmPackage,
  parsePythonPackage,
  pickNpmProgram,
  pickNpmRelease,
  readCrateRecord,
  runsOnNode,
} from "../../../src/agents/registry/package-request.js";

describe("parseNpmPackage", () => {
  it("tells the name from what is wanted", () => {
    assert.deepEqual(["a", "a@1.2.3", "@s/a", "@s/a@^1", "a@next", "a@>=1 <3"].map(parseNpmPackage), [
      { name: "a" },
      { name: "a", wanted: "1.2.3" },
      { name: "@s/a" },
      { name: "@s/a", wanted: "^1" },
      { name: "a", wanted: "next" },
      { name: "a", wanted: ">=1 <3" },
    ]);
  });

  for (const text of [
    "",
    "-g",
    "--prefix=/",
    "./a",
    "../a",
    "a@file:../b",
    "a@https://x/y.tgz",
    "user/repo",
    "a@npm:b@1",
    "a b",
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal("kind" in parseNpmPackage(text), true));
  }
});

describe("pickNpmRelease", () => {
  const release = (version: string, node?: string): object => ({
    version,
    "dist-tags": { latest: "2.0.0" },
    ...(node !== undefined && { engines: { node } }),
  });

  it("takes what the publisher calls the latest where it fits, else the highest", () => {
    assert.deepEqual(pickNpmRelease([release("1.0.0"), release("2.0.0", ">=22"), release("3.0.0-beta.1")]), {
      version: "2.0.0",
      node: ">=22",
    });
    assert.equal(pickNpmRelease([release("1.9.0"), release("1.10.0")])?.version, "1.10.0");
    assert.equal(pickNpmRelease(release("1.0.0"))?.version, "1.0.0");
    assert.equal(pickNpmRelease([release("3.0.0-beta.1")])?.version, "3.0.0-beta.1");
    assert.equal(pickNpmRelease(undefined), undefined);
  });
});

describe("runsOnNode", () => {
  it("takes a package's word, and none for any", () => {
    assert.deepEqual(
      [">=22", "^20.19.0 || >=22.12", undefined, "whatever"].map((range) => runsOnNode(range, "20.19.0")),
      [false, true, true, true],
    );
  });
});

describe("pickNpmProgram", () => {
  it("chooses as npx does, or what is asked for", () => {
    assert.equal(pickNpmProgram({ bin: "x.js" }, "@s/a", undefined), "x.js");
    assert.equal(pickNpmProgram({ bin: { a: "a.js", b: "b.js" } }, "@s/a", undefined), "a.js");
    assert.equal(pickNpmProgram({ bin: { a: "a.js", b: "b.js" } }, "@s/a", "b"), "b.js");
    assert.equal(pickNpmProgram({ bin: { c: "c.js", d: "c.js" } }, "a", undefined), "c.js");
  });

  it("says which there are when it cannot choose", () => {
    assert.deepEqual(pickNpmProgram({ bin: { b: "b.js", c: "c.js" } }, "a", undefined), {
      kind: "problem",
      message: 'The package "a" contains several programs.',
      hint: 'Name one of them: "b", "c".',
    });
    assert.deepEqual(pickNpmProgram({ bin: { b: "b.js" } }, "a", "x"), {
      kind: "problem",
      message: 'The package "a" contains no program "x".',
      hint: 'It contains "b".',
    });
    assert.equal("kind" in Object(pickNpmProgram({}, "a", undefined)), true);
  });
});

describe("parsePythonPackage", () => {
  it("reads requirements, and versions as uvx writes them", () => {
    const read = (text: string): unknown => {
      const request = parsePythonPackage(text);
      return "kind" in request ? request.kind : [request.packageName, request.specifier, request.isFloating];
    };
    assert.deepEqual(["a", "a[x,y]==1.2", "a@1.2", "a@latest", "a>=1,<2", "fast-agent.mcp"].map(read), [
      ["a", "", true],
      ["a[x,y]", "==1.2", false],
      ["a", "==1.2", false],
      ["a", "", true],
      ["a", ">=1,<2", false],
      ["fast-agent.mcp", "", true],
    ]);
    assert.deepEqual(
      ["-e .", "--index-url=x", "./a", "a @ https://x/a.whl", "git+https://x", "a; python_version<'3'"].map(read),
      ["problem", "problem", "problem", "problem", "problem", "problem"],
    );
  });
});

describe("readCrateRecord", () => {
  it("reads both files of cargo", () => {
    const key = "tool 1.2.3 (registry+https://example.com/index)";
    const expected = { version: "1.2.3", programs: ["tool", "tool-extra"] };
    const json = JSON.stringify({
      installs: { "other 1.0.0 (x)": { bins: ["o"] }, [key]: { bins: expected.programs } },
    });
    assert.deepEqual(readCrateRecord(json, "tool"), expected);
    assert.deepEqual(readCrateRecord(`[v1]\n"${key}" = ["tool", "tool-extra"]\n`, "tool"), expected);
    assert.equal(readCrateRecord(json, "none"), undefined);
    assert.equal(readCrateRecord("{", "tool"), undefined);
  });
});
