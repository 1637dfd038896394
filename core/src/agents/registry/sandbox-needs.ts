export interface SandboxNeeds {
  /** Folders for sessions and sign-in; created if missing. */
  readonly state: readonly HomeFolder[];
  /**
   * Paths in {@link state} that run code when the agent later starts unsandboxed; `*` matches one name. Paths ending in `/` are created if
   * missing, since only existing paths can be protected.
   */
  readonly runsLater: readonly string[];
  /** Folders of {@link state} through which the agent's running processes execute code. Each sandbox gets its own empty folder. */
  readonly ownInEach?: readonly string[];
  readonly readable?: readonly HomeFolder[];
  /** Files in the user's home that the agent replaces. The sandbox gets a copy, which is refreshed when the user's file is newer. */
  readonly copied?: readonly string[];
  readonly variables: readonly RegExp[];
  /** Set if the agent's processes communicate through a port that the agent opens. */
  readonly opensPort?: true;
  /** Variables set for the agent, because its own sandbox would fail inside another sandbox. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HomeFolder {
  readonly folderIn?: string;
  readonly folder: string;
  readonly name?: string;
}

export const claudeSandbox: SandboxNeeds = {
  state: [{ folderIn: "CLAUDE_CONFIG_DIR", folder: ".claude" }],
  runsLater: [
    "settings.json",
    "settings.local.json",
    "hooks/",
    "plugins",
    "skills/",
    "agents/",
    "commands/",
    "workflows/",
    "rules/",
    "output-styles/",
    "local",
    // Files that control Claude's background service and its scheduled tasks.
    ...["jobs", "daemon", "daemon.json", "routines", "scheduled_tasks.json", "launch.json", "loop.md"],
    "CLAUDE.md",
    "AGENTS.md",
  ],
  ownInEach: ["shell-snapshots", "session-env"],
  readable: [{ folder: "CLAUDE.md" }, { folder: "AGENTS.md" }],
  copied: [".claude.json"],
  variables: [/^(?:ANTHROPIC|CLAUDE|AWS_BEARER|ENABLE_TOOL)_/, /^(?:MAX_THINKING_TOKENS|DISABLE_TELEMETRY)$/],
};

export const geminiSandbox: SandboxNeeds = {
  state: [{ folder: ".gemini" }],
  runsLater: [
    "settings.json",
    "policies",
    "extensions",
    "commands",
    "agents",
    "hooks",
    "skills",
    "GEMINI.md",
    "trustedFolders.json",
    ".env",
    // Gemini CLI starts ripgrep from this folder.
    "tmp/bin/",
  ],
  variables: [/^(?:GEMINI|GOOGLE)_/],
  env: { SANDBOX: "symposium" },
};

export const codexSandbox: SandboxNeeds = {
  state: [{ folderIn: "CODEX_HOME", folder: ".codex" }],
  runsLater: [
    ...["config.toml", "managed_config.toml", "requirements.toml", ".env", "rules", "hooks", "hooks.json", "skills/*"],
    ...["plugins", "prompts", "agents", "packages", "AGENTS.md", "AGENTS.override.md"],
  ],
  // The socket in `app-server-control` lets any client send commands to Codex's service.
  ownInEach: ["shell_snapshots", "app-server-control"],
  variables: [/^(?:OPENAI|CODEX)_/, /^INITIAL_AGENT_MODE$/],
  env: { INITIAL_AGENT_MODE: "agent-full-access" },
};

export const opencodeSandbox: SandboxNeeds = {
  state: [
    { folderIn: "XDG_DATA_HOME", folder: ".local/share", name: "opencode" },
    { folderIn: "XDG_STATE_HOME", folder: ".local/state", name: "opencode" },
  ],
  // OpenCode before 1.18 stores downloaded programs in this folder.
  runsLater: ["bin/"],
  // Git repositories whose configuration could run programs in an unsandboxed OpenCode.
  ownInEach: ["snapshot", "repos"],
  readable: [{ folderIn: "XDG_CONFIG_HOME", folder: ".config", name: "opencode" }],
  opensPort: true,
  variables: [/^OPENCODE_/, /_API_KEY$/, /^XDG_(?:DATA|STATE|CONFIG)_HOME$/],
};

/** At sign-in, Qwen Code replaces its settings file by a rename, so the sandbox needs a copy of the file. */
export const qwenSandbox: SandboxNeeds = {
  state: [{ folder: ".qwen/projects" }],
  runsLater: [],
  copied: [".qwen/settings.json", ".qwen/oauth_creds.json", ".qwen/.env", ".qwen/QWEN.md"],
  variables: [/^(?:OPENAI|DASHSCOPE|QWEN|BAILIAN)_/],
  env: { SANDBOX: "symposium" },
};

export const copilotSandbox: SandboxNeeds = {
  state: [{ folder: ".copilot" }],
  runsLater: [
    "config.json",
    "mcp-config.json",
    "lsp-config.json",
    "permissions-config.json",
    "providers.json",
    "settings.json",
    "hooks",
    "skills",
    "agents",
    "extensions",
    "installed-plugins",
    "pkg",
  ],
  variables: [/^(?:COPILOT|GITHUB_COPILOT)_/, /^(?:GH_TOKEN|GITHUB_TOKEN)$/],
};
