import assert from "node:assert/strict";
import { filesOf } from "../../../src/agents/recommendations/condition.js";
import { type OfferOptions, offeredExtensions } from "../../../src/agents/recommendations/offered-extensions.js";
import { parseRecommendations } from "../../../src/agents/recommendations/recommendation.js";
import { UsedCrates } from "../../../src/agents/recommendations/used-crates.js";
import { UsedPackages } from "../../../src/agents/recommendations/used-packages.js";

const crates = new UsedCrates(
  [
    { name: "sqlx", version: "0.8.1" },
    { name: "serde_json", version: "1.0.2" },
    { name: "syn", version: "2.0.0" },
    { name: "syn", version: "1.0.9" },
  ],
  "Cargo.lock",
);

const packages = new UsedPackages([
  { kind: "npm", name: "vite", version: "7.1.0", manifest: "web/package.json" },
  { kind: "npm", name: "vite", version: "6.0.0", manifest: "package.json" },
  { kind: "python", name: "scikit-learn", version: undefined, manifest: "pyproject.toml" },
  { kind: "go", name: "golang.org/x/net", version: "v0.30.0", manifest: "go.mod" },
  { kind: "maven", name: "org.junit.jupiter:junit-jupiter", version: "5.11.4", manifest: "pom.xml" },
]);

function offersOf(text: string, options: Partial<OfferOptions> = {}): ReturnType<typeof offeredExtensions> {
  const { recommendations } = parseRecommendations(text);
  const facts = { crates, packages, files: new Set(["Cargo.toml", "a/b"]) };
  return offeredExtensions({
    lists: [{ from: "file", recommendations }],
    facts,
    proxies: [],
    extensionCrates: [],
    ...options,
  });
}

const reasonsFor = (condition: string): readonly string[] | undefined =>
  offersOf(`[[recommendation]]\nsource.crate = "x"\n${condition}\n`)[0]?.reasons;

