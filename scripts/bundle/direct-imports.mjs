import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * Returns esbuild's plugin that makes the files matching `filter` import from the files that `barrels` re-export, by specifier. With
 * splitting, esbuild otherwise makes each importer of a barrel load everything that any other importer uses.
 */
export function directImports(filter, barrels) {
  const exports = new Map(Object.entries(barrels).map(([specifier, path]) => [specifier, exportsOf(path)]));
  return {
    name: "direct-imports",
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        const { staticImports } = parseSync(path, contents).module;
        for (const { moduleRequest, entries, start, end } of staticImports.toReversed()) {
          const files = exports.get(moduleRequest.value);
          if (!files) continue;
          const lines = entries.filter(({ isType }) => !isType).map((entry) => directImport(entry, files, path));
          contents = contents.slice(0, start) + lines.join(" ") + contents.slice(end);
        }
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Returns the exported names with their files and the names there. */
function exportsOf(path) {
  const { staticExports } = parseSync(path, readFileSync(path, "utf8")).module;
  return new Map(
    staticExports
      .flatMap(({ entries }) => entries)
      .filter(({ moduleRequest, exportName }) => moduleRequest && exportName.name)
      .map(({ moduleRequest, importName, exportName }) => {
        const file = join(dirname(path), moduleRequest.value.replace(/\.js$/, ".ts"));
        return [exportName.name, { file, name: importName.name }];
      }),
  );
}

function directImport({ importName, localName }, files, path) {
  const found = files.get(importName.name);
  if (!found) throw new Error(`${path} imports ${importName.name}, which isn't exported by its name.`);
  return `import { ${found.name} as ${localName.value} } from ${JSON.stringify(found.file)};`;
}
