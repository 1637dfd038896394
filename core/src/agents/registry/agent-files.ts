/** File or folder with rules for agents, and the agents that read it. */
export interface RulesFiles {
  /** Path with `/` separators, relative to a project folder or the user's home. A folder if `files` is set. */
  readonly path: string;
  /** Matches paths of rule files, relative to the folder. */
  readonly files?: RegExp;
  /** Environment variable that replaces the first folder of `path` for user files. */
  readonly folderIn?: string;
  /** Ids of the agents that read the files without Symposium. */
  readonly readBy: readonly string[];
  /** Agents that read the files only in projects that lack another file. Keys are agent ids; values are the other file's path. */
  readonly readWithout?: Readonly<Record<string, string>>;
  /** Scope of rule files that declare no scope: applied `always`, or only on request (`manual`). */
  readonly unsaid?: "always" | "manual";
}

const markdown = /\.md$/;

/**
 * Rule files of projects, in order of precedence. `readBy` was tested with each agent by searching its model requests for a line of each
 * file; unlisted agents are assumed to read only AGENTS.md.
 */
export const projectRules: readonly RulesFiles[] = [
  {
    path: "AGENTS.md",
    readBy: ["codex", "opencode", "qwen-code", "github-copilot", "goose", "kiro-cli", "auggie", "cursor-agent"],
    readWithout: { "claude-code": "CLAUDE.md" },
  },
  { path: "AGENTS.override.md", readBy: ["codex"] },
  {
    path: "CLAUDE.md",
    readBy: ["claude-code", "github-copilot", "auggie", "cursor-agent"],
    readWithout: { opencode: "AGENTS.md" },
  },
  { path: ".claude/CLAUDE.md", readBy: ["claude-code"] },
  { path: "CLAUDE.local.md", readBy: ["claude-code"] },
  { path: ".github/copilot-instructions.md", readBy: ["github-copilot"] },
  { path: ".rules", readBy: [] },
  { path: ".cursorrules", readBy: ["cursor-agent"] },
  { path: ".cursor/rules", files: /\.mdc$/, readBy: ["cursor-agent"], unsaid: "manual" },
  { path: ".github/instructions", files: /\.instructions\.md$/, readBy: ["github-copilot"], unsaid: "manual" },
  { path: ".claude/rules", files: markdown, readBy: ["claude-code", "github-copilot"] },
  { path: ".windsurfrules", readBy: [] },
  { path: ".windsurf/rules", files: markdown, readBy: [] },
  { path: ".clinerules", readBy: [] },
  { path: ".clinerules", files: markdown, readBy: [] },
  { path: ".junie/guidelines.md", readBy: [] },
  { path: ".junie/AGENTS.md", readBy: [] },
  { path: ".kiro/steering", files: markdown, readBy: ["kiro-cli"] },
  { path: ".agents/AGENTS.md", readBy: [] },
  { path: ".agents/rules", files: markdown, readBy: [] },
  { path: "AGENT.md", readBy: [] },
  { path: "GEMINI.md", readBy: ["gemini-cli", "github-copilot"] },
  { path: "QWEN.md", readBy: ["qwen-code"] },
  { path: ".qwen/rules", files: markdown, readBy: ["qwen-code"] },
];

export const userRules: readonly RulesFiles[] = [
  { path: ".claude/CLAUDE.md", folderIn: "CLAUDE_CONFIG_DIR", readBy: ["claude-code"] },
  { path: ".claude/rules", folderIn: "CLAUDE_CONFIG_DIR", files: markdown, readBy: ["claude-code"] },
  { path: ".codex/AGENTS.md", folderIn: "CODEX_HOME", readBy: ["codex"] },
  { path: ".config/opencode/AGENTS.md", readBy: ["opencode"] },
  { path: ".gemini/GEMINI.md", readBy: ["gemini-cli"] },
  { path: ".qwen/QWEN.md", readBy: ["qwen-code"] },
  { path: ".copilot/copilot-instructions.md", folderIn: "COPILOT_HOME", readBy: ["github-copilot"] },
  {
    path: ".copilot/instructions",
    folderIn: "COPILOT_HOME",
    files: /\.instructions\.md$/,
    readBy: ["github-copilot"],
    unsaid: "manual",
  },
];

/** Agents that resolve `@path` imports in their rule files. */
export const importingAgents: ReadonlySet<string> = new Set(["claude-code", "gemini-cli", "qwen-code"]);

/** Folder of skills (one folder with a SKILL.md each) or of commands (one file each). */
export interface NamedFolder {
  readonly path: string;
  readonly folderIn?: string;
  /** Ids of the agents that use the folder without Symposium. */
  readonly readBy: readonly string[];
}

const sharedSkills = ["codex", "opencode", "gemini-cli", "qwen-code", "github-copilot"] as const;

/** Skill folders of projects. Among equally named skills, the first folder's wins. */
export const projectSkills: readonly NamedFolder[] = [
  { path: ".agents/skills", readBy: sharedSkills },
  { path: ".claude/skills", readBy: ["claude-code", "opencode", "github-copilot"] },
  { path: ".github/skills", readBy: ["github-copilot"] },
  { path: ".codex/skills", readBy: ["codex"] },
  { path: ".opencode/skill", readBy: ["opencode"] },
  { path: ".opencode/skills", readBy: ["opencode"] },
  { path: ".gemini/skills", readBy: ["gemini-cli"] },
  { path: ".qwen/skills", readBy: ["qwen-code"] },
  { path: ".cursor/skills", readBy: ["cursor-agent"] },
  { path: ".kiro/skills", readBy: ["kiro-cli"] },
];

export const userSkills: readonly NamedFolder[] = [
  { path: ".agents/skills", readBy: sharedSkills },
  { path: ".claude/skills", folderIn: "CLAUDE_CONFIG_DIR", readBy: ["claude-code", "opencode"] },
  { path: ".codex/skills", folderIn: "CODEX_HOME", readBy: ["codex"] },
  { path: ".config/opencode/skill", readBy: ["opencode"] },
  { path: ".config/opencode/skills", readBy: ["opencode"] },
  { path: ".opencode/skills", readBy: ["opencode"] },
  { path: ".gemini/skills", readBy: ["gemini-cli"] },
  { path: ".qwen/skills", readBy: ["qwen-code"] },
  { path: ".copilot/skills", folderIn: "COPILOT_HOME", readBy: ["github-copilot"] },
];

export const projectCommands: readonly NamedFolder[] = [
  { path: ".claude/commands", readBy: ["claude-code", "github-copilot"] },
  { path: ".opencode/command", readBy: ["opencode"] },
  { path: ".opencode/commands", readBy: ["opencode"] },
  { path: ".gemini/commands", readBy: [] },
  { path: ".qwen/commands", readBy: ["qwen-code"] },
  { path: ".github/prompts", readBy: [] },
  { path: ".cursor/commands", readBy: ["cursor-agent"] },
];

export const userCommands: readonly NamedFolder[] = [
  { path: ".claude/commands", folderIn: "CLAUDE_CONFIG_DIR", readBy: ["claude-code"] },
  { path: ".codex/prompts", folderIn: "CODEX_HOME", readBy: [] },
  { path: ".config/opencode/command", readBy: ["opencode"] },
  { path: ".config/opencode/commands", readBy: ["opencode"] },
  { path: ".gemini/commands", readBy: [] },
  { path: ".qwen/commands", readBy: ["qwen-code"] },
];
