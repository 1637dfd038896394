import assert from "node:assert/strict";
import { JsonDocument } from "../../../src/settings/json-document.js";
import { parseWorkingMemory, withMemoryEntry } from "../../../src/extensions/sparkle/working-memory.js";

const large = 1_000_000;
const valueOf = (text: string): unknown => JsonDocument.parse(text).value;

describe("Sparkle's working memory", () => {
  it("begins with a file that explains itself", () => {
    const { text } = withMemoryEntry(undefined, { focus: "x" }, large);
    assert.match(text, /^\{\n {2}\/\/ What Sparkle keeps/);
    assert.deepEqual(valueOf(text), { entries: [{ focus: "x" }] });
  });

  it("adds an entry behind the others, and keeps comments, layout and other members", () => {
    const text =
      '{\n  // mine\n  "house rules": ["tabs"],\n  "entries": [\n    { "focus": "a" } // first\n  ], // end\n}\n';
    const changed = withMemoryEntry(text, { focus: "b" }, large).text;
    assert.equal(
      changed,
      '{\n  // mine\n  "house rules": ["tabs"],\n  "entries": [\n    { "focus": "a" }, // first\n    {\n      "focus": "b"\n    }\n  ], // end\n}\n',
    );
  });

  it("adds the list to an object that has none, also on one line and after a byte order mark", () => {
    for (const text of ['{"note":"x"}', '\uFEFF{ "note": "x" }', '{\r\n\t"note": "x"\r\n}']) {
      const changed = withMemoryEntry(text, { focus: "b" }, large).text;
      assert.equal(changed.startsWith("\uFEFF"), text.startsWith("\uFEFF"));
      assert.deepEqual(valueOf(changed), { note: "x", entries: [{ focus: "b" }] });
    }
  });

  it("moves the oldest entries out with their comments, counts them, and keeps the new one", () => {
    const entry = (n: number): string => `    { "n": ${n}, "x": "${"x".repeat(60)}" }, // comment ${n}\n`;
    const text = `{\n  "entries": [\n${[1, 2, 3, 4].map(entry).join("")}  ]\n}\n`;
    const { text: once, moved } = withMemoryEntry(text, { n: 5 }, 400);
    assert.match(moved ?? "", /"n": 1.*\/\/ comment 1\n.*"n": 2.*\/\/ comment 2\n.*"n": 3.*\/\/ comment 3$/);
    assert.deepEqual(
      parseWorkingMemory(once)?.entries.map(({ n }) => n),
      [4, 5],
    );
    assert.equal(parseWorkingMemory(once)?.archived, 3);
    assert.match(once, /\/\/ comment 4/);
    const { text: twice } = withMemoryEntry(once, { n: 6, x: "y".repeat(300) }, 400);
    assert.equal(parseWorkingMemory(twice)?.archived, 5);
  });

  it("stays readable when the entries of a file on one line are moved out", () => {
    const text = `{ "entries": [{ "n": "${"1".repeat(90)}" }, { "n": "${"2".repeat(90)}" }] }`;
    const changed = withMemoryEntry(text, { n: 3 }, 100).text;
    assert.deepEqual(valueOf(changed), { entries: [{ n: 3 }], archived: 2 });
  });

  it("refuses a text that it cannot edit, and says where", () => {
    assert.throws(() => withMemoryEntry('{\n  "entries": [,]\n}', {}, large), /line 2, column 15/);
    for (const text of ["[]", '{"entries": {}}', "// only a comment"]) {
      assert.throws(() => withMemoryEntry(text, {}, large), /not an object with a list "entries"/);
    }
  });

  it("reads entries, notes of people and members beside the list", () => {
    const text = '{ "rules": "tabs", "entries": [{ "focus": "a" }, "by hand", 3], "archived": 2 }';
    assert.deepEqual(parseWorkingMemory(text), {
      entries: [{ focus: "a" }, { note: "by hand" }],
      pinned: { rules: "tabs" },
      archived: 2,
    });
    assert.deepEqual(parseWorkingMemory("  "), { entries: [], pinned: {}, archived: 0 });
    for (const broken of ["{", "[]", '{"entries": 1}']) assert.equal(parseWorkingMemory(broken), undefined);
  });
});
