// Bundles the command into one folder: a small entry, and chunks that subcommands load when they are asked for. Reads the
// sources as they are; their types are tsc's business.
import { build } from "esbuild";
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
const target = `${root}core/dist/bin`;
const recommendations = await readFile(`${root}core/recommendations.toml`, "utf8");
// Built aside and renamed: whoever starts meanwhile finds one whole bundle, the old or the new.
const outdir = `${target}.${process.pid}`;

const { metafile } = await build({
  entryPoints: [{ in: `${root}core/src/cli/main.ts`, out: "symposium-acp-agent" }],
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // The packages of this repository by their sources, and each of them once.
  alias: {
    "@symposium-dev/core": `${root}core/src/index.ts`,
    "@symposium-dev/core/node": `${root}core/src/node/index.ts`,
    "@symposium-dev/lsp-adapter": `${root}lsp-adapter/src/index.ts`,
  },
  // jsonc-parser's CommonJS build hides its parts from bundlers.
  mainFields: ["module", "main"],
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  tsconfigRaw: {},
  define: {
    SYMPOSIUM_VERSION: JSON.stringify(version),
    SYMPOSIUM_RECOMMENDATIONS: JSON.stringify(recommendations),
  },
  banner: {
    // Packages that are CommonJS inside ask for require().
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
// What packages it is made of, for their licences.
await writeFile(`${root}core/dist/bundled-inputs.json`, JSON.stringify(Object.keys(metafile.inputs)));
await chmod(`${outdir}/symposium-acp-agent.mjs`, 0o755);
const old = `${outdir}.old`;
await rename(target, old).catch(() => undefined);
await rename(outdir, target);
await rm(old, { recursive: true, force: true });
