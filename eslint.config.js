import js from "@eslint/js";
import { includeIgnoreFile } from "eslint/config";
import { join } from "node:path";
import tseslint from "typescript-eslint";

/** One layer rule: files under `files` may not import what matches `patterns`; the message says where the code belongs. */
const layer = (files, patterns) => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns }] },
});

const noNode = {
  group: ["node:*", "**/node/*", "**/node.js", "**/cli/*"],
  message:
    "Pure code. What touches the operating system belongs in core/src/node, or in node.ts beside it, and is passed in.",
};
const noEditor = { group: ["vscode"], message: "Only vscode-extension/src may import vscode." };
const later = (folders, where) => ({
  group: folders.map((folder) => `**/${folder}/*`),
  message: `This layer stands below ${folders.join(", ")}: move the shared part down to ${where}.`,
});

export default tseslint.config(
  // What git ignores comes and goes while the linter reads.
  includeIgnoreFile(join(import.meta.dirname, ".gitignore")),
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-console": "error",
      "max-lines": ["error", { max: 400 }],
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
    },
  },
  // A terminal speaks in control characters.
  { files: ["vscode-extension/webview/chat/{terminal,tool}/**"], rules: { "no-control-regex": "off" } },
  // Fields that are only assigned hold a timer: `??=` reads them.
  { files: ["vscode-extension/webview/**"], rules: { "no-unused-private-class-members": "off" } },
  { files: ["**/*.{js,mjs,cjs}"], ...tseslint.configs.disableTypeChecked },
  {
    files: ["**/*.{js,mjs,cjs}"],
    languageOptions: {
      globals: {
        require: "readonly",
        module: "writable",
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        Buffer: "readonly",
        setTimeout: "readonly",
        clearTimeout: "readonly",
        AbortController: "readonly",
        AbortSignal: "readonly",
        exports: "writable",
        __dirname: "readonly",
      },
    },
    rules: {
      "no-console": "off",
      "@typescript-eslint/no-require-imports": "off",
      "@typescript-eslint/no-extraneous-class": "off",
    },
  },
  {
    files: ["test/{docs,release,runner}/**/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        ["describe", "it", "before", "after", "beforeEach", "afterEach"].map((name) => [name, "readonly"]),
      ),
    },
  },
  layer(
    ["core/src/base/**"],
    [
      noNode,
      noEditor,
      later(
        ["rpc", "settings", "safety", "acp", "trace", "mcp", "conductor", "proxies", "agents", "testing"],
        "nowhere: base stands alone",
      ),
    ],
  ),
  layer(
    ["core/src/rpc/**"],
    [
      noNode,
      noEditor,
      later(["settings", "acp", "trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/base"),
    ],
  ),
  layer(
    ["core/src/safety/**"],
    [
      noNode,
      noEditor,
      later(
        ["rpc", "settings", "acp", "trace", "mcp", "conductor", "proxies", "agents", "testing"],
        "core/src/base, or core/src/node where it needs files",
      ),
    ],
  ),
  layer(
    ["core/src/recommendations/**"],
    [noNode, noEditor, later(["trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/registry")],
  ),
  layer(
    ["core/src/zed/**"],
    [noNode, noEditor, later(["trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/settings")],
  ),
  layer(
    ["core/src/model/**"],
    [noNode, noEditor, later(["openai", "vscodelm", "proxies", "agents", "testing"], "core/src/conductor")],
  ),
  layer(
    ["core/src/vscodelm/**"],
    [noNode, noEditor, later(["openai", "proxies", "agents", "testing"], "core/src/model")],
  ),
  layer(["core/src/openai/**"], [noNode, noEditor, later(["proxies", "agents", "testing"], "core/src/conductor")]),
  layer(
    ["core/src/registry/**"],
    [noNode, noEditor, later(["trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/settings")],
  ),
  layer(
    ["core/src/trace/**"],
    [noNode, noEditor, later(["settings", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/rpc")],
  ),
  layer(
    ["core/src/settings/**"],
    [noNode, noEditor, later(["trace", "conductor", "mcp", "proxies", "agents", "testing"], "core/src/base")],
  ),
  layer(
    ["core/src/acp/**"],
    [noNode, noEditor, later(["conductor", "mcp", "proxies", "agents", "testing"], "core/src/base")],
  ),
  layer(
    ["core/src/ide-operations/**"],
    [
      noNode,
      noEditor,
      later(["settings", "acp", "trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/rpc"),
    ],
  ),
  layer(
    ["core/src/trust/**"],
    [noNode, noEditor, later(["trace", "mcp", "conductor", "proxies", "agents", "testing"], "core/src/acp")],
  ),
  layer(["core/src/mcp/**"], [noNode, noEditor, later(["conductor", "proxies", "agents", "testing"], "core/src/acp")]),
  layer(["core/src/conductor/**"], [noNode, noEditor, later(["proxies", "agents", "testing"], "core/src/conductor")]),
  layer(["core/src/proxies/**"], [noNode, noEditor, later(["agents", "testing"], "core/src/conductor")]),
  // The system half of a proxy stands beside its pure half.
  layer(
    ["core/src/proxies/*/node.ts", "core/src/proxies/*/node/**"],
    [noEditor, later(["agents", "testing"], "core/src/conductor")],
  ),
  layer(["core/src/agents/**"], [noNode, noEditor, later(["chains", "testing"], "core/src/conductor")]),
  layer(["core/src/chains/**"], [noNode, noEditor, later(["testing"], "core/src/agents")]),
  layer(["core/src/node/**", "core/src/cli/**"], [noEditor]),
  layer(
    ["vscode-extension/protocol/**"],
    [
      noNode,
      noEditor,
      { group: ["../*", "@symposium-dev/*"], message: "The protocol stands alone: both sides import it." },
    ],
  ),
  layer(
    ["vscode-extension/webview/**"],
    [
      noEditor,
      {
        group: ["node:*", "@symposium-dev/*", "**/src/*"],
        message: "A web page: it knows its own folder and protocol/.",
      },
    ],
  ),
  layer(
    ["vscode-extension/src/acp/**"],
    [noEditor, { group: ["**/features/*"], message: "Sessions know no feature: features are passed in as abilities." }],
  ),
  layer(
    ["vscode-extension/src/**"],
    [
      {
        group: ["**/webview/*", "**/core/src/*"],
        message: "Only protocol/ is shared with the pages; core goes by its package name.",
      },
    ],
  ),
  layer(
    ["lsp-adapter/**"],
    [noEditor, { group: ["**/core/src/*", "**/core/dist/*"], message: "Core goes by its package name." }],
  ),
  layer(["scripts/**"], [{ group: ["**/core/**"], message: "Scripts know the built product, not its source." }]),
  {
    files: ["core/test/**/*.ts", "lsp-adapter/test/**/*.ts", "vscode-extension/test/**/*.ts", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: ["it", "describe"] }],
    },
  },
);
