import { build } from "esbuild";
import { ChunkGraph, chunkName } from "./chunk-graph.mjs";
import { joinedChunks } from "./joined-chunks.mjs";
import { lateBuiltin } from "./late-builtin.mjs";

/**
 * Builds `options`, which are esbuild's, into CommonJS files in `outdir`: those that `first` and `later` describe, as for
 * {@link ChunkGraph}, and one for each other piece that is loaded on demand. Returns the paths of all sources.
 */
export async function splitBuild(options, { first, later, outdir }) {
  const { metafile, outputFiles } = await build({
    ...options,
    outdir,
    splitting: true,
    format: "esm",
    chunkNames: "[name]-[hash]",
    write: false,
    metafile: true,
    plugins: [{ name: "late-requires", setup: (first) => lateBuiltin(first, "require") }],
  });
  const graph = new ChunkGraph(metafile.outputs, { first, later });
  const texts = new Map(outputFiles.map(({ path, text }) => [chunkName(path), text]));
  await build({
    entryPoints: [...graph.files.keys()].map((file) => ({ in: `file:${file}`, out: file })),
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: options.target,
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    logLevel: "warning",
    tsconfigRaw: {},
    plugins: [joinedChunks(graph, texts)],
  });
  return Object.keys(metafile.inputs);
}
