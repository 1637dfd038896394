// Cases to record with JavaScript runners. All share one shop and its passing tests; each case adds a file with faults.

/** How each runner writes what they all can: imports, a comparison, hooks, a test with a limit of 300 ms. */
const dialects = {
  vitest: {
    config: { "vitest.config.mjs": 'export default { test: { include: ["test/**/*.test.js"] } };\n' },
    isModule: true,
    dependency: "vitest",
    head: 'import { afterAll, beforeAll, describe, expect, it } from "vitest";',
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
    limited: (name, body) => `it("${name}", ${body}, 300);`,
    todo: (name) => `it.todo("${name}");`,
  },
  jest: {
    config: { "jest.config.cjs": 'module.exports = { testMatch: ["**/test/**/*.test.js"] };\n' },
    isModule: false,
    dependency: "jest",
    head: "",
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
    limited: (name, body) => `it("${name}", ${body}, 300);`,
    todo: (name) => `it.todo("${name}");`,
  },
  mocha: {
    config: { ".mocharc.json": '{ "spec": "test/**/*.test.js" }\n' },
    isModule: false,
    dependency: "mocha",
    head: 'const assert = require("node:assert/strict"); const [beforeAll, afterAll] = [before, after];',
    equal: (actual, expected) => `assert.deepEqual(${actual}, ${expected})`,
    limited: (name, body) => `it("${name}", ${body}).timeout(300);`,
    todo: (name) => `it("${name}");`,
  },
  playwright: {
    config: { "playwright.config.cjs": 'module.exports = { testDir: "test", testMatch: "**/*.test.js" };\n' },
    isModule: false,
    dependency: "@playwright/test",
    script: "playwright test",
    head: 'const { expect, test: it } = require("@playwright/test"); const { afterAll, beforeAll, describe } = it;',
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
    limited: (name, body) => `it("${name}", async () => { it.setTimeout(300); await (${body})(); });`,
    todo: (name) => `it.skip("${name}", () => {});`,
  },
  node: {
    config: {},
    isModule: true,
    script: "node --test",
    head: 'import assert from "node:assert/strict"; import { after as afterAll, before as beforeAll, describe, it } from "node:test";',
    equal: (actual, expected) => `assert.deepEqual(${actual}, ${expected})`,
    limited: (name, body) => `it("${name}", { timeout: 300 }, ${body});`,
    todo: (name) => `it.todo("${name}");`,
  },
  bun: {
    config: {},
    isModule: true,
    script: "bun test",
    head: 'import { afterAll, beforeAll, describe, expect, it } from "bun:test";',
    equal: (actual, expected) => `expect(${actual}).toEqual(${expected})`,
    limited: (name, body) => `it("${name}", ${body}, 300);`,
    todo: (name) => `it.todo("${name}");`,
  },
};

const sources = {
  money: `function add(a, b) {
  return a + b;
}
function tax(amount, percent) {
  return Math.round((amount * percent) / 100);
}`,
  stock: `const items = { apple: 120, bread: 310, cheese: 890 };
function priceOf(name) {
  const price = items[name];
  if (price === undefined) {
    throw new RangeError(\`no such item: \${name}\`);
  }
  return price;
}`,
  cart: `function totalOf(names) {
  return names.map((name) => priceOf(name)).reduce((sum, price) => sum + price, 0);
}
function orderOf(names) {
  return { id: 7, customer: { name: "Ada", address: { city: "Paris", zip: "75001" } }, lines: names, sum: { net: totalOf(names), tax: 84 } };
}`,
  cache: `let kept = { since: "09:41", rate: 100 };
function rateOf(now) {
  console.log(\`cache: stale since \${kept.since}, now \${now}\`);
  console.error("cache: the refresh was refused (403)");
  return kept.rate;
}`,
  deep: `function dig(depth) {
  if (depth === 0) throw new Error("the mine is empty");
  return dig(depth - 1) + 1;
}`,
};
const needs = { cart: ["priceOf", "stock"] };
const exported = {
  money: ["add", "tax"],
  stock: ["priceOf"],
  cart: ["totalOf", "orderOf"],
  cache: ["rateOf"],
  deep: ["dig"],
};

function importLine({ isModule }, names, path) {
  return isModule
    ? `import { ${names.join(", ")} } from "${path}";`
    : `const { ${names.join(", ")} } = require("${path}");`;
}

/** A file of tests; what it tests begins on line 2, for every runner. */
function testFile(dialect, names, body) {
  const imports = names.map((name) => importLine(dialect, exported[name] ?? [name], `../src/${name}.js`));
  return `${[dialect.head, ...imports].filter(Boolean).join(" ")}\n${body}\n`;
}

