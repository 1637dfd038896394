// More of what the runners of JavaScript are recorded with, written after the reports.
import { javascriptCases } from "./javascript.mjs";

/** First line of a test file for each runner, which makes `beforeEach` available. */
const beforeEach = {
  vitest: 'import { beforeEach, describe, expect, it } from "vitest";',
  jest: "",
  mocha: 'const assert = require("node:assert/strict");',
  playwright: 'const { expect, test: it } = require("@playwright/test"); const { beforeEach, describe } = it;',
  node: 'import assert from "node:assert/strict"; import { beforeEach, describe, it } from "node:test";',
};

/** Returns more cases for a runner. The body of each file begins on line 2. */
export function moreJavascriptCases(runner) {
  const [{ files: base }] = javascriptCases(runner);
  const equal = (actual, expected) =>
    beforeEach[runner].includes("expect") || runner === "jest"
      ? `expect(${actual}).toEqual(${expected})`
      : `assert.deepEqual(${actual}, ${expected})`;
  const file = (body) => `${beforeEach[runner]}\n${body}\n`;
  const one = (name, body, signals, more = {}) => ({
    ...{ runner, name, signals, heldOut: true },
    files: { ...base, ...(typeof body === "string" ? { "test/faulty.test.js": file(body) } : body) },
    ...more,
  });
  return [
    one(
      "cause",
      `function rate() {
  throw new RangeError("the table of rates is gone");
}
it("prices a basket", () => {
  try {
    rate();
  } catch (cause) {
    throw new Error("could not price the basket", { cause });
  }
});`,
      ["prices a basket", "could not price the basket", "faulty.test.js:9", "the table of rates is gone"],
      // The reporters learnt to tell causes by it.
      { heldOut: false },
    ),
    one(
      "each",
      `describe("till", () => {
  beforeEach(() => {
    throw new Error("no session is open");
  });
  it("sells", () => {});
});`,
      ["till", "sells", "no session is open", "faulty.test.js:4"],
    ),
    one(
      "words",
      `it("prints a receipt", () => {
  const lines = ["Corner Shop", "apple 1.20", "bread 3.10", "total 4.30", "thank you"];
  ${equal('lines.join("\\n")', 'lines.join("\\n").replace("bread 3.10", "bread 3.20").replace("4.30", "4.40")')};
});`,
      ["prints a receipt", "faulty.test.js:4", "bread 3.10", "bread 3.20", "total 4.30", "total 4.40"],
    ),
    one(
      "same-names",
      {
        "test/front/till.test.js": file(`it("opens", () => {\n  ${equal('"shut"', '"open at the front"')};\n});`),
        "test/back/till.test.js": file(`it("opens", () => {\n\n  ${equal('"shut"', '"open at the back"')};\n});`),
      },
      ["front/till.test.js:3", "open at the front", "back/till.test.js:4", "open at the back"],
    ),
    one("no-error", 'it("complains", () => {\n  throw "plain words of a complaint";\n});', [
      "complains",
      "faulty.test.js",
      "plain words of a complaint",
    ]),
    one(
      "letters",
      `describe("Äpfel → Öl", () => {
  it('zählt "grüne" Äpfel \\u001b[31mrot\\u001b[39m', () => {
    throw new Error("\\u001b[31mkein Apfel\\u001b[39m ist 🍏");
  });
});`,
      ["Äpfel → Öl", 'zählt "grüne" Äpfel', "kein Apfel ist 🍏", "faulty.test.js:4"],
    ),
  ];
}
