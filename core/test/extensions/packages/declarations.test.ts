import assert from "node:assert/strict";
import { GoDeclarations } from "../../../src/extensions/packages/go/go-declarations.js";
import { declaredItems, exportedNames } from "../../../src/extensions/packages/npm/declarations/declared-items.js";
import { typesEntry } from "../../../src/extensions/packages/npm/declarations/types-entry.js";
import type { InstalledPackage } from "../../../src/extensions/packages/package-reader.js";
import { MemoryFiles } from "./memory-files.js";

const mostReads = 200;
const found: InstalledPackage = {
  kind: "installed",
  ecosystem: "npm",
  name: "a",
  version: "1.0.0",
  folder: "/p/a",
  subpath: "",
  why: [],
  others: [],
  isFixed: true,
};

const nothing = () => Promise.resolve(undefined);

describe("declarations of packages that mean harm", () => {
  it("visits each of the interfaces that extend one another once", async () => {
    const files = new MemoryFiles({
      "/p/a/package.json": `{"name":"a","version":"1.0.0","types":"index.d.ts"}`,
      "/p/a/index.d.ts": `import { Base } from "other";
export interface A extends Base, B, N.C, A { x: 1; }
export interface B extends Base, A, B, A { y: 1; }
export declare namespace N { interface C extends N.C, A, B { z: 1; } }
`,
    });
    let asked = 0;
    const count = () => {
      // Without an end, this is what ends it.
      if (++asked > 50) throw new Error("visited more than 50 times");
      return Promise.resolve(undefined);
    };
    assert.deepEqual(await declaredItems(files, found, "A.nothing", count), []);
    const [item] = await declaredItems(files, found, "A.z", count);
    assert.equal(item?.text, "export declare namespace N { interface C extends N.C, A, B { z: 1; } }");
  });

  it("reads groups of Go that are never closed as one", async () => {
    const group = (at: number): string => `const (\n\tA${at} = ${at}\n`;
    const text = `package a\n${Array.from({ length: 10_000 }, (_, at) => group(at)).join("")}`;
    const machine = { env: {}, home: "/h", platform: "linux", arch: "x64", sha256: () => "" };
    const go = new GoDeclarations(new MemoryFiles({ "/p/a/a.go": text }), machine);
    assert.equal((await go.names(found)).length, 10_000);
    const items = await go.items(found, "A7", nothing);
    assert.deepEqual(
      items.map(({ line, text: shown }) => [line, shown]),
      [[17, "\tA7 = 7"]],
    );
  });

  it("follows `types` only to what lies deeper", async () => {
    for (const types of ["", ".", "./", "./."]) {
      const manifest = JSON.stringify({ name: "a", version: "1.0.0", types });
      const files = new MemoryFiles({ "/p/a/package.json": manifest, "/p/a/sub/package.json": manifest }, mostReads);
      assert.equal(await typesEntry(files, "/p/a", ""), undefined, types);
      assert.equal(await typesEntry(files, "/p/a", "sub"), undefined, types);
    }
  });

  it("reads nothing outside of the package: neither by paths, references nor links", async () => {
    const files = new MemoryFiles(
      {
        "/p/a/package.json": `{"name":"a","version":"1.0.0","types":"index.d.ts"}`,
        "/p/a/index.d.ts": `export * from "../../priv/secret.js";
export { named } from "../../priv/secret.js";
export * from "./linked/secret.js";
export declare const own: 1;
`,
        "/p/b/package.json": `{"name":"b","version":"1.0.0","types":"index.d.ts"}`,
        "/p/b/index.d.ts": `/// <reference path="../../priv/global.d.ts" />\ndeclare const own: 1;\n`,
        "/priv/secret.d.ts": "export declare const secret: 1, named: 2;\n",
        "/priv/global.d.ts": "declare const secret: 1;\n",
      },
      mostReads,
      { "/p/a/linked": "/priv" },
    );
    assert.deepEqual(await exportedNames(files, found, nothing), ["named", "own"]);
    for (const symbol of ["secret", "named"]) {
      assert.deepEqual(await declaredItems(files, found, symbol, nothing), [], symbol);
      assert.deepEqual(await declaredItems(files, { ...found, name: "b", folder: "/p/b" }, symbol, nothing), []);
    }
    assert.equal((await declaredItems(files, found, "own", nothing)).length, 1);
    assert.deepEqual(
      files.wasRead.filter((path) => path.startsWith("/priv/") || path.includes("/linked/")).filter(isTypes),
      [],
    );
  });
});

function isTypes(path: string): boolean {
  return path.endsWith(".d.ts");
}
