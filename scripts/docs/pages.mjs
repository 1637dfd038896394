// The pages of the documentation site, in the order of its sidebar. A page is a Markdown file that reads as well where the
// repository shows it.

/** Groups of pages: the page's name in the site, its name in the sidebar, and its file from the root of the repository. */
export const groups = [
  {
    title: "Start",
    pages: [
      page("index", "What it is"),
      page("install", "Install"),
      page("quickstart-vscode", "Quickstart: VS Code"),
      page("quickstart-zed", "Quickstart: Zed"),
      page("quickstart-terminal", "Quickstart: terminal"),
      page("first-task", "Your first real task"),
      page("workflows", "Common workflows"),
    ],
  },
  {
    title: "VS Code",
    pages: [
      page("vscode", "The chat"),
      page("vscode-prompts", "Prompts and answers"),
      page("vscode-permissions", "Permissions"),
      page("vscode-review", "Review changes"),
      page("vscode-review-all", "Review all changes"),
      page("vscode-worktrees", "Worktrees"),
      page("vscode-git", "Commits and quick edits"),
      page("vscode-agents", "Agents, extensions, servers"),
      page("vscode-language-models", "Language models"),
      page("vscode-commands", "Commands and keys"),
      page("vscode-settings", "Settings"),
    ],
  },
  {
    title: "Zed",
    pages: [page("zed", "Set up"), page("zed-threads", "Agents and extensions"), page("zed-edits", "Review edits")],
  },
  {
    title: "Other editors",
    pages: [
      page("other-editors", "JetBrains, Neovim, Emacs"),
      page("language-models", "Agents as language models"),
      page("serve-openai", "OpenAI-compatible endpoint"),
      page("automation", "Scripts and CI"),
    ],
  },
  {
    title: "Agents and their tools",
    pages: [
      page("agents", "Agents"),
      page("extensions", "Extensions"),
      page("extension-sparkle", "Sparkle"),
      page("extension-rust", "Ferris and Cargo"),
      page("extension-tests", "Tests"),
      page("extension-sources", "Sources"),
      page("ide-operations", "IDE operations"),
      page("short-output", "Short output"),
      page("updating", "Update"),
    ],
  },
  {
    title: "Context for agents",
    pages: [
      page("context", "Rules files"),
      page("skills", "Skills and commands"),
      page("mcp-servers", "MCP servers"),
      page("mcp-secrets", "Secrets and sign-in"),
      page("project", "Configure a project"),
      page("recommendations", "Recommendations"),
    ],
  },
  {
    title: "Conversations",
    pages: [
      page("conversations", "Your conversations"),
      page("host", "Keep sessions in the background"),
      page("other-machines", "Other machines"),
      page("conversations-continue", "Continue with another agent"),
      page("conversations-editors", "Earlier sessions"),
      page("usage", "Usage in figures"),
      page("telemetry", "OpenTelemetry"),
    ],
  },
  {
    title: "Safety",
    pages: [
      page("guard", "Rules for agents"),
      page("guard-agents", "Levels of protection"),
      page("hooks", "Hooks"),
      page("organisations", "Organisations"),
      page("budgets", "Budgets"),
      page("sandbox", "The sandbox"),
      page("sandbox-network", "The sandbox's network"),
      page("sandbox-files", "Files in the sandbox"),
      page("trusted-folders", "Trusted folders"),
      page("privacy", "Privacy and network"),
      page("security", "Security"),
    ],
  },
  {
    title: "Reference",
    pages: [
      page("configure", "config.jsonc"),
      page("command-line", "The command"),
      page("command-line-manage", "Manage from the command line"),
      page("guard-rules", "guard.jsonc rules"),
      page("recommendations-format", "Format of recommendations"),
      page("ide-operations-programs", "Programs for IDE operations"),
      page("files", "Files"),
      page("when-changes-apply", "When a change takes effect"),
      page("glossary", "Glossary"),
    ],
  },
  {
    title: "Help",
    pages: [
      page("troubleshooting", "Troubleshooting"),
      page("questions", "Questions"),
      page("linux", "Linux"),
      page("macos", "macOS"),
      page("windows", "Windows"),
    ],
  },
  {
    title: "Extension authors",
    pages: [
      page("writing-extensions", "Writing an extension"),
      page("ide-operations-protocol", "Requests for editors"),
    ],
  },
  {
    title: "Contributors",
    pages: [
      page("contributing", "Contributing", "CONTRIBUTING.md"),
      page("architecture", "Architecture", "ARCHITECTURE.md"),
      page("changelog", "Changelog", "CHANGELOG.md"),
      page("zed-acceptance", "Acceptance script for Zed"),
    ],
  },
];

/** All pages, without their groups. */
export const pages = groups.flatMap((group) => group.pages);

function page(name, title, file = `docs/${name}.md`) {
  return { name, title, file };
}
