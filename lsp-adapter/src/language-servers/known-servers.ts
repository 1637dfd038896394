import { existsSync } from "node:fs";
import { join } from "node:path";
import { simpleServer } from "./simple-server.js";
import { rustAnalyzer } from "./rust-analyzer.js";
import type { ServerDefinition } from "./server-definition.js";
import { typescript } from "./typescript.js";

/** pyright has no `--version` option, and starts an interpreter that a setting names. */
const pyright: ServerDefinition = simpleServer({
  name: "pyright",
  commands: [["pyright-langserver", "--stdio"]],
  languages: [{ id: "python", extensions: [".py", ".pyi"] }],
  rootMarkers: ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pyrightconfig.json"],
  readiness: "none",
  settings: ({ root, platform }) => {
    const python = join(root, ".venv", ...(platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]));
    return {
      python: {
        analysis: { autoSearchPaths: true, useLibraryCodeForTypes: true, diagnosticMode: "openFilesOnly" },
        ...(existsSync(python) && { pythonPath: python }),
      },
    };
  },
  remedy: () => "Run `npm install --global pyright`.",
});

const gopls: ServerDefinition = simpleServer({
  name: "gopls",
  commands: [["gopls"]],
  versionArgs: ["version"],
  languages: [
    { id: "go", extensions: [".go"] },
    { id: "go.mod", extensions: ["go.mod"] },
  ],
  rootMarkers: ["go.work", "go.mod"],
  readiness: "progress",
  // Otherwise, gopls would download the Go version that go.mod names if it is newer than the installed one.
  env: { GOTOOLCHAIN: "local" },
  // Otherwise, gopls only publishes diagnostics, and new diagnostics can't be distinguished from old ones.
  initializationOptions: { pullDiagnostics: true },
  settings: () => ({ gopls: { pullDiagnostics: true } }),
  remedy: () => "Run `go install golang.org/x/tools/gopls@latest`, and put the folder `go env GOPATH`/bin on PATH.",
});

const clangd: ServerDefinition = simpleServer({
  name: "clangd",
  commands: [
    "clangd",
    "clangd-22",
    "clangd-21",
    "clangd-20",
    "clangd-19",
    "clangd-18",
    "clangd-17",
    "clangd-16",
    "clangd-15",
    "clangd-14",
  ].map((name) => [name, "--background-index", "--header-insertion=never", "--log=error"]),
  versionArgs: ["--version"],
  languages: [
    { id: "c", extensions: [".c"] },
    { id: "cpp", extensions: [".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx"] },
    { id: "objective-c", extensions: [".m"] },
    { id: "objective-cpp", extensions: [".mm"] },
  ],
  rootMarkers: ["compile_commands.json", "compile_flags.txt", ".clangd"],
  readiness: "progress",
  rereadsLate: true,
  initializationOptions: { clangdFileStatus: true },
  settings: () => ({}),
  remedy: (platform) =>
    platform === "darwin"
      ? "Run `xcode-select --install`, or `brew install llvm`."
      : platform === "win32"
        ? "Run `winget install LLVM.LLVM`."
        : "Install the clangd package, for example with `sudo apt install clangd`.",
});

/** Language servers that the adapter supports without configuration. */
export const knownServers: readonly ServerDefinition[] = [rustAnalyzer, typescript, pyright, gopls, clangd];
