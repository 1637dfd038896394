/** What shows that somebody has signed in to an agent, by name alone: nothing of it is read. */
interface SignInTraces {
  /** Environment variables that hold a key. */
  readonly variables: readonly string[];
  /** Files that the agent's own sign-in leaves, with `/` between the names. */
  readonly files: readonly {
    /** The variable that names the folder. */
    readonly folderIn?: string;
    /** The folder, below the user's own, where that variable is not set. */
    readonly folder: string;
    readonly name: string;
  }[];
}

/** By id of a built-in agent. Where the agent keeps its sign-in in a key store of the system, nothing is known. */
export const signInTraces: Readonly<Record<string, SignInTraces>> = {
  "claude-code": {
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    files: [{ folderIn: "CLAUDE_CONFIG_DIR", folder: ".claude", name: ".credentials.json" }],
  },
  "gemini-cli": { variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"], files: [] },
  codex: {
    variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    files: [{ folderIn: "CODEX_HOME", folder: ".codex", name: "auth.json" }],
  },
  opencode: {
    variables: [],
    files: [{ folderIn: "XDG_DATA_HOME", folder: ".local/share", name: "opencode/auth.json" }],
  },
  "qwen-code": { variables: ["DASHSCOPE_API_KEY"], files: [{ folder: ".qwen", name: "oauth_creds.json" }] },
  "github-copilot": { variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"], files: [] },
  goose: {
    variables: ["GOOSE_PROVIDER"],
    files: [{ folderIn: "XDG_CONFIG_HOME", folder: ".config", name: "goose/config.yaml" }],
  },
  auggie: { variables: ["AUGMENT_SESSION_AUTH"], files: [{ folder: ".augment", name: "session.json" }] },
  "cursor-agent": { variables: ["CURSOR_API_KEY"], files: [] },
};
