/** What an agent needs in a sandbox besides its program. */
export interface SandboxNeeds {
  /** Where it keeps sessions and sign-in; made where they are missing. */
  readonly state: readonly HomeFolder[];
  /**
   * Of {@link state}, what runs code when the agent starts without a sandbox; `*` stands for one name. A folder with a `/` at its end
   * is made where it is missing, since only what is there can be held.
   */
  readonly runsLater: readonly string[];
  /** Folders of {@link state} by which other processes of the agent run code while they live: a sandbox has empty ones of its own. */
  readonly ownInEach?: readonly string[];
  /** What it reads and does not write. */
  readonly readable?: readonly HomeFolder[];
  /** Files that it replaces in the user's folder: it works with a copy, which is renewed where the user's is newer. */
  readonly copied?: readonly string[];
  /** Variables of the environment that are for it. */
  readonly variables: readonly RegExp[];
  /** It talks to itself by a port that it opens. */
  readonly opensPort?: true;
  /** Set for it: its own sandbox would break in another one. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder below the user's own, or below the one that a variable names. */
export interface HomeFolder {
  readonly folderIn?: string;
  readonly folder: string;
  /** Below that. */
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
    // What its service, and what it does by itself at some hour, take up.
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
    // It starts ripgrep from there.
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
  // By the socket in the second one, its service takes orders from whoever finds it.
  ownInEach: ["shell_snapshots", "app-server-control"],
  variables: [/^(?:OPENAI|CODEX)_/, /^INITIAL_AGENT_MODE$/],
  env: { INITIAL_AGENT_MODE: "agent-full-access" },
};

export const opencodeSandbox: SandboxNeeds = {
  state: [
    { folderIn: "XDG_DATA_HOME", folder: ".local/share", name: "opencode" },
    { folderIn: "XDG_STATE_HOME", folder: ".local/state", name: "opencode" },
  ],
  // Programs that it has downloaded: versions before 1.18 keep them there.
  runsLater: ["bin/"],
  // Repositories, by whose configuration git runs programs for an OpenCode outside.
  ownInEach: ["snapshot", "repos"],
  readable: [{ folderIn: "XDG_CONFIG_HOME", folder: ".config", name: "opencode" }],
  opensPort: true,
  variables: [/^OPENCODE_/, /_API_KEY$/, /^XDG_(?:DATA|STATE|CONFIG)_HOME$/],
};

/** It replaces its settings by a rename when it signs in, so it works with a copy of them. */
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
