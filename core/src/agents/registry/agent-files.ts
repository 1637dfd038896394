/** Files with rules for agents, in one of the forms in which projects and users keep them. */
export interface RulesFiles {
  /** Below a folder of the project, or below the user's home; with `/` between the names. A file, or a folder where `files` is there. */
  readonly path: string;
  /** The files of the folder that count, by their paths in it. */
  readonly files?: RegExp;
  /** The variable that names the first folder of `path` in place of the one in the user's home. */
  readonly folderIn?: string;
  /** The ids of the agents that read them without us. */
  readonly readBy: readonly string[];
  /** The ids of agents that read them only in projects without another file, by the path of that. */
  readonly readWithout?: Readonly<Record<string, string>>;
  /** How a file says nothing of when it counts: always, or only where somebody asks for it. */
  readonly unsaid?: "always" | "manual";
}

const markdown = /\.md$/;

/**
 * A project's files with rules, in the order of their weight. Who reads what was tried with each agent, by a line of each
 * file in the request to the model; of agents that are not named, AGENTS.md alone is supposed to be read.
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

/** The user's own files with rules, below the home folder. */
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

/** The agents that follow `@path` in their files with rules. */
export const importingAgents: ReadonlySet<string> = new Set(["claude-code", "gemini-cli", "qwen-code"]);

/** A folder with skills, each a folder with a SKILL.md, or with commands, each a file. */
export interface NamedFolder {
  /** With `/` between the names. */
  readonly path: string;
  readonly folderIn?: string;
  /** The ids of the agents that know what is in it without us. */
  readonly readBy: readonly string[];
}

const sharedSkills = ["codex", "opencode", "gemini-cli", "qwen-code", "github-copilot"] as const;

/** Folders of a project with skills; the first of equal names counts. */
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

/** Folders of a user with skills, below the home folder. */
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

/** Folders of a project with commands and prompts; `readBy` are the agents that announce them. */
export const projectCommands: readonly NamedFolder[] = [
  { path: ".claude/commands", readBy: ["claude-code", "github-copilot"] },
  { path: ".opencode/command", readBy: ["opencode"] },
  { path: ".opencode/commands", readBy: ["opencode"] },
  { path: ".gemini/commands", readBy: [] },
  { path: ".qwen/commands", readBy: ["qwen-code"] },
  { path: ".github/prompts", readBy: [] },
  { path: ".cursor/commands", readBy: ["cursor-agent"] },
];

/** Folders of a user with commands and prompts, below the home folder. */
export const userCommands: readonly NamedFolder[] = [
  { path: ".claude/commands", folderIn: "CLAUDE_CONFIG_DIR", readBy: ["claude-code"] },
  { path: ".codex/prompts", folderIn: "CODEX_HOME", readBy: [] },
  { path: ".config/opencode/command", readBy: ["opencode"] },
  { path: ".config/opencode/commands", readBy: ["opencode"] },
  { path: ".gemini/commands", readBy: [] },
  { path: ".qwen/commands", readBy: ["qwen-code"] },
];
