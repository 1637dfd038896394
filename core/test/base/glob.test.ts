import assert from "node:assert/strict";
import { Glob } from "../../src/base/glob.js";

/** Paths that each pattern matches, and paths that it does not. */
const rows: readonly (readonly [pattern: string, matching: readonly string[], others: readonly string[]])[] = [
  ["*.ts", ["a.ts", ".ts"], ["a/b.ts", "a.tsx"]],
  ["src/*.ts", ["src/a.ts"], ["src/a/b.ts", "lib/src/a.ts"]],
  ["**/*.ts", ["a.ts", "a/b/c.ts"], ["a.js"]],
  ["**.ts", ["a.ts", "a/b.ts"], ["a.js"]],
  ["src/**", ["src", "src/a", "src/.a/b"], ["srcs/a"]],
  ["src/**/**", ["src", "src/a/b"], ["lib"]],
  ["*/**", ["a/b", "a/b/c"], ["a"]],
  ["src/**/test/*", ["src/test/a", "src/a/b/test/c"], ["src/test/a/b"]],
  ["a**b", ["ab", "axb"], ["a/b"]],
  ["?.[ch]", ["a.c", "b.h"], ["ab.c", "a.x", "/.c"]],
  ["[!a-c]", ["d", "-"], ["a", "b", "/"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["[a", ["[a"], ["a"]],
  ["*.{js,ts{,x}}", ["a.js", "a.ts", "a.tsx"], ["a.jsx", "a."]],
  ["{src,lib/**}/a", ["src/a", "lib/a", "lib/b/a"], ["a"]],
  ["{a}", ["{a}"], ["a"]],
  ["{a,b", ["{a,b"], ["a"]],
  ["a,b", ["a,b"], ["a"]],
  ["app/(auth)/+page.@(x)", ["app/(auth)/+page.@(x)"], ["app/auth/page.x"]],
  ["\\*\\{a,b}", ["*{a,b}"], ["xa"]],
  ["", [""], ["a"]],
];

describe("a glob", () => {
  for (const [pattern, matching, others] of rows) {
    it(`matches whole paths: ${JSON.stringify(pattern)}`, () => {
      const glob = new Glob(pattern);
      const matches = (path: string): boolean => glob.matches(path);
      assert.deepEqual([matching.filter(matches), others.filter(matches)], [matching, []]);
    });
  }

  it("ignores case where it is told to", () => {
    const isMatch = (ignoreCase: boolean): boolean => new Glob("SRC/[A-C]*.Ts", { ignoreCase }).matches("src/Bx.tS");
    assert.deepEqual([isMatch(true), isMatch(false)], [true, false]);
  });
});
