import assert from "node:assert/strict";
import fc from "fast-check";
import { checkpointNames, newCheckpointName } from "../../../src/extensions/sparkle/checkpoint.js";
import { isSparkleSpaceIgnored } from "../../../src/extensions/sparkle/ignore-rules.js";
import {
  boundNotebook,
  entryBody,
  parseNotebook,
  toEntry,
  toListItems,
  withEntry,
} from "../../../src/extensions/sparkle/notebook-entries.js";
import { parseSparkleOptions, sparkleToolNames } from "../../../src/extensions/sparkle/sparkle-options.js";
import { boundedList, cutToBytes, utf8Length } from "../../../src/base/text-bounds.js";

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 2, 3, 4, second));
const entry = (content: string, second = 5): string => toEntry({ savedAt: at(second), content });

describe("Sparkle's notebooks", () => {
  it("write an entry as Markdown that people can read", () => {
    const note = { savedAt: at(5), content: "Ask first.", workspace: "/w", context: "A review", tags: ["a", "b"] };
    assert.equal(
      toEntry(note),
      "## 2026-01-02T03:04:05Z\n\nAsk first.\n\nWorkspace: /w\nContext: A review\nTags: a, b\n",
    );
  });

  it("keep everything that people wrote when an entry is added", () => {
    const edited = "# Mine\r\n\r\n<!-- a comment -->\r\nhand-written\r\n\r\n## My heading\r\n\r\ntext without end";
    const text = withEntry(edited, "unused", entry("new"));
    assert.equal(text, `${edited}\r\n\r\n## 2026-01-02T03:04:05Z\r\n\r\nnew\r\n`);
  });

  it("begin an absent or empty file with the template", () => {
    for (const old of [undefined, "", " \n"]) {
      assert.equal(withEntry(old, "# Title\n", entry("x")), "# Title\n\n## 2026-01-02T03:04:05Z\n\nx\n");
    }
  });

  it("read back one entry for each that was added, whatever it says", () => {
    const line = fc.oneof(fc.constantFrom("## x", "# y", "```", "~~~ js", "## 2026-01-01T00:00:00Z", ""), fc.string());
    const content = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 5 }), (contents) => {
        const text = contents.reduce((notes, each) => withEntry(notes, "# T\n", entry(each)), "");
        const { preamble, entries } = parseNotebook(text);
        assert.equal(entries.length, contents.length);
        assert.equal(preamble + entries.join(""), text);
      }),
    );
  });

  it("put headings of content below their own, and leave code alone", () => {
    assert.equal(entryBody(entry("# A\n```sh\n# comment\n```\n## B")), "### A\n```sh\n# comment\n```\n### B");
  });

  it("move the oldest entries out when the file is too large, and count them in one line", () => {
    const text = [1, 2, 3, 4].reduce((notes, n) => withEntry(notes, "# T\n", entry(`${n}`.repeat(100), n)), "");
    const first = boundNotebook(text, 400);
    assert.deepEqual(
      first.moved.map((moved) => entryBody(moved)[0]),
      ["1", "2", "3"],
    );
    assert.match(first.text, /^# T\n\n> 3 older entries are in archive\/\.\n\n## 2026-01-02T03:04:04Z/);
    const grown = withEntry(first.text, "", entry("5".repeat(300), 5));
    const second = boundNotebook(grown, 400);
    assert.equal(second.text.match(/older entr/g)?.length, 1);
    assert.match(second.text, /> 4 older entries are in archive/);
  });

  it("never move the newest entry, nor anything while the file is small enough", () => {
    const one = withEntry(undefined, "# T\n", entry("x".repeat(500)));
    assert.deepEqual(boundNotebook(one, 100), { text: one, moved: [] });
    const two = withEntry(one, "", entry("y"));
    assert.deepEqual(boundNotebook(two, utf8Length(two)), { text: two, moved: [] });
  });

  it("list entries with the newest first, hand-written notes ahead of all, and comments left out", () => {
    const text = `# T\n<!-- hint -->\n- by hand\n\n${entry("old\n\nmore", 1)}\n## Mine\n\nown\n`;
    assert.deepEqual(toListItems(text), ["- by hand", "- Mine: own", "- 2026-01-02: old\n  more"]);
  });

  it("list only the entries of one workspace, and do not repeat its name", () => {
    const of = (workspace: string): string => toEntry({ savedAt: at(1), content: `about ${workspace}`, workspace });
    assert.deepEqual(toListItems(of("/w") + of("/w/sub"), "/w"), ["- 2026-01-02: about /w"]);
  });
});

