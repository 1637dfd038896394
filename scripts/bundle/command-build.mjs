import { build } from "esbuild";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { directImports } from "./direct-imports.mjs";
import { mcpClientParts } from "./mcp-client-parts.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(await readFile(`${root}package.json`, "utf8"));
const recommendations = await readFile(`${root}core/recommendations.toml`, "utf8");
const reporterNames = (await readdir(`${root}core/reporters`))
  .filter((name) => /\.(?:[cm]js|py|gradle)$/.test(name))
  .sort();
/** Reporters that test runners load, by file name. */
const reporters = Object.fromEntries(
  await Promise.all(reporterNames.map(async (name) => [name, await readFile(`${root}core/reporters/${name}`, "utf8")])),
);

/** The script of the trace page, which carries it in its HTML. */
const tracePage = await build({
  entryPoints: [`${root}core/src/sessions/trace/page/main.ts`],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  tsconfigRaw: {},
  write: false,
});

/** Leaves out zod's texts in 60 languages: only the English ones are in use. */
const englishOnly = {
  name: "english-only",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: "" }));
  },
};

/**
 * Leaves out jsonc-parser's formatter, which nothing uses. The package doesn't declare that its files have no side effects, and the
 * formatter fills tables with 1,200 texts at every start.
 */
const unusedFormatter = {
  name: "unused-formatter",
  setup(build) {
    build.onResolve(
      { filter: /^\.\/impl\/(?:edit|format)$/ },
      async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (pluginData === unusedFormatter || !/[\\/]jsonc-parser[\\/]/.test(importer)) return undefined;
        const found = await build.resolve(path, { importer, resolveDir, kind, pluginData: unusedFormatter });
        return { ...found, sideEffects: false };
      },
    );
  },
};

const core = {
  "@symposium-dev/core": `${root}core/src/index.ts`,
  "@symposium-dev/core/node": `${root}core/src/node.ts`,
};

/** esbuild options that bundle the command from its sources. tsc checks the types. */
export const commandBuild = {
  absWorkingDir: root,
  entryPoints: [{ in: `${root}core/src/app/cli/main.ts`, out: "command" }],
  bundle: true,
  platform: "node",
  target: "node20.19",
  // The packages of this repository by their sources, and each of them once.
  alias: { ...core, "@symposium-dev/lsp-adapter": `${root}lsp-adapter/src/index.ts` },
  // jsonc-parser's CommonJS build hides its parts from bundlers.
  mainFields: ["module", "main"],
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  tsconfigRaw: {},
  plugins: [mcpClientParts, englishOnly, unusedFormatter, directImports(/[\\/]lsp-adapter[\\/]src[\\/].+\.ts$/, core)],
  define: {
    SYMPOSIUM_VERSION: JSON.stringify(version),
    SYMPOSIUM_RECOMMENDATIONS: JSON.stringify(recommendations),
    SYMPOSIUM_REPORTERS: JSON.stringify(JSON.stringify(reporters)),
    SYMPOSIUM_TRACE_SCRIPT: JSON.stringify(tracePage.outputFiles[0].text),
  },
};
