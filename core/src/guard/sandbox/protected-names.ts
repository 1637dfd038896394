import { sensitiveFiles } from "../../base/safety/sensitive-files.js";

/**
 * Files and folders of a workspace that make others run code later. In a sandbox they can be read and not written. `*` stands for any part
 * of a name, `**` for one or more names.
 */
export const protectedInWorkspace: readonly string[] = [
  ...new Set(sensitiveFiles.flatMap(({ held }) => held.map((name) => name.replace(/\/$/, "")))),
];

/** One file for each of these names without `.git`'s own, which an attempt to leave a sandbox can aim at. */
export const laterFiles: readonly string[] = [
  ...new Set(
    sensitiveFiles.flatMap(({ held }) =>
      held.filter((name) => !name.startsWith(".git/")).map((name) => name.replace(/\*/g, "x").replace(/\/$/, "/x")),
    ),
  ),
];

/** Programs and toolchains below the user's folder, which a sandbox lets read: no caches, no keys. */
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

/** Folders below the user's own that never are a workspace, and never visible. */
export const hiddenInHome: readonly string[] = [".ssh", ".gnupg", ".aws", ".config/gh", ".kube", ".docker"];