describe("Sparkle's checkpoints", () => {
  it("are named by their time, and never twice", () => {
    const first = newCheckpointName(at(5), []);
    const second = newCheckpointName(at(5), [first]);
    assert.deepEqual([first, second], ["checkpoint-2026-01-02T03-04-05Z.md", "checkpoint-2026-01-02T03-04-05Z.2.md"]);
    const later = newCheckpointName(at(6), []);
    assert.deepEqual(checkpointNames([first, later, "notes.md", second, "checkpoint-../x.md"]), [later, second, first]);
  });
});

describe("Sparkle's bounds", () => {
  it("count bytes as UTF-8 has them", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme" }), (text) => utf8Length(text) === Buffer.byteLength(text)));
  });

  it("cut between characters and stay within the limit", () => {
    assert.equal(cutToBytes("äöü😀", 8), "äö…");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 3, max: 40 }), (text, limit) => {
        assert.ok(Buffer.byteLength(cutToBytes(text, limit)) <= limit);
      }),
    );
  });

  it("take what fits and count the rest", () => {
    const rest = (count: number): string => `+${count}`;
    assert.equal(boundedList(["aa", "bb", "cc"], 8, rest), "aa\nbb\ncc");
    assert.equal(boundedList(["aa", "bb", "cc"], 7, rest), "aa\n+2");
    assert.equal(boundedList(["a".repeat(50), "b"], 12, rest), "aaaaaa…\n+1");
  });
});

describe("Sparkle's reading of ignore rules", () => {
  const isIgnored = (text: string, below = ""): boolean => isSparkleSpaceIgnored([{ below, text }]);

  it("knows the rules that cover the folder", () => {
    for (const rule of [
      ".sparkle-space/",
      ".sparkle-space",
      "/.sparkle-space/",
      "**/.sparkle-space",
      ".*",
      ".sparkle-*/",
      "*",
    ]) {
      assert.equal(isIgnored(`# comment\r\n${rule}\r\n`), true, rule);
    }
    for (const rule of [
      "",
      "#.sparkle-space",
      ".sparkle-spaces",
      "sparkle-space",
      "x/.sparkle-space",
      ".sparkle",
      "[",
    ]) {
      assert.equal(isIgnored(rule), false, rule);
    }
  });

  it("follows rules of folders above", () => {
    assert.equal(isIgnored("/a/b/.sparkle-space", "a/b"), true);
    assert.equal(isIgnored("a/", "a/b"), true);
    assert.equal(isIgnored("/.sparkle-space", "a/b"), false);
    assert.equal(isIgnored("a/**/.sparkle-space", "a/b"), true);
  });

  it("lets the last rule decide", () => {
    assert.equal(isIgnored(".*\n!.sparkle-space"), false);
    const files = [
      { below: "a", text: "!.sparkle-space" },
      { below: "", text: ".sparkle-space" },
    ];
    assert.equal(isSparkleSpaceIgnored(files), true);
  });
});

describe("Sparkle's options", () => {
  it("have defaults for everything that has another form", () => {
    const defaults = { tools: new Set(sparkleToolNames), embodiment: true, collaborator: "Sparkle" };
    for (const options of [undefined, null, 1, [], { tools: "all", embodiment: "no", collaborator: " " }]) {
      assert.deepEqual(parseSparkleOptions(options), defaults);
    }
  });

  it("choose tools, embodiment and the name", () => {
    assert.deepEqual(
      parseSparkleOptions({ tools: ["save_insight", "nope"], embodiment: false, collaborator: "Ada\nB" }),
      {
        tools: new Set(["save_insight"]),
        embodiment: false,
        collaborator: "Ada B",
      },
    );
  });
});
