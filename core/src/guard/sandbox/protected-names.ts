import { sensitiveFiles } from "../../base/safety/sensitive-files.js";

/**
 * Workspace files and folders that can cause code to run later, and are therefore read-only in a sandbox. `*` matches any part of a name,
 * `**` one or more names.
 */
export const protectedInWorkspace: readonly string[] = [
  ...new Set(sensitiveFiles.flatMap(({ held }) => held.map((name) => name.replace(/\/$/, "")))),
];

/** One example file for each protected name outside `.git`. Escape attempts use these files as targets. */
export const laterFiles: readonly string[] = [
  ...new Set(
    sensitiveFiles.flatMap(({ held }) =>
      held.filter((name) => !name.startsWith(".git/")).map((name) => name.replace(/\*/g, "x").replace(/\/$/, "/x")),
    ),
  ),
];

/** Programs and toolchains in the home folder that a sandbox may read. Caches and keys aren't included. */
export const toolchainsInHome: readonly string[] = [
  ".gitconfig",
  ".config/git/config",
  ".config/git/ignore",
  ".config/git/attributes",
  ".nvm/versions",
  ".nvm/alias",
  ".volta",
  ".fnm",
  ".local/share/fnm",
  ".bun/bin",
  ".deno/bin",
  ".local/share/pnpm",
  ".cargo/bin",
  ".rustup",
  ".pyenv",
  ".local/bin",
  ".local/share/pipx",
  ".local/share/uv/python",
  ".local/share/uv/tools",
  ".local/share/mise",
  ".asdf",
  ".rbenv",
  ".sdkman",
  ".jdks",
  ".dotnet",
  ".ghcup/bin",
  "go/bin",
  "sdk",
];

/** Folders in the home folder that are never visible in a sandbox and can't be a workspace. */
export const hiddenInHome: readonly string[] = [".ssh", ".gnupg", ".aws", ".config/gh", ".kube", ".docker"];
