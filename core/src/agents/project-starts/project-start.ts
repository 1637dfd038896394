/** Programs and rules that an agent takes from files in a folder without asking. */
export interface ProjectStarts {
  readonly files: readonly StartFile[];
  /** Folders, relative to the project's, whose files the agent runs as plugins. */
  readonly folders: readonly string[];
  readonly off: StartsOff;
}

/** File that the agent reads in the session's folder and its parents, up to the repository root. */
interface StartFile {
  readonly name: string;
  readonly format: "json" | "toml";
  readonly members: readonly string[];
}

export type StartsOff =
  | {
      readonly kind: "session";
      readonly at: readonly [string, ...string[]];
      readonly value: unknown;
      readonly alsoOff: string;
    }
  | {
      readonly kind: "environment";
      readonly variables: Readonly<Record<string, string>>;
      /** Matches the starts that stay enabled. Each start is formatted as `/folder/file#key`. */
      readonly exceptions: RegExp;
      readonly alsoOff: string;
    }
  | {
      readonly kind: "config";
      /** Environment variable that contains agent configuration as a JSON object. */
      readonly variable: string;
      /** Configuration member whose entries are disabled by name; everything else stays enabled. */
      readonly member: string;
      readonly value: Readonly<Record<string, unknown>>;
    };

const claudeSettings = [
  "hooks",
  "env",
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "otelHeadersHelper",
  "statusLine",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "permissions.allow",
  "permissions.defaultMode",
];

export const claudeStarts: ProjectStarts = {
  files: [
    { name: ".mcp.json", format: "json", members: ["mcpServers"] },
    { name: ".claude/settings.json", format: "json", members: claudeSettings },
    { name: ".claude/settings.local.json", format: "json", members: claudeSettings },
  ],
  folders: [],
  off: {
    kind: "session",
    at: ["_meta", "claudeCode", "options", "settingSources"],
    value: ["user"],
    alsoOff: "the project's CLAUDE.md, skills and commands",
  },
};

export const codexStarts: ProjectStarts = {
  files: [
    {
      name: ".codex/config.toml",
      format: "toml",
      members: ["mcp_servers", "hooks", "notify", "sandbox_mode", "approval_policy"],
    },
    { name: ".codex/hooks.json", format: "json", members: ["hooks"] },
  ],
  folders: [],
  off: { kind: "config", variable: "CODEX_CONFIG", member: "mcp_servers", value: { enabled: false } },
};

const opencodeConfig = ["mcp", "plugin", "plugins", "formatter", "lsp", "provider", "permission"];

export const opencodeStarts: ProjectStarts = {
  files: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"].map((name) => ({
    name,
    format: "json",
    members: opencodeConfig,
  })),
  folders: [".opencode/plugin", ".opencode/plugins", ".opencode/tool", ".opencode/tools"],
  off: {
    kind: "environment",
    variables: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" },
    // OpenCode's second plugin loader ignores the variable, so these plugins stay enabled.
    exceptions: /\/\.opencode\/plugins?(?:\/[\s\S]*)?#$|#plugins(?:\.|$)/,
    alsoOff: "the project's AGENTS.md and everything else in opencode.json",
  },
};
