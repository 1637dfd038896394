// Cases to record for more compilers and type checkers, including each one's pitfalls.
import { referencesCases } from "./typescript-references.mjs";

const one = (runner, name, files, signals, more = {}) => ({ runner, name, files, signals, ...more });
const repeat = (count, of) => Array.from({ length: count }, (_, index) => of(index));

const typescript = (files, options = {}) => ({
  "package.json": '{ "type": "module" }\n',
  "tsconfig.json": `${JSON.stringify({ compilerOptions: { strict: true, types: [], module: "nodenext", ...options }, include: ["src"] })}\n`,
  ...files,
});
const order = `interface Order { id: number; sum: { net: number; tax: number } }
export const order: Order = { id: "7", sum: { net: 430, tax: "84" } };
export const same: Order = { id: 7, sum: { net: 430, vat: 84 } };
`;
const orderSignals = [
  "src/order.ts",
  "2:31",
  "2:57",
  "'string' is not assignable to type 'number'",
  "'vat' does not exist",
];
const chain = `type Handler = (request: { path: string; user: { name: string; age: number } }) => { status: number; body: string };
const handler: Handler = (request) => ({ status: "ok", body: request.user.age });
const handlers: Record<string, Handler> = { home: (request) => ({ status: 200, body: request.user.name, extra: 1 }), away: () => ({ status: 404 }) };
export const all = [handler, handlers];
`;

const typescriptCases = [
  ...referencesCases,
  one(
    "tsc",
    "many",
    typescript(
      Object.fromEntries(
        repeat(3, (file) => [
          `src/part${file}.ts`,
          `${repeat(4, (n) => `export const value${n}: number = "text ${n}";`).join("\n")}\n`,
        ]),
      ),
    ),
    [
      "src/part0.ts",
      "src/part1.ts",
      "src/part2.ts",
      "1:14",
      "4:14",
      "Type 'string' is not assignable to type 'number'",
    ],
  ),
  one("tsc", "syntax", typescript({ "src/a.ts": "export const = 1;\nfunction f( {\n" }), [
    "src/a.ts",
    "1:14",
    "TS1134",
  ]),
  one("tsc", "deep", typescript({ "src/chain.ts": chain }), [
    "src/chain.ts",
    "TS2322",
    "Type 'string' is not assignable to type 'number'",
    "Property 'body' is missing",
    "Type 'number' is not assignable to type 'string'",
  ]),
  one("tsc", "nothing", typescript({ "other/a.ts": "export {};\n" }), ["TS18003", "No inputs were found"]),
  one(
    "tsc",
    "javascript",
    typescript({ "src/a.js": "/** @type {number} */\nexport const a = 'x';\n" }, { checkJs: true, noEmit: true }),
    ["src/a.js", "2:14", "TS2322"],
  ),
  one(
    "tsc",
    "types",
    typescript(
      { "src/a.ts": 'console.log(process.env.HOME);\nimport { join } from "node:path";\njoin("a");\n' },
      { lib: ["es2023"] },
    ),
    ["src/a.ts", "'console'", "'process'", "'node:path'"],
  ),
  // Version 7 exits with 1 where the others exit with 2, and has another order.
  one("tsc", "version-5", typescript({ "src/order.ts": order }), orderSignals, { typescript: "5" }),
  one("tsc", "version-7", typescript({ "src/order.ts": order }), orderSignals, { typescript: "7" }),
  one(
    "tsc",
    "version-7-deep",
    typescript({ "src/chain.ts": chain }),
    ["src/chain.ts", "TS2322", "Property 'body' is missing"],
    {
      typescript: "7",
    },
  ),
];

const mypy = (files, more = "") => ({ "pyproject.toml": `[tool.mypy]\nstrict = true\n${more}`, ...files });
const pyright = (files, config = {}) => ({
  "pyproject.toml": "",
  "pyrightconfig.json": `${JSON.stringify(config)}\n`,
  ...files,
});
const typed = `import nowhere_at_all


def total(items: list[int]) -> str:
    return sum(items)


total(["a"])
price: int = "free"
print(total([1]).gone)
`;
const overloads = `from typing import overload


@overload
def price(name: str) -> int: ...
@overload
def price(name: int) -> str: ...
def price(name: object) -> object:
    return name


price(1.5)
`;
const manyTypes = `${repeat(12, (n) => `value_${n}: int = "text ${n}"`).join("\n")}\n`;

