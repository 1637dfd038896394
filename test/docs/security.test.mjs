import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

const isTest = (path) =>
  existsSync(join(root, path)) && /\bit(?:\.\w+)?\(/.test(readFileSync(join(root, path), "utf8"));

/** Sections of a page that say what it does not promise. */
const limits = ["Limits", "Not covered"];

for (const name of ["sandbox", "sandbox-files", "sandbox-network", "guard"]) {
  describe(`the page ${name}.md`, () => {
    it("names tests in each section that promises something", () => {
      const [, ...sections] = readFileSync(join(root, `docs/${name}.md`), "utf8").split(/^## /m);
      const lacking = sections.flatMap((section) => {
        const [title] = section.split("\n");
        const paths = /<!-- tests: (.+) -->/.exec(section)?.[1].split(" ") ?? [];
        return limits.includes(title) || (paths.length > 0 && paths.every(isTest)) ? [] : [title];
      });
      assert.ok(sections.length > 3);
      assert.deepEqual(lacking, []);
    });
  });
}

describe("the page about security", () => {
  it("names no promise without a test", () => {
    const page = readFileSync(join(root, "docs/security.md"), "utf8");
    const [, promises] = /## What we promise\n([^]*?)\n## /.exec(page);
    const rows = promises.split("\n").filter((line) => /^\| [^-]/.test(line));
    const tests = rows.slice(1).map((row) => [...row.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path));
    assert.ok(tests.length > 10);
    assert.deepEqual(
      tests.filter((paths) => paths.length === 0),
      [],
    );
    assert.deepEqual(
      tests.flat().filter((path) => !isTest(path)),
      [],
    );
  });
});
