// Projects of TypeScript that refer to one another, with which its compilers are recorded.

const one = (runner, name, files, signals, more = {}) => ({ runner, name, files, signals, ...more });
const build = ["node", "node_modules/typescript/bin/tsc", "--build"];

export const referencesCases = [
  one(
    "tsc",
    "references",
    {
      "package.json": '{ "type": "module" }\n',
      "tsconfig.json": '{ "files": [], "references": [{ "path": "shop" }, { "path": "web" }] }\n',
      "shop/tsconfig.json": '{ "compilerOptions": { "composite": true, "strict": true, "types": [] } }\n',
      "shop/a.ts": 'export const price: number = "free";\n',
      "web/tsconfig.json":
        '{ "compilerOptions": { "composite": true, "strict": true, "types": [] }, "references": [{ "path": "../shop" }] }\n',
      "web/b.ts": 'import { price } from "../shop/a.js";\nexport const shown: string = price;\n',
    },
    [
      ...["shop/a.ts", "1:14", "Type 'string' is not assignable to type 'number'"],
      ...["web/b.ts", "2:14", "Type 'number' is not assignable to type 'string'"],
    ],
    { shell: build },
  ),
  one(
    "tsc",
    "references-differ",
    {
      "package.json": '{ "type": "module" }\n',
      "tsconfig.json": '{ "files": [], "references": [{ "path": "web" }] }\n',
      "shop/tsconfig.json": '{ "compilerOptions": { "composite": true, "strict": false, "types": [] } }\n',
      "shop/a.ts": "export function twice(price) {\n  return 2 * price;\n}\n",
      "web/tsconfig.json":
        '{ "compilerOptions": { "composite": true, "strict": true, "types": [] }, "references": [{ "path": "../shop" }] }\n',
      "web/b.ts": 'import { twice } from "../shop/a.js";\nexport const shown: number = twice(2);\n',
    },
    [],
    { shell: build, passes: true },
  ),
  one(
    "tsc",
    "references-parts",
    {
      "package.json": '{ "type": "module" }\n',
      "tsconfig.json": `{
  // As templates of bundlers have it.
  "files": [],
  "references": [{ "path": "./tsconfig.app.json" }, { "path": "./tsconfig.node.json" },],
}\n`,
      "tsconfig.app.json":
        '{ "compilerOptions": { "strict": true, "noEmit": true, "tsBuildInfoFile": "./node_modules/.tmp/app.tsbuildinfo", "types": [] }, "include": ["src"] }\n',
      "tsconfig.node.json":
        '{ "compilerOptions": { "strict": true, "noEmit": true, "tsBuildInfoFile": "./node_modules/.tmp/node.tsbuildinfo", "types": [] }, "include": ["build.ts"] }\n',
      "src/main.ts": 'export const title: number = "Shop";\n',
      "build.ts": "export const port: string = 5173;\n",
    },
    ["src/main.ts", "1:14", "Type 'string' is not assignable", "build.ts", "Type 'number' is not assignable"],
    { shell: build },
  ),
  ...["5", "7"].map((version) =>
    one(
      "tsc",
      `references-${version}`,
      {
        "package.json": '{ "type": "module" }\n',
        "tsconfig.json":
          '{ "references": [{ "path": "shop" }], "compilerOptions": { "strict": true, "types": [] }, "include": ["web"] }\n',
        "shop/tsconfig.json":
          '{ "compilerOptions": { "composite": true, "emitDeclarationOnly": true, "outDir": "dist", "strict": true, "types": [] } }\n',
        "shop/a.ts": "export const price: number = 7;\n",
        "web/b.ts": 'import { price } from "../shop/a.js";\nexport const shown: string = price;\n',
      },
      ["web/b.ts", "2:14", "Type 'number' is not assignable to type 'string'"],
      { version, shell: ["node", `node_modules/typescript${version}/bin/tsc`, "--build"] },
    ),
  ),
];