const pythonCases = [
  one("mypy", "many", mypy({ "shop.py": manyTypes }), [
    "shop.py",
    "1:",
    "12:",
    "assignment",
    'has type "str", variable has type "int"',
  ]),
  one("mypy", "notes", mypy({ "shop.py": overloads }), [
    "shop.py",
    "12:",
    "call-overload",
    "No overload variant",
    "def price(name: str) -> int",
    "def price(name: int) -> str",
  ]),
  one("mypy", "reveal", mypy({ "shop.py": "x = [1]\nreveal_type(x)\n" }), ["shop.py", "2:", "list[", "int"]),
  one("mypy", "unused-ignore", mypy({ "shop.py": "x: int = 1  # type: ignore\n" }), [
    "shop.py",
    'Unused "type: ignore" comment',
  ]),
  one(
    "mypy",
    "packages",
    mypy({ "shop/__init__.py": "", "shop/a.py": 'x: int = ""\n', "web/__init__.py": "", "web/b.py": "y: str = 1\n" }),
    ["shop/a.py", "web/b.py", 'has type "str", variable has type "int"', 'has type "int", variable has type "str"'],
  ),
  // Exit code 2: it could not check, and everything else is unknown.
  one("mypy", "stopped", mypy({ "shop.py": "def f(:\n    pass\n", "other.py": 'x: int = "free"\n' }), [
    "shop.py",
    "prevented further checking",
  ]),
  one("mypy", "twice", mypy({ "a/shop.py": "x = 1\n", "b/shop.py": "y = 1\n" }), ["Duplicate module named", "shop"]),
  one("pyright", "pass", pyright({ "a.py": "A = 1\n" }), [["no findings", "0 errors"]], { passes: true }),
  one("pyright", "faults", pyright({ "shop.py": typed }), [
    "shop.py",
    "1:8",
    "nowhere_at_all",
    "reportMissingImports",
    "5:12",
    '"int" is not assignable to "str"',
    "reportReturnType",
    "8:8",
    '"list[int]"',
    "9:14",
    "10:18",
    'attribute "gone"',
  ]),
  one("pyright", "many", pyright({ "shop.py": manyTypes, "web.py": manyTypes }), [
    "shop.py",
    "web.py",
    "1:16",
    "12:17",
    "\"Literal['text 0']\"",
  ]),
  one("pyright", "syntax", pyright({ "shop.py": "def f(:\n    pass\n" }), ["shop.py", "1:7"]),
  one(
    "pyright",
    "warnings",
    pyright(
      { "shop.py": "import os\n\n\ndef f(x: int) -> None:\n    y = x\n" },
      { reportUnusedImport: "warning", reportUnusedVariable: "warning" },
    ),
    ["shop.py", "reportUnusedImport", "reportUnusedVariable"],
    { passes: true },
  ),
  one(
    "pyright",
    "config",
    {
      "pyproject.toml": "",
      "pyrightconfig.json": '{ "typeCheckingMode": "nonsense", "reportUnusedImport": 7 }\n',
      "a.py": "A: int = ''\n",
    },
    ["a.py", "1:10"],
  ),
  one("pyright", "nothing", pyright({ "readme.txt": "none\n" }), [["No source files", "no findings"]], {
    passes: true,
  }),
  one(
    "pyright",
    "deep",
    pyright({
      "shop.py":
        "from typing import Callable\n\n\ndef apply(f: Callable[[int, str], dict[str, list[int]]]) -> None: ...\n\n\ndef wrong(a: str, b: int) -> dict[str, list[str]]:\n    return {}\n\n\napply(wrong)\n",
    }),
    ["shop.py", "11:7", "reportArgumentType", 'Parameter 1: type "int" is incompatible with type "str"'],
  ),
];

const goModule = "module shop.example/shop\n\ngo 1.26\n";
const go = (files) => ({ "go.mod": goModule, ...files });
const golangci = (files, config = 'version: "2"\n') => ({ ...go(files), ".golangci.yml": config });
const printing = 'package cart\n\nimport "fmt"\n\nfunc Show() {\n\tfmt.Printf("%d\\n", "seven")\n}\n';
const manyUndefined = `package stock\n\nfunc F() int {\n\treturn ${repeat(12, (n) => `missing${n}`).join(" +\n\t\t")}\n}\n`;

