/**
 * Files of a project that do more than hold its text: they make a tool run programs nobody looks at (`runs`), or they
 * hold credentials (`secret`). The project's own code and build scripts are not among them: package.json, pyproject.toml,
 * build.rs or a Makefile run as well, but only when somebody runs the project, and changing them is an agent's work.
 */
export interface SensitiveFile {
  /** Whose file it is, as users know it: `cargo`, `Git`, `VS Code`. */
  readonly tool: string;
  /**
   * Lower case, from any folder: `.npmrc` or `.cargo/config` is a file, `.git/` a folder with all in it (or a file of its
   * name), `*` any part of a name.
   */
  readonly files: readonly string[];
  /** Names that `files` covers and that are harmless. */
  readonly except?: readonly string[];
  /** What a change to it may do, or what it holds: the end of a sentence that begins with its name. */
  readonly why: string;
  /** Changing a file that `runs` is asked for; a `secret` also when it is read. */
  readonly risk: "runs" | "secret";
}

const row = (
  tool: string,
  risk: SensitiveFile["risk"],
  files: string,
  why: string,
  except?: string,
): SensitiveFile => ({
  tool,
  risk,
  files: files.split(" "),
  why,
  ...(except === undefined ? {} : { except: except.split(" ") }),
});

/** The one list of sensitive files, for everything that reads or writes for an agent. The first row that fits counts. */
export const sensitiveFiles: readonly SensitiveFile[] = [
  row(
    "Git",
    "secret",
    ".git/ git~*/",
    "belongs to Git's own data, which can make Git run programs (hooks, filters, fsmonitor)",
  ),
  row(
    "Git",
    "secret",
    ".gitconfig .gitmodules .gitattributes .git-credentials .config/git/",
    "can make Git run programs (filters, pagers, helpers) or holds passwords for repositories",
  ),
  row("Git", "runs", "head .githooks/ .git-hooks/", "can make Git run programs (a folder with HEAD is a repository)"),
  row("Mercurial", "secret", ".hg/ .hgrc", "can make Mercurial run programs (hooks, extensions)"),
  row("Jujutsu", "runs", ".jj/ .jjconfig.toml", "can make Jujutsu run programs (tools, aliases)"),
  row("Husky", "secret", ".husky/ .huskyrc*", "holds programs that Git runs at every commit"),
  row(
    "Git hooks",
    "runs",
    "lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .lefthook/ .pre-commit-config.* .pre-commit-hooks.* " +
      "prek.toml .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.* .overcommit.yml",
    "names programs that run at every commit",
  ),

  row("cargo", "secret", ".cargo/credentials*", "may hold tokens of cargo's registries"),
  row(
    "cargo",
    "runs",
    ".cargo/config .cargo/config.toml",
    "can make cargo run other programs (wrappers, linkers, runners, aliases) and set variables for them",
  ),
  row("rustup", "runs", "rust-toolchain rust-toolchain.toml", "decides which compiler runs, also one in any folder"),
  row(
    "rust-analyzer",
    "runs",
    "rust-analyzer.toml .rust-analyzer.toml",
    "can make rust-analyzer run other programs instead of cargo",
  ),

  row(
    "npm",
    "secret",
    ".npmrc",
    "may hold npm's tokens, decides where packages come from and which shell runs scripts",
  ),
  row("npm", "runs", "node_modules/.bin/", "is run by its name whenever a script or npx names it"),
  row("node", "runs", "node.config.json", "can make Node load other code at every start"),
  row(
    "pnpm",
    "runs",
    ".pnpmfile.* pnpmfile.* pnpm-workspace.yaml",
    "can make pnpm run code at every install, and decides whose install scripts run",
  ),
  row(
    "yarn",
    "secret",
    ".yarnrc .yarnrc.yml",
    "may hold Yarn's tokens and decides which program runs as Yarn, with which plugins",
  ),
  row("yarn", "runs", ".yarn/", "holds the program that runs as Yarn, and its plugins"),
  row(
    "bun",
    "runs",
    "bunfig.toml .bunfig.toml",
    "can make Bun load code at every start and decides where packages come from",
  ),
  row("deno", "runs", "deno.json deno.jsonc", "decides what Deno's imports and tasks mean"),

  row("pip", "secret", "pip.conf pip.ini .pypirc", "may hold tokens and decides where Python packages come from"),
  row("uv", "runs", "uv.toml .uv/", "decides where Python packages come from and which Python runs"),
  row("poetry", "runs", "poetry.toml", "decides where Python packages come from and go to"),
  row(
    "Python",
    "runs",
    "sitecustomize.py usercustomize.py *.pth pyvenv.cfg .pythonrc*",
    "runs at every start of Python, or decides which Python runs",
  ),

  row("go", "runs", "go.env go/env", "sets variables of every go command, which can name other programs and sources"),
  row(
    "gradle",
    "runs",
    "gradle/wrapper/ gradlew gradlew.bat gradle.properties init.gradle init.gradle.kts .gradle/",
    "decides which Gradle and which Java run, and with what code",
  ),
  row("maven", "runs", ".mvn/ mvnw mvnw.cmd .mavenrc", "decides which Maven and which Java run, and with what code"),
  row("maven", "secret", ".m2/", "may hold passwords and decides where Maven's packages and plugins come from"),
  row("JVM", "runs", ".jvmopts .sbtopts .scalafmt.jar", "sets options of every Java that the build starts"),
  row(
    "Bazel",
    "runs",
    ".bazelrc .bazeliskrc .bazelversion tools/bazel .buckconfig",
    "decides which program runs as the build",
  ),
  row("NuGet", "secret", "nuget.config", "may hold passwords and decides where .NET packages come from"),
  row("dotnet", "runs", ".config/dotnet-tools.json global.json", "decides which .NET tools and SDK run"),
  row("Bundler", "secret", ".bundle/ .gem/", "may hold tokens and can make Bundler load other code"),
  row("Ruby", "runs", ".rspec .irbrc .pryrc", "can make Ruby's tools load other code"),
  row("R", "runs", ".rprofile .renviron", "runs at every start of R"),
  row(
    "Terraform",
    "secret",
    ".terraformrc terraform.rc *.tfstate *.tfvars",
    "may hold credentials of the infrastructure",
  ),
  row("debuggers", "runs", ".gdbinit .lldbinit", "runs when a debugger starts here"),

  row("direnv", "secret", ".envrc", "may hold secrets and runs when a shell enters the folder"),
  row(
    "mise",
    "runs",
    "mise.toml .mise.toml mise.*.toml .mise.*.toml .mise/ .config/mise.toml .config/mise/ .tool-versions",
    "decides which versions of tools run here, and can run commands when a shell enters the folder",
  ),
  row(
    "shell",
    "secret",
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout " +
      ".kshrc .cshrc .tcshrc .login .inputrc .config/fish/ *profile.ps1",
    "runs at every start of a shell",
  ),

  row(
    "continuous integration",
    "runs",
    ".github/workflows/ .github/actions/ .forgejo/workflows/ .gitea/workflows/ .gitlab-ci.* .gitlab/ci/ .circleci/ " +
      "azure-pipelines.* .azure-pipelines/ .travis.yml jenkinsfile .drone.* .woodpecker/ .woodpecker.* .buildkite/ " +
      "bitbucket-pipelines.yml appveyor.yml .appveyor.yml .cirrus.* .semaphore/ .teamcity/ cloudbuild.* .builds/",
    "runs on servers of the project, with its secrets",
  ),
  row(
    "development containers",
    "runs",
    ".devcontainer/ .devcontainer.json .gitpod.* .ona/ .idx/ .replit .codesandbox/",
    "runs commands when the project is opened in a container",
  ),

  row(
    "VS Code",
    "secret",
    ".vscode/ .vscode-server/ *.code-workspace",
    "may hold secrets, and tasks or settings that make VS Code run programs",
  ),
  row("JetBrains", "secret", ".idea/ .fleet/", "may hold secrets, and settings that make the editor run programs"),
  row("Zed", "runs", ".zed/", "has tasks and settings that make Zed run programs"),
  row("Visual Studio", "runs", ".vs/", "has tasks and settings that make the editor run programs"),
  row(
    "editors",
    "runs",
    ".vimrc .nvimrc .nvim.lua .exrc .lvimrc .gvimrc .dir-locals.el .dir-locals-2.el .helix/ *.sublime-project",
    "can make an editor run code when a file is opened",
  ),

  row("Claude Code", "secret", ".claude/ .claude.json", "has settings and hooks that make Claude Code run programs"),
  row("Codex", "secret", ".codex/", "has settings, rules and hooks that make Codex run programs"),
  row("Gemini CLI", "secret", ".gemini/", "has settings and hooks that make Gemini CLI run programs"),
  row("Cursor", "secret", ".cursor/", "has settings and hooks that make Cursor run programs"),
  row("Symposium", "secret", ".symposium/", "holds what Symposium keeps: tokens, trust and settings"),
  row("Kiro", "runs", ".kiro/", "has settings and hooks that make Kiro run programs"),
  row("OpenCode", "runs", "opencode.json opencode.jsonc .opencode/", "can make OpenCode load code and run programs"),
  row(
    "MCP servers",
    "secret",
    ".mcp.json mcp.json mcp_config.json",
    "may hold tokens, and names programs that agents start",
  ),
  row("Aider", "secret", ".aider.conf.yml", "may hold keys, and names programs that Aider runs"),
  row(
    "coding agents",
    "runs",
    ".qwen/ .copilot/ .github/hooks/ .agents/ .amp/ .windsurf/ .continue/ .cline/ .clinerules/ .roo/ .kilocode/ .goose/ " +
      ".augment/ .factory/ .junie/ .trae/ .openhands/ crush.json .crush.json",
    "has settings and hooks that make a coding agent run programs",
  ),

  row(
    "environment files",
    "secret",
    ".env*",
    "may hold secrets",
    ".env.example .env.sample .env.template .env.dist .environment",
  ),
  row(
    "SSH",
    "secret",
    ".ssh/ id_* authorized_keys",
    "may hold secrets that let somebody in on other machines",
    "id_*.*",
  ),
  row(
    "keys and passwords",
    "secret",
    "*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx .netrc _netrc .pgpass .my.cnf .htpasswd .vault-token credentials " +
      "credentials.json .gnupg/ .aws/ .azure/ .kube/ .docker/ .config/gh/ .config/gcloud/",
    "may hold keys or passwords",
  ),
];
