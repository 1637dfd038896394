// Bundles the command into one folder: a small entry, and chunks that subcommands load when they are asked for.
import { build } from "esbuild";
import { chmod, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
const outdir = `${root}core/dist/bin`;

await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: [{ in: `${root}core/dist/src/cli/main.js`, out: "symposium-acp-agent" }],
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  // jsonc-parser's CommonJS build hides its parts from bundlers.
  mainFields: ["module", "main"],
  chunkNames: "chunks/[name]-[hash]",
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  define: { SYMPOSIUM_VERSION: JSON.stringify(version) },
  banner: {
    // Packages that are CommonJS inside ask for require().
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
});
await chmod(`${outdir}/symposium-acp-agent.mjs`, 0o755);
