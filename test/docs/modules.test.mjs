import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
