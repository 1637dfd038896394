/** What an agent connects to by itself, as far as that is known. Patterns as in rules: a name, or `*.name`. */
export interface AgentHosts {
  /** Its model, its sign-in, what it refreshes tokens at: a sandbox lets it reach these without a question. */
  readonly needed: readonly string[];
  /** Telemetry, experiments and updates: a sandbox refuses these without a question. None of the agents minds. */
  readonly refused: readonly string[];
  /** Where it looks for updates when it starts, and programs of a turn may have work: refused without a question before the first turn, and once in it, until a tool is called. */
  readonly atStart?: readonly string[];
}

export const claudeHosts: AgentHosts = {
  needed: ["api.anthropic.com", "claude.ai", "platform.claude.com"],
  refused: ["downloads.claude.ai"],
};

export const codexHosts: AgentHosts = {
  needed: ["chatgpt.com", "api.openai.com", "auth.openai.com"],
  refused: ["ab.chatgpt.com"],
  // The list of plugins; it has that from chatgpt.com where these do not answer.
  atStart: ["github.com", "api.github.com"],
};

export const geminiHosts: AgentHosts = {
  needed: [
    "cloudcode-pa.googleapis.com",
    "generativelanguage.googleapis.com",
    "oauth2.googleapis.com",
    "www.googleapis.com",
    "accounts.google.com",
  ],
  refused: ["play.googleapis.com"],
};

export const opencodeHosts: AgentHosts = {
  needed: ["opencode.ai", "api.opencode.ai", "models.opencode.ai"],
  refused: [],
};

export const qwenHosts: AgentHosts = {
  needed: [
    "dashscope.aliyuncs.com",
    "dashscope-intl.aliyuncs.com",
    "dashscope-us.aliyuncs.com",
    "*.dashscope.aliyuncs.com",
    "*.dashscope-intl.aliyuncs.com",
    "*.dashscope-us.aliyuncs.com",
    "*.maas.aliyuncs.com",
    "chat.qwen.ai",
  ],
  refused: ["*.rum.aliyuncs.com"],
};

export const copilotHosts: AgentHosts = {
  needed: ["api.github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com"],
  refused: ["copilot-telemetry.githubusercontent.com", "collector.github.com", "default.exp-tas.com"],
};
