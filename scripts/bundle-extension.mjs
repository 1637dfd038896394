// Bundles the VS Code extension as it is: dist/extension.cjs for the extension host, dist/snapshot-worker.cjs for a thread
// of it, dist/webview/ for its pages, and the command in bin/. `--watch` does so again at every change of a source. Types are tsc's business.
import { build, context } from "esbuild";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usedIcons } from "./bundle/used-icons.mjs";
import { ensureCommand, root } from "./set-up.mjs";

const extension = join(root, "vscode-extension");
const isWatching = process.argv.includes("--watch");

const common = {
  bundle: true,
  minify: true,
  legalComments: "none",
  logLevel: "warning",
  tsconfigRaw: {},
};

/** The extension host of the oldest VS Code that package.json allows runs Node 22. */
const host = {
  ...common,
  entryPoints: [
    { in: join(extension, "src/extension.ts"), out: "extension" },
    { in: join(extension, "src/features/snapshots/snapshot-worker.ts"), out: "snapshot-worker" },
  ],
  outdir: join(extension, "dist"),
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  platform: "node",
  target: "node22",
  external: ["vscode"],
  // Core by its sources: a clean clone has nothing compiled yet.
  alias: {
    "@symposium-dev/core": join(root, "core/src/index.ts"),
    "@symposium-dev/core/node": join(root, "core/src/node.ts"),
  },
  // jsonc-parser's CommonJS build hides its parts from bundlers.
  mainFields: ["module", "main"],
  // Names of classes and functions stand in the log.
  keepNames: true,
  sourcemap: "linked",
  sourcesContent: false,
  define: { "import.meta.url": "__moduleUrl" },
  banner: { js: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
};

/** Its windows run Chromium 138. */
const pages = {
  ...common,
  entryPoints: [
    { in: join(extension, "webview/chat/main.ts"), out: "chat" },
    { in: join(extension, "webview/settings/main.ts"), out: "settings" },
    { in: join(extension, "webview/set-up/main.ts"), out: "set-up" },
    { in: join(extension, "webview/mcp-servers/main.ts"), out: "mcp-servers" },
    { in: join(extension, "webview/guard/main.ts"), out: "guard" },
  ].filter((entry) => existsSync(entry.in)),
  outdir: join(extension, "dist/webview"),
  format: "esm",
  platform: "browser",
  target: "chrome138",
  conditions: ["production"],
  assetNames: "[name]",
  loader: { ".ttf": "file", ".svg": "text" },
  plugins: [usedIcons(["src", "webview"].map((folder) => join(extension, folder)))],
};

await placeCommand();
if (isWatching) {
  for (const options of [host, pages]) await (await context(options)).watch();
  console.error("Watching the extension's sources ...");
} else {
  const made = await Promise.all([host, pages].map((options) => build({ ...options, metafile: true })));
  const inputs = made.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  // What packages it is made of, for their licences.
  await writeFile(join(extension, "dist/bundled-inputs.json"), JSON.stringify(inputs));
}

/** The bundled command, put in place at once: what runs meanwhile keeps its files. */
async function placeCommand() {
  ensureCommand();
  const target = join(extension, "bin");
  // Where git and the linters look for nothing.
  const staging = join(extension, "dist", `bin.${process.pid}`);
  await mkdir(join(extension, "dist"), { recursive: true });
  await cp(join(root, "core/dist/bin"), staging, { recursive: true });
  await rename(target, `${staging}.old`).catch(() => undefined);
  await rename(staging, target);
  await rm(`${staging}.old`, { recursive: true, force: true });
}
