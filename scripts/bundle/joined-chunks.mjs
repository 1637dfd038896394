import { chunkName } from "./chunk-graph.mjs";
import { lateBuiltin } from "./late-builtin.mjs";

/**
 * esbuild's plugin that makes CommonJS files of a graph's chunks; `texts` are these by name. Entry points are
 * `file:NAME`. Node starts CommonJS sooner than modules, and reads nothing of it before it is asked for.
 */
export function joinedChunks(graph, texts) {
  return {
    name: "joined-chunks",
    setup(build) {
      build.onResolve({ filter: /^file:/ }, ({ path }) => ({
        path: path.slice("file:".length),
        namespace: "joined-file",
      }));
      build.onLoad({ filter: /./, namespace: "joined-file" }, ({ path }) => ({ contents: fileText(path) }));

      build.onResolve({ filter: /^chunk:/ }, ({ path }) => ({ path: path.slice("chunk:".length), namespace: "chunk" }));
      build.onLoad({ filter: /./, namespace: "chunk" }, ({ path }) => ({ contents: texts.get(path) }));

      build.onResolve({ filter: /^\.{1,2}\//, namespace: "chunk" }, ({ path, importer }) => {
        const chunk = chunkName(path);
        const namespace = graph.fileOf(chunk) === graph.fileOf(importer) ? "chunk" : "chunk-elsewhere";
        return { path: chunk, namespace };
      });
      build.onLoad({ filter: /./, namespace: "chunk-elsewhere" }, ({ path }) => ({ contents: reference(path) }));
      build.onResolve({ filter: /^\.\//, namespace: "chunk-elsewhere" }, ({ path }) => ({ path, external: true }));

      lateBuiltin(build);
    },
  };

  function isJoined(file) {
    const [chunk, ...others] = graph.files.get(file) ?? [];
    return chunk !== file || others.length > 0;
  }

  /** Returns the source of a file, which exports its chunks by name or re-exports its only chunk. */
  function fileText(file) {
    const chunks = graph.files.get(file) ?? [];
    if (isJoined(file))
      return chunks.map((chunk) => `export * as ${identifier(chunk)} from "chunk:${chunk}";`).join("\n");
    const hasDefault = /\bexport default\b|\bas default\b/.test(texts.get(file));
    return `export * from "chunk:${file}";${hasDefault ? `export { default } from "chunk:${file}";` : ""}`;
  }

  /** A chunk as another file sees it. What is CommonJS itself has its default in the chunk, and its names in that. */
  function reference(chunk) {
    const file = graph.fileOf(chunk);
    const place = isJoined(file) ? `.${identifier(chunk)}` : "";
    const part = /^export default require_\w+\(\);$/m.test(texts.get(chunk)) ? ".default" : "";
    return `module.exports = require("./${file}.cjs")${place}${part};`;
  }
}

function identifier(chunk) {
  return chunk.replace(/\W/g, "_");
}
