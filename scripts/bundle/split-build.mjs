import { build, transform } from "esbuild";
import { mkdir, writeFile } from "node:fs/promises";
import { ChunkGraph, chunkName } from "./chunk-graph.mjs";
import { joinedChunks } from "./joined-chunks.mjs";
import { lateBuiltin } from "./late-builtin.mjs";

/**
 * Builds CommonJS files in `outdir` with esbuild's `options`. The rows, such as `first`, describe files, as for {@link ChunkGraph}.
 * Every other piece that is loaded on demand gets its own file. Returns the paths of all sources.
 */
export async function splitBuild(options, { outdir, ...rows }) {
  const { metafile, outputFiles } = await build({
    ...options,
    outdir,
    splitting: true,
    format: "esm",
    chunkNames: "[name]-[hash]",
    write: false,
    metafile: true,
    plugins: [...(options.plugins ?? []), { name: "late-requires", setup: (first) => lateBuiltin(first, "require") }],
  });
  const outputs = reached(
    metafile.outputs,
    options.entryPoints.map(({ out }) => out),
  );
  const graph = new ChunkGraph(outputs, rows);
  const texts = new Map(outputFiles.map(({ path, text }) => [chunkName(path), text]));
  const joined = await build({
    entryPoints: [...graph.files.keys()].map((file) => ({ in: `file:${file}`, out: file })),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: options.target,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "warning",
    tsconfigRaw: {},
    plugins: [joinedChunks(graph, texts)],
    write: false,
  });
  await mkdir(outdir, { recursive: true });
  const files = joined.outputFiles.map(({ path, text }) => ({ path, text: withShortReferences(withoutCopies(text)) }));
  await Promise.all(
    withSharedHelpers(files, rows.first[0].name).map(async ({ path, text }) =>
      writeFile(path, await shortened(text, options)),
    ),
  );
  return [...new Set(Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)))];
}

/** Those of esbuild's outputs that something loads: it also writes what only code loads that it has left out. */
function reached(outputs, entries) {
  const paths = new Set(Object.keys(outputs).filter((path) => entries.includes(chunkName(path))));
  // A set that grows is gone through to its end.
  for (const path of paths) {
    for (const { path: imported, external } of outputs[path].imports) if (!external) paths.add(imported);
  }
  return Object.fromEntries(Object.entries(outputs).filter(([path]) => paths.has(path)));
}

/** A third less for a start to read. Last, since the steps before go by the names that esbuild gives. */
async function shortened(text, { target }) {
  const { code } = await transform(text, { minify: true, format: "cjs", target, legalComments: "none" });
  return code;
}

const defined = /(\brequire_\w+) = __commonJS\(\{\s*"(?:chunk-elsewhere|late-builtin):/g;
const copied = /(\bimport_\w+) = __toESM\((require_\w+)\(\)\)/g;

/**
 * Returns a file's text without the copies that esbuild makes of imported modules. Each import copies all exports of another file or Node
 * module: hundreds of objects with thousands of getters at every start. Imports keep their copy if their default is used, since only the
 * copy has the default.
 */
function withoutCopies(text) {
  const ours = new Set([...text.matchAll(defined)].map(([, name]) => name));
  return text.replace(copied, (whole, name, required) =>
    ours.has(required) && !new RegExp(`\\b${name}\\.default\\b`).test(text) ? `${name} = ${required}()` : whole,
  );
}

const reference =
  /(\brequire_\w+) = __commonJS\(\{\s*"chunk-elsewhere:[^"]+"\(exports\d*, (module\d*)\) \{\s*\2\.exports = (require\("[^"]+"\)[\w.]*);\s*\}\s*\}\)/g;

/** Returns a file's text with shorter references to other files, which Node keeps itself. */
function withShortReferences(text) {
  return text.replace(reference, (_whole, name, _module, required) => `${name} = () => ${required}`);
}

const helperName = /\b__\w+(?= = )/g;
const exported = /^module\.exports = __toCommonJS\(\w+\);$/m;

/**
 * Returns the files with esbuild's functions for imports and exports only in the file `home`, which every start reads first. esbuild writes
 * these functions at the beginning of each file.
 */
function withSharedHelpers(files, home) {
  const parts = files.map(({ path, text }) => {
    const start = Math.max(0, text.search(/^\/\/ /m));
    return { path, head: text.slice(0, start), body: text.slice(start) };
  });
  const [longest] = parts.map(({ head }) => head).toSorted((one, other) => other.length - one.length);
  const all = longest.match(helperName) ?? [];
  return parts.map(({ path, head, body }) => {
    const used = all.filter((name) => new RegExp(`\\b${name}\\b`).test(body));
    const lost = (head.match(helperName) ?? []).filter((name) => !all.includes(name));
    if (lost.length > 0) throw new Error(`${path} has helpers that no other file has: ${lost.join(", ")}.`);
    if (path.endsWith(`/${home}.cjs`)) {
      if (!exported.test(body)) throw new Error(`${path} has no exports to add esbuild's helpers to.`);
      return {
        path,
        text: longest + body.replace(exported, `$&\nObject.assign(module.exports, { ${all.join(", ")} });`),
      };
    }
    return { path, text: used.length === 0 ? body : `var { ${used.join(", ")} } = require("./${home}.cjs");\n${body}` };
  });
}
