import assert from "node:assert/strict";
import { boundedDiff } from "../../../src/features/scm/bounded-diff.js";
import { commitPrompt, messageIn } from "../../../src/features/scm/commit-message.js";
import { findingsIn } from "../../../src/features/scm/findings-in-answer.js";

function fileDiff(name: string, lines: number): string {
  const added = Array.from({ length: lines }, (_, at) => `+line ${at}\n`).join("");
  return `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -0,0 +1,${lines} @@\n${added}`;
}

describe("a diff for an agent", () => {
  it("is whole where there is room", () => {
    const diff = fileDiff("a.ts", 3);
    assert.equal(boundedDiff(diff), diff.trimEnd());
  });

  it("loses lines of its longest files alone, and says how many", () => {
    const [small, large, huge] = [fileDiff("small.ts", 2), fileDiff("large.ts", 400), fileDiff("huge.ts", 4_000)];
    const bounded = boundedDiff(large + small + huge, 2_000);
    assert.ok(bounded.length < 2_100, String(bounded.length));
    assert.ok(bounded.includes(small));
    const missing = [...bounded.matchAll(/\[(\d+) more lines\]/g)].map(([, count]) => Number(count));
    const kept = bounded.match(/^\+line /gm)?.length ?? 0;
    assert.equal(missing.length, 2);
    assert.equal(kept + missing.reduce((all, one) => all + one, 0), 2 + 400 + 4_000);
  });

  it("names every file, however many there are", () => {
    const names = Array.from({ length: 300 }, (_, at) => `file-${at}.ts`);
    const bounded = boundedDiff(names.map((name) => fileDiff(name, 20)).join(""), 1_000);
    assert.deepEqual(
      names.filter((name) => !bounded.includes(`diff --git a/${name} `)),
      [],
    );
  });
});

describe("a commit message", () => {
  it("is asked for with the diff, the names of new files, the branch and the style of the repository", () => {
    const change = { isStaged: false, diff: "diff --git a/a b/a\n+```", untracked: ["new.ts"] };
    const prompt = commitPrompt(change, "main", ["Add a cart\n\nWith a body.", "", "Fix the total"]);
    assert.equal(
      prompt.slice(prompt.indexOf("Write it in")),
      [
        "Write it in the language and the style of this repository's latest messages:",
        "- Add a cart\n- Fix the total",
        "The branch: main",
        "All changes; nothing is staged:",
        "````diff\ndiff --git a/a b/a\n+```\n````",
        "New files, which are in no diff: new.ts",
      ].join("\n\n"),
    );
  });

  it("is found in answers that put something around it", () => {
    const message = "Add a cart\n\nWith `total`.";
    const answers = [
      message,
      `\n${message}\r\n`,
      `\`\`\`\n${message}\n\`\`\``,
      `Here it is:\n\n\`\`\`text\n${message}\n\`\`\`\nDone.`,
    ];
    assert.deepEqual(answers.map(messageIn), [message, message, message, message]);
    assert.deepEqual(['"Add a cart"', "`Add a cart`", 'Call it "cart"'].map(messageIn), [
      "Add a cart",
      "Add a cart",
      'Call it "cart"',
    ]);
  });
});

describe("findings in an answer", () => {
  it("are lines with a path, a line and words, however they are set", () => {
    const answer = [
      "I looked at everything.",
      "src/cart.ts:12: the discount is ignored",
      "- `src/cart.ts:14-16`: divides by zero",
      "  when the cart is empty",
      "2. **lib/my file.py:3:7** — never closed",
      "",
      "* [Makefile:1]: no such target",
    ].join("\n");
    assert.deepEqual(findingsIn(answer), [
      { path: "src/cart.ts", line: 12, text: "the discount is ignored" },
      { path: "src/cart.ts", line: 14, text: "divides by zero\nwhen the cart is empty" },
      { path: "lib/my file.py", line: 3, text: "never closed" },
      { path: "Makefile", line: 1, text: "no such target" },
    ]);
  });

  it("are nothing else", () => {
    const answer = [
      "It starts at 10:30: be there.x",
      "See http://host:80/ please",
      "```",
      "a.ts:1: in code",
      "```",
      "All is well: 3:1",
    ];
    const found = findingsIn(answer.join("\n"));
    assert.deepEqual(
      found.filter(({ path }) => path === "a.ts" || path.includes("http")),
      [],
    );
  });
});
