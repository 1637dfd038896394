import { javascriptCases } from "./javascript.mjs";

// Cases to record with bun: those of all JavaScript runners, and those that only bun has.

const head = 'import { afterEach, beforeAll, describe, expect, it } from "bun:test";';

/** One file of tests whose own lines begin on line 2, with `more` beside it. */
function one(name, body, signals, { more = {}, ...rest } = {}) {
  const files = {
    "package.json": '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "bun test" } }\n',
    "bun.lock": '{ "lockfileVersion": 1, "workspaces": { "": { "name": "shop" } }, "packages": {} }\n',
    "test/faulty.test.js": `${head}\n${body}\n`,
    ...more,
  };
  return { runner: "bun", name, files, signals, ...rest };
}

export const bunCases = [
  ...javascriptCases("bun"),
  one(
    "snapshots",
    `it("is as before", () => {
  expect({ tax: 84 }).toMatchSnapshot();
});
it("is as in the line", () => {
  expect({ net: 430 }).toMatchInlineSnapshot('{ "net": 431 }');
});`,
    [
      "is as before",
      "faulty.test.js:3",
      "84",
      "82",
      "is as in the line",
      "faulty.test.js:6",
      "430",
      "431",
      ["2 failed", "2 fail"],
    ],
    {
      more: {
        "test/__snapshots__/faulty.test.js.snap":
          '// Bun Snapshot v1, https://bun.sh/docs/test/snapshots\n\nexports[`is as before 1`] = `\n{\n  "tax": 82,\n}\n`;\n',
      },
    },
  ),
  one(
    "only",
    'describe("shop", () => {\n  it.only("opens", () => { expect("closed").toBe("open"); });\n  it("closes", () => {});\n});',
    ["shop > opens", "faulty.test.js:3", "closed", "open", ["1 failed", "1 fail"]],
  ),
  one(
    "nested",
    `describe("shop", () => {
  describe("till", () => {
    describe("in the evening", () => {
      it("is counted", () => {
        console.log("till: 3 coins");
        throw new TypeError("not a coin: button\\nput it away");
      });
      it("is shut", () => {});
    });
  });
});`,
    [
      "shop > till > in the evening > is counted",
      "faulty.test.js:7",
      "TypeError: not a coin: button",
      "put it away",
      "till: 3 coins",
      ["1 failed", "1 fail"],
      ["1 passed", "1 pass"],
    ],
  ),
  one(
    "two-errors",
    'afterEach(() => { throw new Error("could not clean up"); });\nit("sells", () => {\n  throw new RangeError("sold out");\n});',
    ["sells", "sold out", "faulty.test.js:4", "could not clean up", "faulty.test.js:2"],
  ),
  one(
    "foreign",
    `it("throws a text", () => {
  throw "no such shelf";
});
it("throws a thing", () => {
  throw Object.assign(new Error("the door is locked"), { code: "ELOCKED", door: 7 });
});
it("has several", () => {
  throw new AggregateError([new Error("no bread"), new Error("no milk")], "nothing to eat");
});`,
    [
      // Bun writes neither the code of an error nor the errors in one.
      ...["throws a text", "no such shelf", "faulty.test.js:3", "throws a thing", "the door is locked"],
      ...["faulty.test.js:6", "has several", "nothing to eat", "faulty.test.js:9", ["3 failed", "3 fail"]],
    ],
  ),
  one(
    "failing",
    'it.failing("is known to be wrong", () => { expect(1).toBe(2); });\nit.failing("was mended", () => {});',
    ["was mended", "marked as failing but it passed", "faulty.test.js", ["1 failed", "1 fail"]],
  ),
  one("top-level", 'console.log("reading the prices");\nthrow new Error("prices.json is empty");', [
    "faulty.test.js:3",
    "prices.json is empty",
  ]),
  one("leaves-green", 'it("opens", () => {});\nit("leaves", () => { process.exit(0); });\nit("closes", () => {});', [
    "faulty.test.js",
    ["did not come", "stopped in"],
  ]),
  one(
    "first-hook",
    'beforeAll(() => { throw new Error("no till"); });\nit("opens", () => {});\nit("closes", () => {});',
    ["no till", "faulty.test.js:2"],
  ),
  one(
    "prints-results",
    'it("prints", () => {\n  console.log("(fail) is no result");\n  console.log("0 fail");\n});',
    [["1 passed", "1 pass"]],
    { passes: true },
  ),
];
