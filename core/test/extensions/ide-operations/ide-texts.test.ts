import assert from "node:assert/strict";
import fc from "fast-check";
import type { TextEdit } from "../../../src/base/ide-operations/workspace-edit.js";
import { linesOf } from "../../../src/extensions/ide-operations/documents.js";
import { editedText, lineChanges } from "../../../src/extensions/ide-operations/edits/edited-text.js";
import { isInComment } from "../../../src/extensions/ide-operations/missed-uses.js";
import { parseSymbolAddress } from "../../../src/extensions/ide-operations/symbols/symbol-address.js";
import { WorkspacePaths } from "../../../src/extensions/ide-operations/workspace-paths.js";

const edit = (line: number, from: number, to: number, newText: string): TextEdit => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});

describe("edits of a text", () => {
  it("are made by the places of the text before, in any order, after every kind of line break", () => {
    const text = "one two\r\nthree\rfour 😀 five";
    const edits = [edit(2, 8, 12, "5"), edit(0, 4, 7, "2"), edit(1, 0, 5, "3"), edit(0, 4, 4, "and ")];
    assert.equal(editedText(text, edits), "one 2and \r\n3\rfour 😀 5");
  });

  it("reach over line breaks, end where the line does, and may stand at the end", () => {
    const whole = { start: { line: 0, character: 1 }, end: { line: 1, character: 1 } };
    assert.deepEqual(
      [
        editedText("ab\ncd", [{ range: whole, newText: "-" }]),
        editedText("ab\r\ncd", [edit(0, 1, 99, "-")]),
        editedText("ab", [edit(7, 0, 0, "!")]),
      ],
      ["a-d", "a-\r\ncd", "ab!"],
    );
  });

  it("leave a text as it is that they replace by itself", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab]{0,4}$/), { minLength: 1 }), (lines) => {
        const edits = lines.map((line, index) => edit(index, 0, line.length, line));
        assert.equal(editedText(lines.join("\n"), edits), lines.join("\n"));
      }),
    );
  });
});

describe("the lines that differ", () => {
  it("lead from one text to the other", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const made: string[] = [...before];
        for (const { line, removed, added } of [...lineChanges(before, after)].reverse()) {
          assert.deepEqual(made.slice(line, line + removed.length), removed);
          made.splice(line, removed.length, ...added);
        }
        assert.deepEqual(made, after);
      }),
    );
  });
});

describe("the address of a symbol", () => {
  it("is read in every form, with the spellings of several languages", () => {
    assert.deepEqual(
      [
        "src/a.rs:12:8",
        "C:\\w\\a.rs:12:8",
        "src/a b.rs:12#area",
        "src/a.rs#Circle::area",
        "crate::shape::Circle<T>::area()",
        "Shape.area",
        "(*Circle).Area",
        "println!",
      ].map(parseSymbolAddress),
      [
        { kind: "position", path: "src/a.rs", line: 12, column: 8 },
        { kind: "position", path: "C:\\w\\a.rs", line: 12, column: 8 },
        { kind: "word", path: "src/a b.rs", line: 12, word: "area" },
        { kind: "member", path: "src/a.rs", names: ["Circle", "area"] },
        { kind: "name", names: ["shape", "Circle", "area"] },
        { kind: "name", names: ["Shape", "area"] },
        { kind: "name", names: ["Circle", "Area"] },
        { kind: "name", names: ["println"] },
      ],
    );
  });

  it("is refused with the forms that there are", () => {
    for (const text of ["", "   ", "a.rs:0:1", "src/", "#", "a b"]) {
      assert.throws(() => parseSymbolAddress(text), { code: "invalid-arguments" }, text);
    }
  });

  it("never makes reading it fail otherwise", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseSymbolAddress(text);
        } catch (fault) {
          assert.equal((fault as { code?: unknown }).code, "invalid-arguments");
        }
      }),
    );
  });
});

describe("paths of a workspace", () => {
  it("lead from what is given to a URI, and back to the shortest form", () => {
    const posix = new WorkspacePaths("/w/a b/");
    const windows = new WorkspacePaths("C:\\w");
    assert.deepEqual(
      [
        posix.uriOf("./src/../x.rs"),
        posix.uriOf("/other/x.rs"),
        posix.shown("file:///w/a%20b/src/x.rs"),
        posix.shown("file:///w/a%20bc/x.rs"),
        posix.shown("jdt://contents/x.class"),
        windows.uriOf("src\\x.rs"),
        windows.shown("file:///c%3A/w/src/x.rs"),
      ],
      [
        "file:///w/a%20b/x.rs",
        "file:///other/x.rs",
        "src/x.rs",
        "/w/a bc/x.rs",
        "jdt://contents/x.class",
        "file:///C:/w/src/x.rs",
        "src/x.rs",
      ],
    );
  });
});

describe("a place in a comment", () => {
  it("is told by its line", () => {
    const lines: readonly (readonly [path: string, source: string, isComment: boolean])[] = [
      ["a.rs", "// area", true],
      ["a.rs", "x(); // of area", true],
      ["a.ts", " * of area", true],
      ["a.ts", "/* area", true],
      ["a.ts", "/* of */ area", false],
      ["a.ts", 'open("https://area', false],
      ["a.py", "x = 1  # area", true],
      ["a.py", "x //= area", false],
      ["a.rs", "area() // later", false],
    ];
    assert.deepEqual(
      lines.map(([path, source]) => isInComment(path, source, source.indexOf("area"))),
      lines.map(([, , isComment]) => isComment),
    );
  });

  it("is not taken for code where lines end differently", () => {
    assert.deepEqual(linesOf("a\r\nb\rc\nd"), ["a", "b", "c", "d"]);
  });
});
