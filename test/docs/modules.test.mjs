import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tableRows } from "../../scripts/modules/table.mjs";
import { root } from "./documents.mjs";

describe("the table of modules in ARCHITECTURE.md", () => {
  it("is the one that `npm run lint` holds the repository to (`node scripts/modules.mjs --table` prints it)", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const [, section = ""] = page.split("\n## Modules\n");
    const rows = section
      .split("\n## ")[0]
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      );
    assert.deepEqual(rows, tableRows());
  });
});

describe("the stories in ARCHITECTURE.md", () => {
  const [, section = ""] = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("\n## Four stories\n");
  const stories = section
    .split("\n## ")[0]
    .split("\n- ")
    .slice(1)
    .map((text) => {
      const [title, list] = text.replaceAll(/\s+/g, " ").split("): ");
      return {
        title,
        count: Number(/\((\d+) files/.exec(title)?.[1]),
        files: [...list.matchAll(/`([^`]+)`/g)].map(([, file]) => file),
      };
    });

  it("are four, and name files that are there, as many as they say", () => {
    const isThere = (file) => ["core/src", "vscode-extension"].some((at) => existsSync(join(root, at, `${file}.ts`)));
    assert.deepEqual(
      stories.map(({ title, count, files }) => [title, count - files.length, files.filter((file) => !isThere(file))]),
      stories.map(({ title }) => [title, 0, []]),
    );
    assert.equal(stories.length, 4);
  });

  it("are short enough to be read in one go", () => {
    assert.deepEqual(
      stories.filter(({ count }) => count > 16).map(({ title }) => title),
      [],
    );
  });
});
