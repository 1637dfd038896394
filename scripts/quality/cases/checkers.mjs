// Recorded cases of compilers and linters.
import { compilerCases } from "./compilers.mjs";
import { linterCases } from "./linters.mjs";

const typescript = (files) => ({
  "package.json": '{ "type": "module" }\n',
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [], "module": "nodenext" }, "include": ["src"] }\n',
  ...files,
});
const rules = '{ "no-undef": "error", "no-unused-vars": "error", "no-var": "warn", eqeqeq: "error" }';
const javascript = (files) => ({
  "package.json": '{ "type": "module" }\n',
  "eslint.config.js": `export default [{ files: ["src/**/*.js"], rules: ${rules} }];\n`,
  ...files,
});
const ruff = (files) => ({ "pyproject.toml": '[tool.ruff.lint]\nselect = ["E", "F", "B"]\n', ...files });
const mypy = (files) => ({ "pyproject.toml": "[tool.mypy]\nstrict = true\n", ...files });

const python = `import os
import sys


def total(items=[]):
    price = 1
    return missing + len(items)


def name():
    try:
        return 1
    except:
        return undefined_too
`;
const one = (runner, name, files, signals, more = {}) => ({ runner, name, files, signals, ...more });

export const checkerCases = [
  one("tsc", "pass", typescript({ "src/a.ts": "export const a = 1;\n" }), [], { passes: true }),
  one(
    "tsc",
    "faults",
    typescript({
      "src/cart.ts": `import { nowhere } from "./nowhere.js";
interface Order { id: number; sum: { net: number; tax: number } }
export const order: Order = { id: 7, sum: { net: "430", tax: 84 } };
export function total(items: Order[]): string {
  return items.map((item) => item.sum.gross).length;
}
const same: { a: { b: number } } = { a: { b: 1, c: 2 } };
export const take = (text: string): string => text;
take(1);
take(2);
take(nowhere, same);
`,
    }),
    [
      "src/cart.ts",
      "TS2307",
      "./nowhere.js",
      ["3:45", "(3,45)", "3:48"],
      "Type 'string' is not assignable to type 'number'",
      "'gross' does not exist",
      "TS2353",
      "Expected 1 arguments, but got 2",
    ],
  ),
  one(
    "tsc",
    "config",
    { ...typescript({ "src/a.ts": "export {};\n" }), "tsconfig.json": '{ "compilerOptions": { "strct": true } }\n' },
    ["strct"],
  ),
  one("eslint", "pass", javascript({ "src/a.js": "export const a = 1;\n" }), [], { passes: true }),
  one(
    "eslint",
    "faults",
    javascript({
      "src/a.js":
        "var x = missing;\nvar y = missing;\nexport function f(a) {\n  if (x == y) return 1;\n  return gone;\n}\n",
      "src/b.js": "const unused = 1;\nconst other = 2;\n",
      "src/c.js": "export const = 1;\n",
    }),
    [
      "a.js",
      "no-undef",
      "'missing' is not defined",
      "1:9",
      "2:9",
      "'gone' is not defined",
      "no-var",
      "eqeqeq",
      "b.js",
      "'unused' is assigned",
      "'other' is assigned",
      "c.js",
      "Unexpected token",
    ],
  ),
  one(
    "eslint",
    "config",
    javascript({ "eslint.config.js": "export default nonsense;\n", "src/a.js": "export {};\n" }),
    ["nonsense is not defined"],
  ),
  one("ruff", "pass", ruff({ "a.py": "A = 1\n" }), [["no findings", "All checks passed"]], { passes: true }),
  one("ruff", "faults", ruff({ "shop/cart.py": python, "shop/broken.py": "def f(:\n    pass\n" }), [
    "cart.py",
    "F401",
    "`os` imported but unused",
    "`sys` imported but unused",
    "B006",
    "F841",
    "F821",
    "`missing`",
    "`undefined_too`",
    "E722",
    "broken.py",
    ["1:7", "1:8"],
  ]),
  one("ruff", "config", { ...ruff({ "a.py": "A = 1\n" }), "pyproject.toml": "[tool.ruff]\nno-such-key = 1\n" }, [
    "no-such-key",
  ]),
  one("mypy", "pass", mypy({ "a.py": "A = 1\n" }), [["no findings", "Success"]], { passes: true }),
  one(
    "mypy",
    "faults",
    mypy({
      "shop.py": `import nowhere_at_all


def total(items: list[int]) -> str:
    return sum(items)


def name(x):
    return x


total(["a"])
price: int = "free"
print(total([1]).gone)
`,
    }),
    [
      "shop.py",
      "nowhere_at_all",
      "import-not-found",
      "Incompatible return value type",
      "no-untyped-def",
      "list-item",
      "assignment",
      '"str" has no attribute "gone"',
    ],
  ),
  one("mypy", "syntax", mypy({ "shop.py": "def f(:\n    pass\n" }), ["shop.py", "syntax"]),
  ...compilerCases,
  ...linterCases,
];