function shop(runner) {
  const dialect = dialects[runner];
  const files = {
    "package.json": `${JSON.stringify({
      name: "shop",
      private: true,
      ...(dialect.isModule && { type: "module" }),
      scripts: { test: dialect.script ?? dialect.dependency },
      ...(dialect.dependency && { devDependencies: { [dialect.dependency]: "*" } }),
    })}\n`,
    ...dialect.config,
  };
  for (const [name, body] of Object.entries(sources)) {
    const [needed, from] = needs[name] ?? [];
    const first = needed === undefined ? "// The shop." : importLine(dialect, [needed], `./${from}.js`);
    const list = exported[name].join(", ");
    files[`src/${name}.js`] =
      `${first}\n${body}\n${dialect.isModule ? `export { ${list} };` : `module.exports = { ${list} };`}\n`;
  }
  return files;
}

/** 96 tests that pass, in three files. */
function passing(dialect) {
  const lines = (count, of) => Array.from({ length: count }, (_, index) => `  ${of(index)}`).join("\n");
  const money = lines(
    40,
    (n) => `it("adds ${n} to ${n + 1} cents", () => { ${dialect.equal(`add(${n}, ${n + 1})`, 2 * n + 1)}; });`,
  );
  const taxes = lines(
    36,
    (n) => `it("takes ${n} percent of two hundred", () => { ${dialect.equal(`tax(200, ${n})`, 2 * n)}; });`,
  );
  const names = ["apple", "bread", "cheese"];
  const prices = { apple: 120, bread: 310, cheese: 890 };
  const cart = lines(
    20,
    (n) =>
      `it("prices basket ${n} with ${names[n % 3]}", () => { ${dialect.equal(`totalOf(["${names[n % 3]}"])`, prices[names[n % 3]])}; });`,
  );
  return {
    "test/money.test.js": testFile(dialect, ["money"], `describe("money", () => {\n${money}\n});`),
    "test/tax.test.js": testFile(dialect, ["money"], `describe("tax", () => {\n${taxes}\n});`),
    "test/cart.test.js": testFile(dialect, ["cart"], `describe("cart", () => {\n${cart}\n});`),
  };
}