const goCases = [
  one("go vet", "pass", go({ "a/a.go": "package a\n\nfunc F() int { return 1 }\n" }), [], { passes: true }),
  one(
    "go vet",
    "faults",
    go({
      "cart/cart.go": printing,
      "stock/stock.go":
        'package stock\n\nimport "sync"\n\ntype Stock struct{ mu sync.Mutex }\n\nfunc Copy(s Stock) Stock { return s }\n',
      "stock/stock_test.go": 'package stock\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.Errorf("%s") }\n',
    }),
    ["cart/cart.go", "6:", "wrong type string", "stock/stock.go", "passes lock by value", "stock/stock_test.go", "5:"],
  ),
  // Vet stops at the first error of a package, and a build at the tenth.
  one("go vet", "build", go({ "stock/stock.go": manyUndefined, "cart/cart.go": printing }), [
    "stock/stock.go",
    ...["undefined: ", "missing0"],
    "cart/cart.go",
    "wrong type string",
  ]),
  one("go vet", "syntax", go({ "stock/stock.go": "package stock\n\nfunc F() {\n\tif {\n}\n" }), [
    "stock/stock.go",
    "4:5",
  ]),
  one(
    "go vet",
    "load",
    go({ "stock/stock.go": 'package stock\n\nimport "shop.example/shop/nowhere"\n\nvar X = nowhere.Y\n' }),
    ["stock/stock.go", "3:8", "shop.example/shop/nowhere"],
  ),
  one(
    "go vet",
    "cycle",
    go({
      "a/a.go": 'package a\n\nimport "shop.example/shop/b"\n\nvar A = b.B\n',
      "b/b.go": 'package b\n\nimport "shop.example/shop/a"\n\nvar B = a.A\n',
    }),
    ["import cycle not allowed", "shop.example/shop/b"],
  ),
  one("go vet", "nothing", go({ "readme.txt": "none\n" }), [["no packages", "matched no packages"]]),
  one(
    "golangci-lint",
    "pass",
    golangci({ "a/a.go": "package a\n\nfunc F() int { return 1 }\n" }),
    [["no findings", "0 issues"]],
    {
      passes: true,
    },
  ),
  one("golangci-lint", "faults", golangci({ "cart/cart.go": `${printing}\nfunc unused() int { return 1 }\n` }), [
    "cart/cart.go",
    "6:",
    "wrong type string",
    "govet",
    "9:6",
    "func unused is unused",
  ]),
  // It shows three of the same, and its count of them.
  one(
    "golangci-lint",
    "same",
    golangci({
      "cart/cart.go": `package cart\n\nimport "os"\n\nfunc F() {\n${repeat(8, (n) => `\tos.Remove("${n}")`).join("\n")}\n}\n`,
    }),
    ["cart/cart.go", "6:11", "7:11", "8:11", "errcheck", "`os.Remove` is not checked"],
  ),
  one("golangci-lint", "typecheck", golangci({ "stock/stock.go": manyUndefined }), [
    "stock/stock.go",
    "undefined: ",
    "missing0",
  ]),
  one(
    "golangci-lint",
    "config",
    golangci({ "a/a.go": "package a\n" }, 'version: "2"\nlinters:\n  enable:\n    - no-such-linter\n'),
    ["no-such-linter"],
  ),
  one("golangci-lint", "syntax", golangci({ "stock/stock.go": "package stock\n\nfunc F() {\n\tif {\n}\n" }), [
    "stock/stock.go",
    "4:5",
  ]),
  one("golangci-lint", "nothing", golangci({ "readme.txt": "none\n" }), [["no go files", "No files"]]),
];

const compiled = (files, flags = ["-Wall", "-Wextra"]) => ({
  ...files,
  "compile_commands.json": `${JSON.stringify(
    Object.keys(files)
      .filter((file) => /\.cc?$/.test(file))
      .map((file) => ({
        directory: "{folder}",
        file,
        arguments: ["g++", ...flags, "-x", "c++", "-c", "-o", `out/${file}.o`, file],
      })),
  )}\n`,
});
const gccCases = [
  one("gcc", "pass", compiled({ "src/a.cc": "int f() { return 1; }\n" }), [], { passes: true }),
  one(
    "gcc",
    "faults",
    compiled({
      "src/cart.cc":
        "struct Item { int price; };\nint total(const Item& item) {\n  int unused;\n  return missing + item.prize;\n}\n",
      "src/stock.cc": 'int price() { return "free"; }\n',
    }),
    [
      "src/cart.cc",
      "4:10",
      "‘missing’ was not declared",
      "4:25",
      "‘prize’",
      "-Wunused-variable",
      "src/stock.cc",
      "1:22",
      "invalid conversion",
    ],
  ),
  // Only "required from here" names the project's own line.
  one(
    "gcc",
    "template",
    compiled({
      "src/cart.cc":
        "#include <algorithm>\n#include <list>\nstruct Item { int price; };\nvoid sorted(std::list<Item>& items) {\n  std::sort(items.begin(), items.end());\n}\n",
    }),
    ["src/cart.cc", "5:12", "no match for ‘operator-’", "stl_algo.h"],
  ),
  one("gcc", "include", compiled({ "src/a.cc": '#include "nowhere.h"\nint f() { return 1; }\n' }), [
    "src/a.cc",
    "1:10",
    "nowhere.h",
    "No such file",
  ]),
  one("gcc", "syntax", compiled({ "src/a.cc": "int f( {\n  return 1\n}\n" }), ["src/a.cc", "1:9", "expected"]),
  one(
    "gcc",
    "warnings",
    compiled({ "src/a.cc": "int f(int x) {\n  int y;\n  if (x = 1) return y;\n  return 0;\n}\n" }),
    ["src/a.cc", "-Wparentheses", "3:9"],
    {
      passes: true,
    },
  ),
  // Each file that includes a header says it again.
  one(
    "gcc",
    "header",
    compiled({
      "src/h.h": "static int unused() { return 1; }\nint wrong() { return gone; }\n",
      "src/a.cc": '#include "h.h"\n',
      "src/b.cc": '#include "h.h"\n',
    }),
    ["src/h.h", "2:22", "‘gone’ was not declared"],
  ),
  one(
    "gcc",
    "many",
    compiled({ "src/a.cc": `${repeat(12, (n) => `int f${n}() { return missing${n}; }`).join("\n")}\n` }),
    ["src/a.cc", ...repeat(12, (n) => `missing${n}`), "12:"],
  ),
];

export const compilerCases = [...typescriptCases, ...pythonCases, ...goCases, ...gccCases];
