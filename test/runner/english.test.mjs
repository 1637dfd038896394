import assert from "node:assert/strict";
import { englishProblems, loweredBaseline, readFileEnglish } from "../../scripts/english/count.mjs";

/** The hits in a file, as `line name`. */
const hitsIn = (file, text) => readFileEnglish(file, text).hits.map(({ line, name }) => `${line} ${name}`);

describe("the check of English", () => {
  it("finds each pattern", () => {
    const sentences = {
      "What the agent can do passes as the object that it was.": "what-subject",
      "Where figures are not kept, days are missing.": "where-condition",
      "It is on by now.": "frozen-phrase",
      "It has the agent write the lines.": "has-do",
      "The path stands in the file.": "odd-verb",
      "It reads projects of TypeScript.": "of-genitive",
      "It reads, then sorts, and then, if asked, writes; after that, it ends.": "clause-chain",
      "It works, also without a network.": "also-preposition",
      "Everything begins anew.": "old-word",
    };
    assert.deepEqual(
      Object.keys(sentences).map((sentence) => hitsIn("docs/a.md", sentence)),
      Object.values(sentences).map((name) => [`1 ${name}`]),
    );
  });

  it("accepts plain sentences, questions and lists", () => {
    const text = [
      "What is a proxy? Where is the file? Symposium asks when a rule says `ask`.",
      "It reads npm, pip, cargo, Go, Maven, Gradle and uv. Use `a`, `b`, `c`, `d`, `e` or `f`.",
      "Open the file as it is shown here.",
    ].join("\n\n");
    assert.deepEqual(hitsIn("docs/a.md", text), []);
  });

  it("reads Markdown without samples and code, each cell and item by itself", () => {
    const text = [
      "# Where it is kept",
      "```sh",
      "# Where it stands in",
      "```",
      "| a | Where there is none |",
      "- runs; `it stands in` code",
      "- Where there is none",
      "",
      "A line of text. Where there",
      "is none, it ends.",
    ].join("\n");
    assert.deepEqual(hitsIn("docs/a.md", text), [
      "1 where-condition",
      "5 where-condition",
      "7 where-condition",
      "9 where-condition",
    ]);
  });

  it("reads comments and strings of code, by their kind", () => {
    const text = [
      "const a = /[\"'`]/; // Where there is one.",
      "/**",
      " * Runs it.",
      " * What it returns is a number.",
      " */",
      'const b = "Where there is none, it ends.";',
      "const c = `${a} stands in ${b} for now`;",
      'const d = "a where b";',
    ].join("\n");
    assert.deepEqual(
      readFileEnglish("core/src/a.ts", text).hits.map(({ kind, line, name }) => [kind, line, name]),
      [
        ["comments", 1, "where-condition"],
        ["comments", 4, "what-subject"],
        ["texts", 6, "where-condition"],
        ["texts", 7, "odd-verb"],
      ],
    );
    assert.deepEqual(
      readFileEnglish("core/test/a.test.ts", text).hits.map(({ line }) => line),
      [1, 4],
    );
  });

  it("reads the texts of a manifest", () => {
    const text = '{\n  "title": "Where there is none",\n  "name": "Where there is none"\n}';
    assert.deepEqual(hitsIn("vscode-extension/package.json", text), ["2 where-condition"]);
  });

  it("names each sentence of a file that has more than it may have", () => {
    const found = new Map([
      ["a.md", readFileEnglish("a.md", "Begin anew.\n\nEnd anew.").hits],
      ["b.md", readFileEnglish("b.md", "Begin anew.").hits],
    ]);
    assert.deepEqual(englishProblems(found, { "a.md": 2, "b.md": 1 }), []);
    assert.deepEqual(englishProblems(found, { "a.md": 3 }), [
      'b.md:1: old-word: write "should" or "does", "again", "except", "in addition to". In: Begin anew.',
      "b.md has 1 of these, and may have 0.",
    ]);
  });

  it("lets numbers move between files, and their sum only fall", () => {
    const found = new Map([
      ["new.md", [{}, {}]],
      ["none.md", []],
    ]);
    assert.deepEqual(loweredBaseline(found, { "old.md": 3 }), { allowed: { "new.md": 2 } });
    assert.deepEqual(loweredBaseline(found, { "old.md": 1 }), {
      refusal: "All files together have 2 hits, and may have 1.",
    });
  });
});
