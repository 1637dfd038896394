import assert from "node:assert/strict";
import { expandTemplate } from "../../src/context/node/commands-source.js";

describe("the text of a command file", () => {
  it("has the user's words in the places of every product's form", () => {
    const cases = [
      ["Fix $ARGUMENTS now.", "a b", "Fix a b now."],
      ["Compare $1 with $2; $3", `x "y z"`, "Compare x with y z;"],
      ["Explain {{ args }} and {{args}}", "it", "Explain it and it"],
      ["Review $FILE; keep $HOME", "FILE=a.ts", "Review a.ts; keep $HOME"],
      ["Fix it.", "in a.ts", "Fix it.\n\nin a.ts"],
      ["Fix it.", "", "Fix it."],
    ] as const;
    assert.deepEqual(
      cases.map(([template, words]) => expandTemplate(template, words)),
      cases.map(([, , expected]) => expected),
    );
  });

  it("runs no shell command and reads no file, and says so", () => {
    const notRun =
      "Parts of the form !`…` or !{…} are shell commands. None of them was run: run what you need with your own tools.";
    const notRead = "Text after an @ names a file: read it yourself.";
    assert.deepEqual(
      ["See !`git diff`.", "See !{git diff}.", "See @src/a.ts", "See @{a.ts}"].map((text) => expandTemplate(text, "")),
      [
        `See !\`git diff\`.\n\n${notRun}`,
        `See !{git diff}.\n\n${notRun}`,
        `See @src/a.ts\n\n${notRead}`,
        `See @{a.ts}\n\n${notRead}`,
      ],
    );
  });
});
