// More recorded linter cases, including each linter's pitfalls.

const one = (runner, name, files, signals, more = {}) => ({ runner, name, files, signals, ...more });
const repeat = (count, of) => Array.from({ length: count }, (_, index) => of(index));

const rules = '{ "no-undef": "error", "no-unused-vars": "error", "no-var": "warn", eqeqeq: "error" }';
const eslint = (files) => ({
  "package.json": '{ "type": "module" }\n',
  "eslint.config.js": `export default [{ files: ["src/**/*.js"], rules: ${rules} }];\n`,
  ...files,
});
const ruff = (files, more = "") => ({
  "pyproject.toml": `${more}[tool.ruff.lint]\nselect = ["E", "F", "B"]\n`,
  ...files,
});
const biome = (files, config = {}) => ({
  "package.json": '{ "type": "module" }\n',
  "biome.json": `${JSON.stringify(config)}\n`,
  ...files,
});
const unformatted = { formatter: { enabled: false }, assist: { enabled: false } };
const oxlint = (files, config = {}) => ({
  "package.json": '{ "type": "module" }\n',
  ".oxlintrc.json": `${JSON.stringify(config)}\n`,
  ...files,
});

const faulty = "var x = missing;\nexport function f(a) {\n  if (x == 1) return 1;\n  debugger;\n  return gone;\n}\n";
const manyUnused = `${repeat(30, (n) => `const unused${n} = ${n};`).join("\n")}\n`;

const eslintCases = [
  one("eslint", "many", eslint({ "src/a.js": manyUnused, "src/b.js": manyUnused }), [
    "a.js",
    "b.js",
    "1:7",
    "30:7",
    "unused0",
    "unused29",
    "is assigned a value but never used",
  ]),
  one("eslint", "warnings", eslint({ "src/a.js": "var x = 1;\nexport { x };\n" }), ["a.js", "1:1", "no-var"], {
    passes: true,
  }),
  // Neither has a rule.
  one(
    "eslint",
    "directive",
    eslint({ "src/a.js": "// eslint-disable-next-line no-undef\nexport const a = 1;\n" }),
    ["a.js", "1:1", "Unused eslint-disable directive"],
    {
      passes: true,
    },
  ),
  one("eslint", "syntax", eslint({ "src/a.js": "export const = 1;\n", "src/b.js": "function f( {\n" }), [
    "a.js",
    "b.js",
    "1:14",
    "Parsing error",
  ]),
  one(
    "eslint",
    "nothing",
    { ...eslint({ "readme.txt": "none\n" }), "eslint.config.js": 'export default [{ ignores: ["**"] }];\n' },
    [["ignored", "No files"]],
  ),
  one(
    "eslint",
    "rule",
    eslint({
      "eslint.config.js": 'export default [{ rules: { "no-such-rule": "error" } }];\n',
      "src/a.js": "export {};\n",
    }),
    ["no-such-rule"],
  ),
];

const ruffCases = [
  one("ruff", "many", ruff({ "shop/a.py": `${repeat(26, (n) => `import module_${n}`).join("\n")}\n` }), [
    "a.py",
    "F401",
    "1:8",
    "26:8",
    "module_0",
    "module_25",
    "imported but unused",
  ]),
  one("ruff", "syntax", ruff({ "a.py": "def f(:\n    pass\n", "b.py": "x = (\n" }), [
    "a.py",
    "b.py",
    "1:7",
    "invalid-syntax",
  ]),
  one(
    "ruff",
    "workspace",
    {
      "pyproject.toml": '[tool.ruff.lint]\nselect = ["F"]\n',
      "shop/a.py": "import os\n\nx = undefined_here\n",
      "web/ruff.toml": 'lint.select = ["E"]\n',
      "web/b.py": "import os\nx = 1; y = 2\nif x == None:\n    pass\n",
    },
    ["a.py", "b.py", "F401", "F821", "E702", "E711"],
  ),
  one("ruff", "format", ruff({ "a.py": "import os\nx = undefined_here\n" }, '[tool.ruff]\noutput-format = "full"\n'), [
    "a.py",
    "F401",
    "F821",
    "2:5",
  ]),
  one("ruff", "warnings", ruff({ "a.py": "import os  # noqa: NOSUCH1\n" }), ["a.py", "F401", "1:8"]),
  one("ruff", "nothing", ruff({ "readme.txt": "none\n" }), [["no findings", "All checks passed"]], { passes: true }),
  one(
    "ruff",
    "style",
    ruff({
      "shop/cart.py": `def total(items, seen={}, extra=[]):\n    l = len(items)\n    if l == None:\n        raise ValueError("${"a long sentence about prices ".repeat(4)}")\n    try:\n        return not l in seen\n    except Exception:\n        raise RuntimeError("no")\n`,
      "shop/stock.py":
        "from shop.cart import *\n\nassert (total, 'is there')\nfor i in range(3):\n    print(lambda: i)\n",
    }),
    ["cart.py", "B006", "E711", "E741", "E501", "E713", "B904", "stock.py", "F403", "F405", "F631", "B023"],
  ),
];

