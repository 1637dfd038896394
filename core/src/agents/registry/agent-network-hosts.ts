/** Hosts that an agent connects to by itself. Patterns are host names or `*.name`, as in rules. */
export interface AgentHosts {
  /** Hosts for models, sign-in and token refresh. Sandboxes allow them without asking. */
  readonly needed: readonly string[];
  /** Hosts for telemetry, experiments and updates. Sandboxes deny these hosts without asking; every agent works without them. */
  readonly refused: readonly string[];
  /**
   * Hosts that the agent contacts for updates at its start, but that its commands may need later. Sandboxes deny these hosts without asking
   * before the first turn, and at the start of a turn until the first tool call.
   */
  readonly atStart?: readonly string[];
}

export const claudeHosts: AgentHosts = {
  needed: ["api.anthropic.com", "claude.ai", "platform.claude.com"],
  refused: ["downloads.claude.ai"],
};

export const codexHosts: AgentHosts = {
  needed: ["chatgpt.com", "api.openai.com", "auth.openai.com"],
  refused: ["ab.chatgpt.com"],
  // Codex loads its plugin list from these hosts, or from chatgpt.com if they don't answer.
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
