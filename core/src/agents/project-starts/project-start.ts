/** What an agent starts, or takes for rules of its own, because of files in a folder, without asking anybody. */
export interface ProjectStarts {
  readonly files: readonly StartFile[];
  /** Folders, below the project's, whose files it runs as parts of itself. */
  readonly folders: readonly string[];
  readonly off: StartsOff;
}

/** A file that it reads in the session's folder and in those above, up to the repository's root. */
interface StartFile {
  readonly name: string;
  readonly format: "json" | "toml";
  /** The members that start something, or widen what is allowed, as dotted paths. */
  readonly members: readonly string[];
}

/** What switches it off, and what else is missing then. */
export type StartsOff =
  | {
      readonly kind: "session";
      /** Where the parameters that open a session take `value`. */
      readonly at: readonly [string, ...string[]];
      readonly value: unknown;
      readonly alsoOff: string;
    }
  | {
      readonly kind: "environment";
      readonly variables: Readonly<Record<string, string>>;
      /** What stays on all the same, by its file and key, as `/folder/file#key`. */
      readonly exceptions: RegExp;
      readonly alsoOff: string;
    }
  | {
      readonly kind: "config";
      /** A variable with a JSON object of the agent's configuration. */
      readonly variable: string;
      /** The member whose own members are switched off by their names; everything else stays on. */
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
    // Its second loader of plugins does not know the variable.
    exceptions: /\/\.opencode\/plugins?(?:\/[\s\S]*)?#$|#plugins(?:\.|$)/,
    alsoOff: "the project's AGENTS.md and everything else in opencode.json",
  },
};