const biomeCases = [
  one(
    "biome",
    "pass",
    biome({ "src/a.js": "export const a = 1;\n" }, { formatter: { enabled: false } }),
    [["no findings", "No fixes"]],
    { passes: true },
  ),
  one("biome", "faults", biome({ "src/a.js": faulty }, unformatted), [
    "src/a.js",
    "3:",
    "noDoubleEquals",
    "4:3",
    "noDebugger",
    "2:19",
    "noUnusedFunctionParameters",
  ]),
  one("biome", "format", biome({ "src/a.js": "export const a = {b:1}\n" }), ["src/a.js", "format"]),
  one(
    "biome",
    "imports",
    biome(
      { "src/a.js": 'import { z } from "./z.js";\nimport { a } from "./a.js";\n\nexport default [z, a];\n' },
      { formatter: { enabled: false } },
    ),
    ["src/a.js", ["organizeImports", "not sorted", "organized"]],
  ),
  // It shows the first 20 alone.
  one(
    "biome",
    "many",
    biome({ "src/a.js": `${repeat(30, (n) => `if (a${n} == 1) debugger;`).join("\n")}\n` }, unformatted),
    ["src/a.js", "noDebugger", "noDoubleEquals", "1:"],
  ),
  one("biome", "syntax", biome({ "src/a.js": "export const = 1;\n" }, unformatted), ["src/a.js", "1:14", "parse"]),
  one(
    "biome",
    "warnings",
    biome({ "src/a.js": "const unused = 1;\n" }, unformatted),
    ["src/a.js", "1:7", "noUnusedVariables"],
    { passes: true },
  ),
  one("biome", "config", { ...biome({ "src/a.js": "export const a = 1;\n" }), "biome.json": '{ "linterr": {} }\n' }, [
    "biome.json",
    "linterr",
  ]),
  one(
    "biome",
    "nothing",
    biome({ "readme.txt": "none\n" }, { files: { includes: ["src/**"] }, formatter: { enabled: false } }),
    [["no findings", "No fixes"]],
    { passes: true },
  ),
];

const oxlintCases = [
  one("oxlint", "pass", oxlint({ "src/a.js": "export const a = 1;\n" }), [["no findings", "Found 0 warnings"]], {
    passes: true,
  }),
  one(
    "oxlint",
    "faults",
    oxlint({ "src/a.js": faulty }, { rules: { eqeqeq: "error", "no-undef": "error", "no-debugger": "error" } }),
    [
      "src/a.js",
      "eqeqeq",
      "no-debugger",
      "4:3",
      "no-undef",
      "'missing' is not defined",
      "'gone' is not defined",
      "no-unused-vars",
    ],
  ),
  one("oxlint", "many", oxlint({ "src/a.js": manyUnused }, { rules: { "no-unused-vars": "error" } }), [
    "src/a.js",
    "no-unused-vars",
    "1:7",
    "30:7",
    "unused0",
    "unused29",
  ]),
  one("oxlint", "syntax", oxlint({ "src/a.js": "export const = 1;\n" }), ["src/a.js", "1:14", "Unexpected token"]),
  one("oxlint", "warnings", oxlint({ "src/a.js": "const unused = 1;\n" }), ["src/a.js", "no-unused-vars", "1:7"], {
    passes: true,
  }),
  one(
    "oxlint",
    "config",
    { ...oxlint({ "src/a.js": "export {};\n" }), ".oxlintrc.json": '{ "rules": { "no-such-rule": "error" } }\n' },
    ["no-such-rule"],
  ),
  one("oxlint", "nothing", oxlint({ "readme.txt": "none\n" }), [["No files found"]]),
];

export const linterCases = [...eslintCases, ...ruffCases, ...biomeCases, ...oxlintCases];
