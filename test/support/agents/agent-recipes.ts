import { callTool, callToolWith, toolNames } from "../fake-model/script.js";
import type { AgentRecipe } from "./agent-recipe.js";

/** The text that the tool call of a recipe leaves in the file. */
export const writtenText = "hello from the fake model";

const writesFile = (path: string) => callTool(toolNames.write, { path, content: `${writtenText}\n` });
const leavesSandbox = (path: string) =>
  callToolWith(toolNames.command, {
    cmd: `echo ${writtenText} > ${path}`,
    sandbox_permissions: "require_escalated",
    justification: "May the file be created?",
  });

/** OpenCode. */
export const opencode: AgentRecipe = {
  name: "opencode",
  package: "opencode-ai",
  version: "1.18.33",
  command: "opencode",
  args: ["acp"],
  nodeMajor: 20,
  setupScript: "opencode-ai/postinstall.mjs",
  env: (modelUrl) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(modelUrl)),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
  // An empty price list: reading the built-in one takes seconds of each session.
  files: () => ({ ".cache/opencode/models.json": "{}" }),
  createsFile: writesFile,
};

/** Gemini CLI. */
export const gemini: AgentRecipe = {
  name: "gemini",
  package: "@google/gemini-cli",
  version: "0.61.0",
  command: "gemini",
  args: ["--acp"],
  nodeMajor: 20,
  env: (modelUrl) => ({
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_API_KEY: "fake",
    // MCP servers are ignored in folders that nobody has declared as trusted.
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
  // Telemetry and the update check would call home.
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  }),
  authMethod: "gemini-api-key",
  createsFile: writesFile,
};

/** Claude Code behind its ACP adapter. */
export const claude: AgentRecipe = {
  name: "claude",
  package: "@agentclientprotocol/claude-agent-acp",
  version: "0.100.0",
  command: "claude-agent-acp",
  args: [],
  nodeMajor: 22,
  env: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_AUTH_TOKEN: "fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // Otherwise MCP tools hide behind a search tool and never reach the list of tools.
    ENABLE_TOOL_SEARCH: "false",
  }),
  createsFile: writesFile,
};

/** Codex behind its ACP adapter. */
export const codex: AgentRecipe = {
  name: "codex",
  package: "@agentclientprotocol/codex-acp",
  version: "2.6.0",
  command: "codex-acp",
  args: [],
  nodeMajor: 20,
  env: () => ({ FAKE_KEY: "fake" }),
  files: (modelUrl) => ({ ".codex/config.toml": codexConfig(modelUrl) }),
  // In the first one a model reviews commands and MCP calls.
  mode: "workspace-write",
  mcpMode: "agent-full-access",
  createsFile: leavesSandbox,
};

/** Qwen Code. */
export const qwen: AgentRecipe = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  version: "0.24.4",
  command: "qwen",
  args: ["--acp"],
  nodeMajor: 22,
  env: (modelUrl) => ({
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_API_KEY: "fake",
    OPENAI_MODEL: "m1",
    // Otherwise the first prompt turn can start before the tools of MCP servers are known.
    QWEN_CODE_LEGACY_MCP_BLOCKING: "1",
  }),
  authMethod: "openai",
  // Otherwise MCP tools hide behind a search tool and never reach the list of tools.
  files: () => ({
    ".qwen/settings.json": JSON.stringify({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      tools: { toolSearch: { enabled: false } },
    }),
  }),
  // The first one lets a model decide.
  mode: "default",
  mcpMode: "default",
  createsFile: writesFile,
};

/** GitHub Copilot CLI. */
export const copilot: AgentRecipe = {
  name: "copilot",
  package: "@github/copilot",
  version: "1.0.102",
  command: "copilot",
  args: ["--acp"],
  nodeMajor: 22,
  env: (modelUrl) => ({
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_TYPE: "openai",
    COPILOT_PROVIDER_API_KEY: "fake",
    COPILOT_MODEL: "m1",
    COPILOT_OFFLINE: "true",
  }),
  createsFile: writesFile,
};

/** The agents of `npm test`. */
export const walkedAgents: readonly AgentRecipe[] = [opencode, claude];

/** The agents of `npm run test:all`. */
export const agents: readonly AgentRecipe[] = [opencode, gemini, claude, codex, qwen, copilot];

function opencodeConfig(modelUrl: string): unknown {
  const model = { name: "m1", tool_call: true, limit: { context: 100_000, output: 4_000 } };
  return {
    autoupdate: false,
    share: "disabled",
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "fake" },
        models: { m1: model },
      },
    },
    model: "fake/m1",
    small_model: "fake/m1",
    permission: { edit: "ask", bash: "ask" },
  };
}

function codexConfig(modelUrl: string): string {
  return [
    'model = "m1"',
    'model_provider = "fake"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.fake]",
    'name = "Fake"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    'env_key = "FAKE_KEY"',
    "requires_openai_auth = false",
    "",
  ].join("\n");
}
