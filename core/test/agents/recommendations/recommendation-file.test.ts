import assert from "node:assert/strict";
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { parseRecommendations } from "../../../src/agents/recommendations/recommendation.js";
import { positionKey, tomlPositions } from "../../../src/agents/recommendations/toml-positions.js";

/** Line, column and message of each problem. */
function problemsIn(text: string): readonly string[] {
  return parseRecommendations(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

const remote = (kind: string): string =>
  `2:1 "recommendation[0].source.${kind}" names a server by its address, but an extension must be a program that can be started.`;
const good = `[[recommendation]]\nsource.crate = "good"\n`;

describe("parseRecommendations", () => {
  it("reads sources and conditions in both spellings", () => {
    const { recommendations, problems } = parseRecommendations(`
      [[recommendation]]
      source.crate = "tokio-helper"
      when-using-crate = "tokio"
      [[recommendation]]
      kind = "MCP"
      source.npx = { package = "@scope/tool@1.2.3", args = ["serve"] }
      when-using-crates = ["sqlx", "sea-orm"]
      [[recommendation]]
      source = { acp = "some-extension" }
      [recommendation.when]
      file-exists = "Cargo.toml"
      any = [{ using-crate = "a" }, { files-exist = ["b", "c/d"] }]
    `);
    assert.deepEqual(problems, []);
    assert.deepEqual(recommendations, [
      {
        kind: "proxy",
        source: {
          key: "crate:tokio-helper",
          id: "tokio-helper",
          written: { crate: "tokio-helper" },
          distribution: { cargo: { crate: "tokio-helper" } },
        },
        conditions: [{ kind: "crate", name: "tokio" }],
      },
      {
        kind: "mcp",
        source: {
          key: "npx:@scope/tool",
          id: "@scope/tool",
          written: { npx: "@scope/tool" },
          distribution: { npx: { package: "@scope/tool@1.2.3", args: ["serve"] } },
        },
        conditions: [
          {
            kind: "any",
            conditions: [
              { kind: "crate", name: "sqlx" },
              { kind: "crate", name: "sea-orm" },
            ],
          },
        ],
      },
      {
        kind: "proxy",
        source: { key: "acp:some-extension", id: "some-extension", written: { acp: "some-extension" } },
        conditions: [
          {
            kind: "all",
            conditions: [
              { kind: "file", path: "Cargo.toml" },
              {
                kind: "any",
                conditions: [
                  { kind: "crate", name: "a" },
                  {
                    kind: "all",
                    conditions: [
                      { kind: "file", path: "b" },
                      { kind: "file", path: "c/d" },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ]);
  });

  const sources = [
    ['url = "https://example.com/extension.json"', "url:https://example.com/extension.json"],
    ['cargo = "foo"', "crate:foo"],
    ['cargo = { crate = "foo", version = "1.2.3" }', "crate:foo"],
    ['registry = "foo"', "acp:foo"],
    ['builtin = "ferris"', "builtin:ferris"],
    ['pipx = "tool[all]==2.0"', "pipx:tool"],
    ['uvx = "tool@latest"', "uvx:tool"],
    ['local = "my-proxy"', 'executable:["my-proxy"]'],
    ['executable = { path = "/opt/my-proxy", args = ["--acp"] }', 'executable:["/opt/my-proxy","--acp"]'],
    ['binary = { linux-x86_64 = { archive = "https://e.com/a.zip", cmd = "x" } }', "binary:https://e.com/a.zip"],
  ] as const;
  for (const [written, key] of sources) {
    it(`reads source.${written}`, () => {
      const { recommendations, problems } = parseRecommendations(`[[recommendation]]\nsource.${written}\n`);
      assert.deepEqual(problems, []);
      assert.deepEqual(
        recommendations.map(({ source }) => source.key),
        [key],
      );
    });
  }

  const faults = [
    [`when.file-exist = "x"\n`, '3:1 "recommendation[1].when.file-exist" is not known.'],
    [
      `when-using-crat = "x"\n`,
      '3:1 "recommendation[1].when-using-crat" is unknown, so the recommendation was skipped.',
    ],
    [`when = {}\n`, '3:1 "recommendation[1].when" has no condition.'],
    [`when.any = []\n`, '3:1 "recommendation[1].when.any" must be a non-empty list, got a list.'],
    [
      `when.all = [\n  { using-crate = "a" },\n  { using-crates = ["b", 3] },\n]\n`,
      '5:26 "recommendation[1].when.all[1].using-crates[1]" must be the name of a crate, got 3.',
    ],
    [
      `when.file-exists = "../secret"\n`,
      '3:1 "recommendation[1].when.file-exists" must be the path of a file in the workspace, got "../secret".',
    ],
    [`kind = "agent"\n`, '3:1 "recommendation[1].kind" must be "proxy" or "mcp", got "agent".'],
  ] as const;
  for (const [text, problem] of faults) {
    it(`leaves out a recommendation with ${text.trim().replace(/\s+/g, " ")}, with its line, and keeps the others`, () => {
      const file = `[[recommendation]]\nsource.crate = "bad"\n${text}`;
      const parsed = parseRecommendations(`${good}${file}`);
      assert.deepEqual(
        parsed.recommendations.map(({ source }) => source.id),
        ["good"],
      );
      const [line = "", ...rest] = problem.split(":");
      assert.deepEqual(problemsIn(`${good}${file}`), [`${Number(line) + 2}:${rest.join(":")}`]);
    });
  }

  const badSources = [
    ["source = {}", '2:1 "recommendation[0].source" names no extension.'],
    ["kind = 'proxy'", '1:1 "recommendation[0].source" must be a table, got nothing.'],
    ['source.http.url = "https://x.example/mcp"', remote("http")],
    ['source.sse.url = "https://x.example/sse"', remote("sse")],
    ['source.crates = "x"', '2:1 "recommendation[0].source.crates" is not known.'],
    ['source.crate = "x"\nsource.acp = "y"', '2:1 "recommendation[0].source" names 2 extensions.'],
    ['source.crate = "../x"', '2:1 "recommendation[0].source.crate" must be the name of a crate, got "../x".'],
    [
      'source.url = "http://example.com/x"',
      '2:1 "recommendation[0].source.url" must be an https address, got "http://example.com/x".',
    ],
    ['source.npx = "--eval"', '2:1 "recommendation[0].source.npx" must be the name of a package, got "--eval".'],
  ] as const;
  for (const [text, problem] of badSources) {
    it(`refuses ${text.replace("\n", " ")}`, () => {
      const file = `[[recommendation]]\n${text}\n`;
      assert.deepEqual(parseRecommendations(file).recommendations, []);
      assert.deepEqual(problemsIn(file), [problem]);
    });
  }

  it("drops variables with the power to hijack, says so without their value, and keeps the recommendation", () => {
    const file = `[[recommendation]]\nsource.npx = { package = "x", env = { LD_PRELOAD = "secret", A = "b" } }\n`;
    const { recommendations, problems } = parseRecommendations(file);
    assert.deepEqual(recommendations[0]?.source.distribution, { npx: { package: "x", env: { A: "b" } } });
    assert.deepEqual(
      problems.map(({ severity, line }) => [severity, line]),
      [["warning", 2]],
    );
    assert.doesNotMatch(JSON.stringify([recommendations, problems]), /secret/);
  });

  it("says where a text stops being TOML", () => {
    const { recommendations, problems, isBroken } = parseRecommendations(`${good}source.crate = \n`);
    assert.deepEqual([recommendations, isBroken, problems.length, problems[0]?.line], [[], true, 1, 3]);
    assert.match(problems[0]?.message ?? "", /^This isn't valid TOML: [^\n]+\.$/);
  });

  it("takes an empty file, and one table in place of a list", () => {
    assert.deepEqual(parseRecommendations(""), { recommendations: [], problems: [], isBroken: false });
    assert.equal(parseRecommendations(`[recommendation]\nsource.crate = "x"`).recommendations.length, 1);
  });

  it("warns of an unknown table at the top", () => {
    assert.deepEqual(problemsIn(`${good}[[recomendation]]\n`), ['3:1 "recomendation" is unknown and has no effect.']);
  });

  it("refuses what is nested deeper than anything needs, instead of overflowing", () => {
    for (const text of [
      `[[recommendation]]\nsource.npx${".a".repeat(20_000)} = 1`,
      `x = ${"[".repeat(20_000)}${"]".repeat(20_000)}`,
    ]) {
      assert.equal(parseRecommendations(text).isBroken, true);
    }
  });

  it("never throws, whatever the text", () => {
    const words = fc.constantFrom(
      ..."[[recommendation]]|[recommendation.when]|source|when|.|=|\n|\n|[|]|{|}|,|\"|'|\"\"\"|'''|\\|#|crate|npx".split(
        "|",
      ),
      ...`when-using-crates|file-exists|any|all|"a"|'b'|1|-inf|2020-01-01|true|\u0000|\uFEFF|__proto__|env|binary`.split(
        "|",
      ),
    );
    const text = fc.oneof(
      fc.array(words, { maxLength: 40 }).map((parts) => parts.join(" ")),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (given) => {
        for (const { line, column } of parseRecommendations(given).problems) assert.ok(line >= 1 && column >= 1);
        // Positions end for any text, also one that is no TOML.
        tomlPositions(given);
      }),
      { numRuns: 3_000 },
    );
  });

  it("never throws, whatever the value in a recommendation", () => {
    const key = fc.constantFrom(
      "source",
      "when",
      "any",
      "all",
      "crate",
      "npx",
      "env",
      "kind",
      "using-crates",
      "binary",
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>("a", "", 1, true, 0.5),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(fc.dictionary(key, tree), { maxLength: 3 }), (recommendation) => {
        const text = stringify({ recommendation });
        const { recommendations, isBroken } = parseRecommendations(text);
        assert.ok(!isBroken && recommendations.length <= recommendation.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("tomlPositions", () => {
  it("knows the place of every key and item that the parser reads", () => {
    const key = fc.oneof(fc.constantFrom("a", "b-c", 'with "quotes"', "dotted.key", "é"), fc.string({ maxLength: 5 }));
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: "small" },
        fc.oneof(fc.string(), fc.integer(), fc.boolean()),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(key, tie("tree"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { maxKeys: 4 }), (value) => {
        const text = stringify(value);
        const positions = tomlPositions(text);
        for (const path of pathsOf(parse(text))) assert.ok(positions.has(positionKey(path)), JSON.stringify(path));
      }),
      { numRuns: 1_000 },
    );
  });

  it("passes over strings of every kind", () => {
    const text = `a = """\n[x]\n\\""" y = 1 """\nb = '''\n[z]'''\nc = ["]", '}', { d = "#" }] # [e]\nf = 1\n`;
    const keys = [...tomlPositions(text).keys()].map((key) => JSON.parse(key) as unknown);
    assert.deepEqual(keys, [["a"], ["b"], ["c"], ["c", 0], ["c", 1], ["c", 2], ["c", 2, "d"], ["f"]]);
    assert.equal(tomlPositions(text).get(positionKey(["f"])), text.indexOf("f = 1"));
  });
});

function pathsOf(value: unknown, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([name, one]) =>
    pathsOf(one, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return path.length === 0 ? below : [path, ...below];
}
