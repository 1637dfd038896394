import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

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
    const isTest = (path) =>
      existsSync(join(root, path)) && /\bit(?:\.\w+)?\(/.test(readFileSync(join(root, path), "utf8"));
    assert.deepEqual(
      tests.flat().filter((path) => !isTest(path)),
      [],
    );
  });
});