describe("offeredExtensions", () => {
  const conditions: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["", ["it is recommended for every workspace"]],
    ['when-using-crate = "sqlx"', ["you use the crate sqlx 0.8.1 (Cargo.lock)"]],
    ['when-using-crate = "serde-json"', ["you use the crate serde_json 1.0.2 (Cargo.lock)"]],
    ['when-using-crate = "syn"', ["you use the crate syn 1.0.9 and 2.0.0 (Cargo.lock)"]],
    ['when-using-crate = "tokio"', undefined],
    ['when-using-crates = ["tokio", "sqlx"]', ["you use the crate sqlx 0.8.1 (Cargo.lock)"]],
    ['when.using-crates = ["tokio", "sqlx"]', undefined],
    [
      'when-using-npm-package = "vite"',
      ["you use the npm package vite 6.0.0 and 7.1.0 (package.json, web/package.json)"],
    ],
    [
      'when-using-npm-packages = ["react", "vite"]',
      ["you use the npm package vite 6.0.0 and 7.1.0 (package.json, web/package.json)"],
    ],
    ['when.using-npm-packages = ["react", "vite"]', undefined],
    ['when.using-python-package = "Scikit_Learn"', ["you use the Python package scikit-learn (pyproject.toml)"]],
    ['when.using-go-module = "golang.org/x/net"', ["you use the Go module golang.org/x/net v0.30.0 (go.mod)"]],
    [
      'when-using-java-package = "org.junit.jupiter:junit-jupiter"',
      ["you use the Java package org.junit.jupiter:junit-jupiter 5.11.4 (pom.xml)"],
    ],
    ['when-using-java-package = "vite"', undefined],
    ['when.file-exists = "a/b"', ["the workspace has a/b"]],
    ['when.file-exists = "c"', undefined],
    ['when.files-exist = ["a/b", "Cargo.toml"]', ["the workspace has a/b", "the workspace has Cargo.toml"]],
    ['when.files-exist = ["a/b", "c"]', undefined],
    ['when.any = [{ file-exists = "c" }, { using-crate = "sqlx" }]', ["you use the crate sqlx 0.8.1 (Cargo.lock)"]],
    ['when.any = [{ file-exists = "c" }]', undefined],
    ['when.all = [{ file-exists = "a/b" }, { using-crate = "tokio" }]', undefined],
    ['when.file-exists = "a/b"\nwhen-using-crate = "tokio"', undefined],
    ['when = { file-exists = "a/b", using-crate = "tokio" }', undefined],
  ];
  for (const [condition, reasons] of conditions) {
    it(`${reasons ? "offers" : "does not offer"} with ${condition.replace("\n", " ") || "no condition"}`, () => {
      assert.deepEqual(reasonsFor(condition), reasons);
    });
  }

  it("offers an extension once, with all reasons and files, obtained as the first one says", () => {
    const list = (from: string, text: string) => ({ from, ...parseRecommendations(text) });
    const lists = [
      list("one", `[[recommendation]]\nsource.crate = "x"\nwhen-using-crate = "sqlx"\n`),
      list(
        "two",
        `[[recommendation]]\nsource.acp = "y"\n[[recommendation]]\nsource.cargo = { crate = "x", version = "9.9.9" }\n`,
      ),
      { ...list("three", `[[recommendation]]\nsource.crate = "x"\n`), reason: "the crate foo 1.0.0 recommends it" },
    ];
    assert.deepEqual(offersOf("", { lists }), [
      {
        id: "x",
        kind: "proxy",
        source: { crate: "x" },
        title: "x (crate)",
        reasons: [
          "you use the crate sqlx 0.8.1 (Cargo.lock)",
          "it is recommended for every workspace",
          "the crate foo 1.0.0 recommends it",
        ],
        from: ["one", "two", "three"],
        alreadyEnabled: false,
        distribution: { cargo: { crate: "x" } },
      },
      {
        id: "y",
        kind: "proxy",
        source: { acp: "y" },
        title: "y (ACP registry)",
        reasons: ["it is recommended for every workspace"],
        from: ["two"],
        alreadyEnabled: false,
      },
    ]);
  });

  it("knows what the configuration has enabled, whatever its version and name", () => {
    const text = [
      "crate = 'x'",
      "npx = '@a/b@1'",
      "builtin = 'ferris'",
      "builtin = 'cargo'",
      "crate = 'off'",
      "acp = 'z'",
    ]
      .map((source) => `[[recommendation]]\nsource.${source}\n`)
      .join("");
    const proxies = [
      { name: "mine", enabled: true, distribution: { cargo: { crate: "x", version: "1.0.0" } } },
      { name: "other", enabled: true, distribution: { npx: { package: "@a/b@2" } } },
      { name: "ferris", enabled: true },
      // Another program under the name of a built-in proxy.
      { name: "cargo", enabled: true, distribution: { executable: { command: "cargo" } } },
      { name: "off", enabled: false, distribution: { cargo: { crate: "off" } } },
      { name: "z", enabled: true, distribution: { npx: { package: "z" } } },
    ];
    assert.deepEqual(
      offersOf(text, { proxies }).map(({ id, alreadyEnabled }) => [id, alreadyEnabled]),
      [
        ["x", true],
        ["@a/b", true],
        ["ferris", true],
        ["cargo", false],
        ["off", false],
        ["z", true],
      ],
    );
  });

  it("completes a crate's distribution by what the crate says of itself, unless another version is asked for", () => {
    const symposium = { binary: "x-acp", args: ["--mcp"], env: { KEY: "value" } };
    const extensionCrates = [{ name: "x", version: "1.2.0", symposium }];
    const [own] = offersOf(`[[recommendation]]\nsource.crate = "x"`, { extensionCrates });
    assert.deepEqual(own?.distribution, { cargo: { crate: "x", version: "1.2.0", ...symposium } });
    const other = `[[recommendation]]\nsource.cargo = { crate = "x", version = "2.0.0" }`;
    assert.deepEqual(offersOf(other, { extensionCrates })[0]?.distribution, {
      cargo: { crate: "x", version: "2.0.0" },
    });
  });
});

describe("filesOf", () => {
  it("names every file that a condition asks about", () => {
    const text = `[[recommendation]]\nsource.crate = "x"\nwhen.any = [{ files-exist = ["a", "b"] }, { all = [{ file-exists = "c" }] }]`;
    const { recommendations } = parseRecommendations(text);
    assert.deepEqual(
      recommendations.flatMap(({ conditions }) => conditions.flatMap(filesOf)),
      ["a", "b", "c"],
    );
  });
});