/** The cases of a runner: each with its files, the signals planted in them, and whether it passes. */
export function javascriptCases(runner) {
  const dialect = dialects[runner];
  const { equal, limited } = dialect;
  const base = { ...shop(runner), ...passing(dialect) };
  const one = (name, faulty, signals, more = {}) => ({ runner, name, files: { ...base, ...faulty }, signals, ...more });
  const faulty = (names, body) => ({ "test/faulty.test.js": testFile(dialect, names, body) });
  const longList = (different) =>
    `Array.from({ length: 120 }, (_, n) => ({ id: n, name: "item " + n${different ? ", price: n === 60 ? 61 : n" : ", price: n"} }))`;
  const cases = [
    one("pass", {}, [["96 passed", "96 passing", "pass 96", "96 pass"]], { passes: true }),
    one(
      "faults",
      faulty(
        ["cart", "stock", "cache"],
        `describe("orders", () => {
  it("has the tax deep inside", () => {
    ${equal('orderOf(["apple", "bread"])', '{ id: 7, customer: { name: "Ada", address: { city: "Paris", zip: "75001" } }, lines: ["apple", "bread"], sum: { net: 430, tax: 82 } }')};
  });
  it("knows every item", () => {
    ${equal('totalOf(["apple", "tea"])', "120")};
  });
  it("has a fresh rate", () => {
    ${equal('rateOf("10:12")', "104")};
  });
});`,
      ),
      [
        "has the tax deep inside",
        "faulty.test.js:4",
        "84",
        "82",
        "knows every item",
        "no such item: tea",
        "src/stock.js:6",
        "faulty.test.js:7",
        "has a fresh rate",
        "faulty.test.js:10",
        "100",
        "104",
        "cache: stale since 09:41, now 10:12",
        "cache: the refresh was refused (403)",
        ["3 failed", "3 failing", "fail 3", "3 fail"],
        ["96 passed", "96 passing", "pass 96", "96 pass"],
      ],
    ),
    one("load", { "test/faulty.test.js": testFile(dialect, ["nowhere"], 'it("is never reached", () => {});') }, [
      "faulty.test.js",
      "src/nowhere.js",
    ]),
    one("syntax", { "test/faulty.test.js": `${dialect.head}\nit("is never reached", () => {\n  const = 1;\n});\n` }, [
      "faulty.test.js",
      ["Unexpected token", "Expected", "SyntaxError"],
    ]),
    one(
      "set-up",
      faulty(
        [],
        'describe("shop", () => {\n  beforeAll(() => { throw new Error("database is not up"); });\n  it("opens", () => {});\n  it("closes", () => {});\n});',
      ),
      ["database is not up", "faulty.test.js", "shop"],
    ),
    one(
      "tear-down",
      faulty(
        [],
        'describe("shop", () => {\n  afterAll(() => { throw new Error("could not lock the door"); });\n  it("opens", () => {});\n});',
      ),
      // For Playwright it is the last test that fails.
      [
        "could not lock the door",
        "faulty.test.js",
        ["97 passed", "97 passing", "pass 97", "97 pass", ...(runner === "playwright" ? ["96 passed"] : [])],
      ],
    ),
    one(
      "rejection",
      faulty(
        [],
        'describe("refunds", () => {\n  it("starts one", () => { setTimeout(() => void Promise.reject(new Error("late refund failed")), 20); });\n  it("waits", () => new Promise((resolve) => setTimeout(resolve, 200)));\n});',
      ),
      ["late refund failed", "faulty.test.js:3"],
      // Mocha says nothing of it at all.
      { passes: runner === "mocha" },
    ),
    one(
      "timeout",
      faulty(
        [],
        `describe("slow", () => {\n  ${limited("waits for the courier", "() => new Promise((resolve) => setTimeout(resolve, 2_000))")}\n});`,
      ),
      ["waits for the courier", ["300ms", "300 ms"]],
    ),
    one(
      "leaves",
      faulty([], 'describe("leaving", () => {\n  it("runs away", () => { process.exit(3); });\n});'),
      // Node's own runner hears of the file alone.
      runner === "node"
        ? ["faulty.test.js", ["exited with code 3", "exitCode: 3", "test failed"]]
        : // Bun names a test when it has ended.
          runner === "bun"
          ? ["faulty.test.js", ["exit 3", "faulty.test.js:\n"]]
          : ["faulty.test.js", ["runs away", "process.exit"]],
    ),
    one(
      "many",
      faulty(
        ["money"],
        `describe("many", () => {\n${Array.from({ length: 12 }, (_, n) => `  it("is wrong no. ${n}", () => { ${equal(`add(${n}, 1000)`, `${2000 + n}`)}; });`).join("\n")}\n});`,
      ),
      Array.from({ length: 12 }, (_, n) => [
        `is wrong no. ${n}`,
        `faulty.test.js:${n + 3}`,
        `${1000 + n}`,
        `${2000 + n}`,
      ]).flat(),
    ),
    one(
      "skips",
      faulty(
        [],
        `describe("later", () => {\n  it.skip("sells online", () => {});\n  it.skip("sells abroad", () => {});\n  ${dialect.todo("sells to the moon")}\n});`,
      ),
      [
        ["2 skipped", "3 pending", "3 skipped", "skipped 2", "2 skip"],
        ["96 passed", "96 passing", "pass 96", "96 pass"],
      ],
      { passes: true },
    ),
    one("long", faulty([], `it("lists the stock", () => {\n  ${equal(longList(true), longList(false))};\n});`), [
      "lists the stock",
      "faulty.test.js:3",
      "61",
    ]),
    one(
      "deep",
      faulty(["deep"], `it("digs", () => {\n  ${equal("dig(30)", "31")};\n});`),
      // Stacks of 10 calls do not reach the test.
      ["digs", "the mine is empty", "src/deep.js:3", "faulty.test.js"],
    ),
  ];
  const nothing = { ...shop(runner) };
  if (runner === "mocha") {
    cases.push(
      one(
        "open-handle",
        faulty([], 'it("starts a clock", () => { setInterval(() => {}, 1_000); });'),
        [["97 passed", "97 passing"]],
        {
          timeoutMs: 6_000,
        },
      ),
    );
  }
  if (runner === "jest" || runner === "vitest") {
    const snapshots = {
      "test/__snapshots__/faulty.test.js.snap": `// ${runner === "jest" ? "Jest" : "Vitest"} Snapshot v1, ${runner === "jest" ? "https://jestjs.io/docs/snapshot-testing" : "https://vitest.dev/guide/snapshot.html"}\n\nexports[\`is as before 1\`] = \`\n{\n  "tax": 82,\n}\n\`;\n\nexports[\`was removed 1\`] = \`1\`;\n`,
    };
    cases.push(
      one(
        "snapshots",
        { ...faulty([], 'it("is as before", () => {\n  expect({ tax: 84 }).toMatchSnapshot();\n});'), ...snapshots },
        ["is as before", "faulty.test.js:3", "84", "82", "obsolete"],
      ),
    );
  }
  // Node's runner is well with nothing.
  cases.push({
    runner,
    name: "nothing",
    files: nothing,
    signals: [["no test", "No test", "0 total", "tests 0", "0 test files"]],
    ...(runner === "node" && { passes: true }),
  });
  return cases;
}
