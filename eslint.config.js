import js from "@eslint/js";
import { includeIgnoreFile } from "eslint/config";
import { join } from "node:path";
import tseslint from "typescript-eslint";

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
  {
    files: ["core/src/**", "lsp-adapter/src/**", "vscode-extension/src/**"],
    ignores: [
      "core/src/node/start-program.ts",
      // Our own programs, and the user's login shell.
      "core/src/node/watchdog.ts",
      "core/src/node/login-environment.ts",
      "core/src/testing/**",
      "lsp-adapter/src/sharing/connect-or-start.ts",
      "vscode-extension/src/features/agents/command-line.ts",
    ],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          name: "node:child_process",
          importNames: ["spawn", "spawnSync", "exec", "execSync", "fork"],
          message: "startProgram (core/src/node/start-program.ts) starts every program on an agent's behalf.",
        },
      ],
    },
  },
  {
    files: ["core/test/**/*.ts", "lsp-adapter/test/**/*.ts", "vscode-extension/test/**/*.ts", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: ["it", "describe"] }],
    },
  },
);
