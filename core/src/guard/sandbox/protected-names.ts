/**
 * Files and folders of a workspace that make others run code later: hooks, settings of editors and agents, environments of
 * shells. In a sandbox they can be read and not written. `*` stands for one name, `**` for one or more.
 */
export const protectedInWorkspace: readonly string[] = [
  ".git/config",
  ".git/config.worktree",
  ".git/hooks",
  // It names the folder that git takes its configuration from.
  ".git/commondir",
  // Those of submodules, whose names are paths; git looks into them with each `git status`. A linked work tree has its own ones.
  ...["config", "config.worktree", "commondir", "hooks"].flatMap((name) => [
    `.git/modules/**/${name}`,
    `.git/worktrees/*/modules/**/${name}`,
  ]),
  ".git/worktrees/*/commondir",
  ".git/worktrees/*/gitdir",
  ".git/worktrees/*/config.worktree",
  ".husky",
  ...[".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".lefthook"],
  ".vscode",
  ".idea",
  ".zed",
  ".devcontainer",
  ".devcontainer.json",
  ".github/hooks",
  ".envrc",
  // Shells run what stands there, like `.envrc`, where mise is.
  ...["mise.toml", "mise.local.toml", ".mise.toml", ".mise.local.toml", ".mise/config.toml"],
  ".mcp.json",
  ".cursor",
  // Of several agents.
  ...[".agents/skills", ".agents/plugins"],
  ".symposium",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/hooks",
  ".claude/agents",
  ".claude/commands",
  ".claude/skills",
  ".claude/workflows",
  ".claude/routines",
  ".claude/launch.json",
  // What it does by itself at the hours that stand in there.
  ".claude/scheduled_tasks.json",
  ".codex",
  ".gemini/settings.json",
  ".gemini/commands",
  ".gemini/extensions",
  ".gemini/hooks",
  ".gemini/.env",
  ".qwen/settings.json",
  ".qwen/extensions",
  ".qwen/.env",
  ".opencode",
  "opencode.json",
  "opencode.jsonc",
  ".cargo/config.toml",
  ".cargo/config",
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
