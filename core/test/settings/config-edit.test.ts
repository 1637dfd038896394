import assert from "node:assert/strict";
import fc from "fast-check";
import { SymposiumError } from "../../src/base/symposium-error.js";
import { parseConfig } from "../../src/settings/config.js";
import { newConfigText, withAgent, withProxy } from "../../src/settings/config-edit.js";

const builtIn = ["sparkle", "ferris"];

describe("newConfigText", () => {
  it("is a file that parses to what was asked for", () => {
    const { config, problems } = parseConfig(newConfigText("gemini acp", builtIn), builtIn);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      config.proxies,
      builtIn.map((name) => ({ name, enabled: true })),
    );
    assert.equal(config.agent?.name, "gemini");
  });

  it("indents an agent that is an object", () => {
    const text = newConfigText({ id: "a", name: "A", distribution: { npx: { package: "a" } } }, []);
    assert.match(text, /\n {2}"agent": \{\n {4}"id": "a",\n[^]*\n {2}\},\n[^]*"proxies": \[\]\n\}\n$/);
    assert.deepEqual(parseConfig(text, builtIn).problems, []);
  });
});

describe("withAgent", () => {
  for (const [what, text, expected] of [
    [
      "keeps comments",
      `{\n  // mine\n  "agent": "a", // this one\n}\n`,
      `{\n  // mine\n  "agent": "b", // this one\n}\n`,
    ],
    [
      "keeps tabs, CRLF and a byte order mark",
      `\uFEFF{\r\n\t"agent" : "a"\r\n}\r\n`,
      `\uFEFF{\r\n\t"agent" : "b"\r\n}\r\n`,
    ],
    [
      "adds it after the last member and its comment",
      `{\n\t"proxies": [] // none\n}`,
      `{\n\t"proxies": [], // none\n\t"agent": "b"\n}`,
    ],
    [
      "keeps a trailing comma",
      `{\r\n  "proxies": [], // none\r\n}`,
      `{\r\n  "proxies": [], // none\r\n  "agent": "b",\r\n}`,
    ],
    ["keeps one line one line", `{ "proxies": [] }`, `{ "proxies": [], "agent": "b" }`],
    ["keeps a comment that ends a line", `{ "proxies": [] // none\n}`, `{ "proxies": [], "agent": "b" // none\n}`],
    [
      "finds a comma on the next line",
      `{\n  "proxies": [] // none\n  ,\n}`,
      `{\n  "proxies": [] // none\n  ,\n  "agent": "b",\n}`,
    ],
    ["fills an empty object", `{}`, `{\n  "agent": "b"\n}`],
    ["fills an object of comments only", `{\n  // later\n}\n`, `{\n  // later\n  "agent": "b"\n}\n`],
    ["fills an empty file", ``, `{\n  "agent": "b"\n}\n`],
    ["fills a file of comments only", `\uFEFF// mine\r\n`, `\uFEFF// mine\r\n{\r\n  "agent": "b"\r\n}\r\n`],
    ["changes the one of two that counts", `{"agent": "a", "agent": "c"}`, `{"agent": "a", "agent": "b"}`],
  ] as const) {
    it(what, () => {
      assert.equal(withAgent(text, "b", "config.jsonc"), expected);
    });
  }

  it("indents an object like the file", () => {
    const text = `{\r\n\t"agent": "a"\r\n}`;
    assert.equal(
      withAgent(text, { command: "b" }, "config.jsonc"),
      `{\r\n\t"agent": {\r\n\t\t"command": "b"\r\n\t}\r\n}`,
    );
  });

  for (const [text, message] of [
    [`{\n"agent": }`, "config.jsonc:2:10: Expected a value."],
    ["[]", "config.jsonc:1:1: The settings are not an object, so nothing can be added."],
  ] as const) {
    it(`refuses to edit ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => withAgent(text, "b", "config.jsonc"),
        (error) => error instanceof SymposiumError && error.code === "invalid-config" && error.message === message,
      );
    });
  }
});

describe("withProxy", () => {
  const disable = (text: string, name = "ferris") => withProxy(text, name, { enabled: false }, builtIn, "config.jsonc");

  for (const [what, text, expected] of [
    [
      "changes the value alone",
      `{"proxies": [\n\t{ "name": "ferris", /* x */ "enabled" : true }, // y\n]}`,
      `{"proxies": [\n\t{ "name": "ferris", /* x */ "enabled" : false }, // y\n]}`,
    ],
    [
      "adds `enabled` where it is missing",
      `{"proxies": [{"name": "ferris"}]}`,
      `{"proxies": [{"name": "ferris", "enabled": false}]}`,
    ],
    [
      "adds a line for one that is not listed",
      `{\r\n  "proxies": [\r\n    { "name": "sparkle" }, // s\r\n    // end\r\n  ]\r\n}`,
      `{\r\n  "proxies": [\r\n    { "name": "sparkle" }, // s\r\n    { "name": "ferris", "enabled": false },\r\n    // end\r\n  ]\r\n}`,
    ],
    [
      "fills an empty list",
      `{\n  "proxies": []\n}`,
      `{\n  "proxies": [\n    { "name": "ferris", "enabled": false }\n  ]\n}`,
    ],
    [
      "lists the other defaults too where nothing was listed",
      `{\n  "agent": "a"\n}`,
      `{\n  "agent": "a",\n  "proxies": [\n    { "name": "sparkle", "enabled": true },\n    { "name": "ferris", "enabled": false }\n  ]\n}`,
    ],
  ] as const) {
    it(what, () => {
      assert.equal(disable(text), expected);
    });
  }

  it("refuses a file whose proxies are no list", () => {
    assert.throws(() => disable(`{"proxies": {}}`), /"proxies" is not a list/);
  });

  it("changes one proxy and nothing else in any layout", () => {
    const space = fc.constantFrom("", " ", "\n", "\r\n\t", " // c\n", " /* c */ ", "\n// c\n    ");
    const comma = fc.constantFrom("", ",");
    const entry = fc
      .tuple(fc.constantFrom("sparkle", "ferris", "cargo"), fc.constantFrom("", `, "enabled": true`), space)
      .map(([name, enabled, gap]) => `${gap}{${gap}"name": "${name}"${enabled}${gap}}${gap}`);
    const layout = fc.tuple(
      space,
      fc.uniqueArray(entry, { maxLength: 3, selector: (text) => /"name": "(\w+)"/.exec(text)?.[1] }),
      comma,
      comma,
    );
    const texts = layout.map(([gap, entries, inner, outer]) => {
      const list = entries.join(",") + (entries.length > 0 ? inner : "");
      return `${gap}{${gap}"agent"${gap}:${gap}"a"${gap},${gap}"proxies": [${list}${gap}]${gap}${outer}${gap}}${gap}`;
    });
    fc.assert(
      fc.property(texts, (text) => {
        const known = ["sparkle", "ferris", "cargo"];
        const before = parseConfig(text, known);
        const edited = withProxy(text, "ferris", { enabled: false }, known, "config.jsonc");
        const after = parseConfig(edited, known);
        const kept = before.config.proxies.map((each) => (each.name === "ferris" ? { ...each, enabled: false } : each));
        const isListed = kept.some(({ name }) => name === "ferris");
        const expected = isListed ? kept : [...kept, { name: "ferris", enabled: false }];
        assert.deepEqual(
          [after.problems, after.config.proxies, after.config.agent],
          [[], expected, before.config.agent],
        );
        assert.equal(edited.match(/c\r?\n|c \*/g)?.length, text.match(/c\r?\n|c \*/g)?.length);
      }),
      { numRuns: 500 },
    );
  }).timeout(20_000);
});
