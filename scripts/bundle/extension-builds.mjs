import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import MinimizerPlugin from "minimizer-webpack-plugin";
import { minifySync } from "oxc-minify";
import webpack from "webpack";

const root = fileURLToPath(new URL("../..", import.meta.url));
const extension = join(root, "vscode-extension");
const compiled = join(extension, "dist-ts");
const iconLoader = fileURLToPath(new URL("used-icons.mjs", import.meta.url));
const pages = ["chat", "settings", "set-up", "mcp-servers", "guard"];

/** webpack's builds of the compiler's output: for the extension host, and for the pages. Those to debug keep their names and carry maps. */
export function extensionBuilds({ isDebug = false } = {}) {
  return [hostBuild(isDebug), pagesBuild(isDebug)];
}

function hostBuild(isDebug) {
  return {
    ...common("host", isDebug),
    // The extension host of the oldest VS Code that package.json allows runs Node 22.
    target: "node22",
    entry: {
      extension: join(compiled, "src/extension.js"),
      "snapshot-worker": join(compiled, "src/features/snapshots/snapshot-worker.js"),
    },
    output: {
      path: join(extension, "dist"),
      filename: "[name].cjs",
      chunkFilename: "[name].cjs",
      library: { type: "commonjs2" },
    },
    externals: { vscode: "commonjs vscode" },
    node: false,
    module: moduleOptions(isDebug, [], { url: false, worker: false, importMeta: false }),
    plugins: [
      new webpack.DefinePlugin({ "import.meta.url": "__moduleUrl" }),
      new webpack.BannerPlugin({
        banner: 'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
        raw: true,
      }),
    ],
    // The log contains names of classes and functions.
    optimization: optimization(isDebug, [minimizer("node22", { keepNames: { function: true, class: true } })]),
  };
}

function pagesBuild(isDebug) {
  const icons = {
    test: /[\\/]codicon\.(?:css|ttf)$/,
    loader: iconLoader,
    options: { folders: ["src", "webview"].map((folder) => join(extension, folder)) },
  };
  return {
    ...common("pages", isDebug),
    // The windows of that VS Code run Chromium 138.
    target: "browserslist:chrome 138",
    entry: Object.fromEntries(pages.map((name) => [name, join(compiled, "webview", name, "main.js")])),
    output: {
      path: join(extension, "dist/webview"),
      filename: "[name].js",
      cssFilename: "[name].css",
      assetModuleFilename: "[name][ext]",
      module: true,
      clean: true,
    },
    experiments: { css: true, outputModule: true },
    module: moduleOptions(isDebug, [icons, { test: /\.svg$/, type: "asset/source" }]),
    plugins: [
      // The compiler leaves style sheets beside the sources.
      new webpack.NormalModuleReplacementPlugin(/^\..*\.(?:css|svg)$/, (request) => {
        request.context = request.context.replace(join(compiled, "webview"), join(extension, "webview"));
      }),
    ],
    optimization: optimization(isDebug, [
      minimizer("chrome138", { toplevel: true }),
      new MinimizerPlugin({ test: /\.css$/, minify: MinimizerPlugin.esbuildMinifyCss, parallel: false }),
    ]),
  };
}

function common(name, isDebug) {
  return {
    name,
    context: root,
    mode: "production",
    devtool: isDebug && "inline-source-map",
    performance: false,
    cache: {
      type: "filesystem",
      name: isDebug ? `${name}-debug` : name,
      cacheDirectory: join(root, ".cache/webpack"),
      // webpack's own search for its files takes 3 s of CPU.
      buildDependencies: { defaultWebpack: [] },
      version: cacheVersion(),
    },
    snapshot: { module: { timestamp: true }, resolve: { timestamp: true } },
    resolve: {
      alias: {
        "@symposium-dev/core$": join(root, "core/dist/src/index.js"),
        "@symposium-dev/core/node$": join(root, "core/dist/src/node.js"),
        // Only English texts are in use. webpack would parse the 60 other languages before it drops them.
        [join(root, "node_modules/zod/v4/locales/index.js")]: false,
        ...languageClientAliases(),
      },
      extensions: [".js"],
      // jsonc-parser's CommonJS build hides its parts from bundlers.
      mainFields: ["module", "main"],
      symlinks: false,
      tsconfig: false,
    },
  };
}

/** Leaves out what the language client doesn't use, a third of its size. Each feature registers itself, so the client needs a stand-in. */
function languageClientAliases() {
  const folder = join(root, "node_modules/vscode-languageclient/lib/common");
  const inert = fileURLToPath(new URL("inert-feature.cjs", import.meta.url));
  const unused = [
    ...["callHierarchy", "codeAction", "codeLens", "colorProvider", "completion", "configuration", "declaration"],
    ...["documentHighlight", "documentLink", "documentSymbol", "executeCommand", "fileOperations", "fileSystemWatcher"],
    ...["foldingRange", "formatting", "implementation", "inlayHint", "inlineCompletion", "inlineValue"],
    ...["linkedEditingRange", "progress", "selectionRange", "semanticTokens", "signatureHelp", "textDocumentContent"],
    ...["typeDefinition", "typeHierarchy", "workspaceFolder", "workspaceSymbol"],
  ];
  return {
    ...Object.fromEntries(unused.map((name) => [join(folder, `${name}.js`), inert])),
    // Matches patterns of notebooks, of which the server gets none.
    minimatch: false,
    "vscode-languageserver-textdocument$": join(
      root,
      "node_modules/vscode-languageserver-textdocument/lib/esm/main.js",
    ),
  };
}

/** One file for each entry, and for each import that asks for a file. Modules that are imported late run late. */
function moduleOptions(isDebug, rules, javascript = {}) {
  return {
    parser: { javascript: { dynamicImportMode: "eager", ...javascript } },
    rules: [
      // These modules do nothing when they are imported. Pages define their elements.
      { test: /[\\/]dist-ts[\\/](?:src|protocol)[\\/](?!translations\.js).*\.js$/, sideEffects: false },
      { test: /[\\/]dist(?:-ts)?[\\/].*\.js$/, extractSourceMap: isDebug },
      // Fills tables for its formatter, which nothing uses.
      { test: /[\\/]jsonc-parser[\\/]/, sideEffects: false },
      ...rules,
    ],
  };
}

function optimization(isDebug, minimizers) {
  return { minimize: !isDebug, minimizer: minimizers, splitChunks: false, realContentHash: false };
}

/** oxc removes unused functions inside of modules; esbuild's minifier keeps them. Worker processes only cost: oxc is native. */
function minimizer(target, mangle) {
  return new MinimizerPlugin({
    minify: minified,
    minimizerOptions: { compress: { target, keepNames: mangle.keepNames }, mangle },
    extractComments: false,
    parallel: false,
  });
}

/** minimizer-webpack-plugin's function for oxc, of one file. */
function minified(input, _map, options) {
  const [[name, text]] = Object.entries(input);
  const { code, errors } = minifySync(name, text, options);
  return { code, errors: errors.map(({ message }) => `${name}: ${message}`) };
}

function cacheVersion() {
  const files = [join(root, "package-lock.json"), fileURLToPath(import.meta.url), iconLoader];
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest("hex");
}
