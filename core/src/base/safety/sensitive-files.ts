/**
 * Project files with side effects: tools run programs from them unnoticed (`runs`), or they contain credentials (`secret`). Excludes the
 * project's code and build scripts such as package.json, pyproject.toml, build.rs or a Makefile, which run only when someone runs the
 * project and which agents are meant to change.
 */
export interface SensitiveFile {
  /** Tool that owns the file, for example `cargo`, `Git` or `VS Code`. */
  readonly tool: string;
  /**
   * Patterns, ignoring case and matching in any folder. `.npmrc` or `.cargo/config` is a file; `.git/` is a folder with its content, or a
   * file of that name; `*` matches any part of a name.
   */
  readonly files: readonly string[];
  /** Harmless names that `files` would match. */
  readonly except?: readonly string[];
  /**
   * Patterns for files of a workspace root, in the format of `files`, that a sandbox makes read-only. Lists files that tools run although
   * nobody runs the project, and that no common command writes. `**` matches one or more segments.
   */
  readonly held: readonly string[];
  /** End of a sentence that begins with the file's name: effect of a change, or the content. */
  readonly why: string;
  /** `runs`: changing the file requires permission. `secret`: reading requires permission as well. */
  readonly risk: "runs" | "secret";
}

const row = (
  tool: string,
  risk: SensitiveFile["risk"],
  files: string,
  why: string,
  { except, held = files }: { readonly except?: string; readonly held?: string } = {},
): SensitiveFile => ({
  tool,
  risk,
  files: files.split(" "),
  held: held === "" ? [] : held.split(" "),
  why,
  ...(except === undefined ? {} : { except: except.split(" ") }),
});

/** Makes none of a rule's files read-only, because they run nothing or common commands write them. */
const writable = { held: "" };

/** Git's files that can make git run programs. Includes submodules, because each `git status` enters them; their names may be paths. */
const heldOfGit: readonly string[] = [
  ...["config", "config.worktree", "commondir", "hooks/"].flatMap((name) => [
    `.git/${name}`,
    `.git/modules/**/${name}`,
    `.git/worktrees/*/modules/**/${name}`,
  ]),
  ...[".git/worktrees/*/commondir", ".git/worktrees/*/gitdir", ".git/worktrees/*/config.worktree"],
];

/** Single list of sensitive files, used by the guard's questions, the sandbox and the selftest. The first matching rule wins. */
export const sensitiveFiles: readonly SensitiveFile[] = [
  row(
    "Git",
    "secret",
    ".git/ git~*/",
    "belongs to Git's own data, which can make Git run programs (hooks, filters, fsmonitor)",
    // Git commands write all other Git files, so these stay writable.
    { held: heldOfGit.join(" ") },
  ),
  row(
    "Git",
    "secret",
    ".gitconfig .gitmodules .gitattributes .git-credentials .config/git/",
    "can make Git run programs (filters, pagers, helpers) or contains passwords for repositories",
    { held: ".gitconfig .config/git/" },
  ),
  row("Git", "runs", "HEAD .githooks/ .git-hooks/", "can make Git run programs (a folder with HEAD is a repository)", {
    held: ".githooks/ .git-hooks/",
  }),
  row("Mercurial", "secret", ".hg/ .hgrc", "can make Mercurial run programs (hooks, extensions)", {
    held: ".hg/hgrc .hg/hgrc-not-shared .hgrc",
  }),
  row("Sapling and Breezy", "runs", ".sl/ .bzr/", "can make them run programs (hooks, aliases)", {
    held: ".sl/config .bzr/branch/branch.conf .bzr/repository/repository.conf",
  }),
  row("Jujutsu", "runs", ".jj/ .jjconfig.toml", "can make Jujutsu run programs (tools, aliases)", {
    held: ".jj/repo/config.toml .jj/workspace-config.toml .jjconfig.toml",
  }),
  row("Husky", "secret", ".husky/ .huskyrc*", "contains programs that Git runs at every commit"),
  row(
    "Git hooks",
    "runs",
    "lefthook.* .lefthook.* lefthook-local.* .lefthook-local.* .lefthook/ .lefthook-local/ .pre-commit-config.* " +
      ".pre-commit-hooks.* prek.toml .simple-git-hooks.* simple-git-hooks.* .lintstagedrc* lint-staged.config.* " +
      ".nano-staged.* nano-staged.* .overcommit.yml captainhook.json grumphp.yml grumphp.yml.dist",
    "names programs that run at every commit",
  ),

  row("cargo", "secret", ".cargo/credentials*", "may contain tokens for cargo registries", writable),
  row(
    "cargo",
    "runs",
    ".cargo/config .cargo/config.toml",
    "can make cargo run other programs (wrappers, linkers, runners, aliases) and set variables for them",
  ),
  row("rustup", "runs", "rust-toolchain rust-toolchain.toml", "decides which compiler runs, even one in any folder"),
  row(
    "rust-analyzer",
    "runs",
    "rust-analyzer.toml .rust-analyzer.toml",
    "can make rust-analyzer run other programs instead of cargo",
  ),
  row("nextest", "runs", ".config/nextest.toml", "can make cargo nextest run other programs (setup scripts, wrappers)"),

  row(
    "npm",
    "secret",
    ".npmrc",
    "may contain npm tokens, and decides where packages come from and which shell runs scripts",
  ),
  row("npm", "runs", "node_modules/.bin/", "runs whenever a script or npx uses its name", writable),
  row("node", "runs", "node.config.json", "can make Node load other code at every start"),
  row(
    "pnpm",
    "runs",
    ".pnpmfile.* pnpmfile.* pnpm-workspace.yaml",
    "can make pnpm run code at every install, and decides whose install scripts run",
    // `pnpm add` writes pnpm's workspace file, so the file stays writable.
    { held: ".pnpmfile.* pnpmfile.*" },
  ),
  row(
    "yarn",
    "secret",
    ".yarnrc .yarnrc.yml",
    "may hold Yarn's tokens and decides which program runs as Yarn, with which plugins",
  ),
  row("yarn", "runs", ".yarn/", "contains the program that runs as Yarn, and its plugins", {
    held: ".yarn/releases/ .yarn/plugins/ .yarn/sdks/",
  }),
  row(
    "bun",
    "runs",
    "bunfig.toml .bunfig.toml",
    "can make Bun load code at every start and decides where packages come from",
  ),
  row("deno", "runs", "deno.json deno.jsonc", "defines Deno's imports and tasks", writable),

  row("pip", "secret", "pip.conf pip.ini .pypirc", "may hold tokens and decides where Python packages come from"),
  row(
    "uv",
    "runs",
    "uv.toml .uv/ .pdm-python .pdm.toml",
    "decides where Python packages come from and which Python runs",
  ),
  row("conda", "runs", ".condarc .mambarc", "decides where conda's packages come from"),
  row("poetry", "runs", "poetry.toml", "decides where Python packages come from and go to"),
  row(
    "Python",
    "runs",
    "sitecustomize.py usercustomize.py *.pth pyvenv.cfg .pythonrc* ipython_config.py jupyter_*config.*",
    "runs whenever Python starts, or decides which Python runs",
    // `.pth` files stay writable, because in a project they are usually trained models.
    { held: "sitecustomize.py usercustomize.py pyvenv.cfg .pythonrc* ipython_config.py jupyter_*config.*" },
  ),

  row(
    "go",
    "runs",
    "go.env go/env",
    "sets variables for every go command, which can select other programs and sources",
  ),
  row(
    "gradle",
    "runs",
    "gradle/wrapper/ gradlew gradlew.bat gradle.properties init.gradle init.gradle.kts .gradle/",
    "decides which Gradle and which Java run, and with what code",
    // Gradle's cache and gradle.properties stay writable, because builds write the cache and projects store versions in the file.
    { held: "gradle/wrapper/ gradlew gradlew.bat init.gradle init.gradle.kts" },
  ),
  row("maven", "runs", ".mvn/ mvnw mvnw.cmd .mavenrc", "decides which Maven and which Java run, and with what code", {
    // `.mvn/wrapper` stays partly writable, because `mvnw` downloads its archive into this folder.
    held: ".mvn/*.config .mvn/*.xml .mvn/wrapper/maven-wrapper.* .mvn/wrapper/*.java mvnw mvnw.cmd .mavenrc",
  }),
  row("maven", "secret", ".m2/", "may hold passwords and decides where Maven's packages and plugins come from", {
    held: ".m2/settings.xml .m2/settings-security.xml .m2/toolchains.xml",
  }),
  row(
    "JVM",
    "runs",
    ".jvmopts .sbtopts .sbtrc .scalafmt.jar .bsp/",
    "sets programs and options for every Java process that the build starts",
    // sbt writes `.bsp` at every start, so the folder stays writable.
    { held: ".jvmopts .sbtopts .sbtrc .scalafmt.jar" },
  ),
  row(
    "Bazel",
    "runs",
    ".bazelrc user.bazelrc .bazeliskrc .bazelversion tools/bazel .buckconfig .buckconfig.local",
    "decides which program runs as the build",
  ),
  row("NuGet", "secret", "NuGet.Config nuget.config", "may hold passwords and decides where .NET packages come from"),
  row("dotnet", "runs", ".config/dotnet-tools.json global.json", "decides which .NET tools and SDK run"),
  row("Bundler", "secret", ".bundle/ .gem/", "may hold tokens and can make Bundler load other code", {
    held: ".bundle/config .bundle/plugin/ .gem/",
  }),
  row(
    "Ruby",
    "runs",
    ".rspec .irbrc .pryrc .rdbgrc .byebugrc .gemrc .solargraph.yml",
    "can make Ruby's tools load other code",
  ),
  row("R", "runs", ".Rprofile .Renviron", "runs whenever R starts"),
  row("PHP", "runs", ".user.ini php.ini .phpactor.*", "can make PHP load other code at every start"),
  row(
    "interactive interpreters",
    "runs",
    ".ghci .ocamlinit .iex.exs .erlang .perldb .swiplrc .nrepl.edn .lein/",
    "runs when an interpreter starts here",
  ),
  row("Ansible", "runs", "ansible.cfg", "can make Ansible load other code"),
  row("act", "runs", ".actrc", "sets options of act, which runs workflows here"),
  row("Terraform", "secret", ".terraformrc terraform.rc *.tfstate *.tfvars", "may contain infrastructure credentials", {
    held: ".terraformrc terraform.rc",
  }),
  row(
    "debuggers",
    "runs",
    ".gdbinit .gdbearlyinit .lldbinit .pdbrc .pdbrc.py .octaverc .vimspector.json",
    "runs when a debugger starts here",
  ),

  row(
    "direnv",
    "secret",
    ".envrc* .autoenv* .shadowenv.d/",
    "may hold secrets and runs when a shell enters the folder",
  ),
  row(
    "mise",
    "runs",
    "mise.toml .mise.toml mise.*.toml .mise.*.toml .mise/ mise/config.toml .config/mise.toml .config/mise.*.toml .config/mise/ .rtx.toml " +
      ".tool-versions .miserc.toml .prototools pkgx.yaml .pkgx.yaml",
    "decides which versions of tools run here, and can run commands when a shell enters the folder",
  ),
  row(
    "development environments",
    "runs",
    "devbox.json devenv.nix devenv.local.nix devenv.yaml devenv.local.yaml flake.nix shell.nix .flox/ .tmuxinator.yml .tmuxp.*",
    "runs commands when the environment is entered",
    {
      held: "devbox.json devenv.nix devenv.local.nix devenv.yaml devenv.local.yaml flake.nix shell.nix .flox/env/ .tmuxinator.yml .tmuxp.*",
    },
  ),
  row(
    "shell",
    "secret",
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout " +
      ".kshrc .cshrc .tcshrc .login .inputrc .config/fish/ *profile.ps1",
    "runs whenever a shell starts",
  ),

  row(
    "continuous integration",
    "runs",
    ".github/workflows/ .github/actions/ .forgejo/workflows/ .gitea/workflows/ .gitlab-ci.* .gitlab/ci/ .circleci/ " +
      "azure-pipelines.* .azure-pipelines/ .travis.yml Jenkinsfile .drone.* .woodpecker/ .woodpecker.* .buildkite/ .tekton/ " +
      "bitbucket-pipelines.yml appveyor.yml .appveyor.yml .cirrus.* .semaphore/ .teamcity/ cloudbuild.* buildspec.yml " +
      ".builds/ .build.yml",
    "runs on the project's servers, with its secrets",
  ),
  row(
    "development containers",
    "runs",
    ".devcontainer/ .devcontainer.json .gitpod.* .ona/ .idx/ .replit replit.nix .codesandbox/ .stackblitzrc .daytona/ " +
      "devfile.yaml .devfile.yaml",
    "runs commands when the project is opened in a container",
  ),

  row(
    "VS Code",
    "secret",
    ".vscode/ .vscode-server/ .theia/ *.code-workspace",
    "may hold secrets, and tasks or settings that make VS Code run programs",
  ),
  row(
    "JetBrains",
    "secret",
    ".idea/ .fleet/ .run/",
    "may hold secrets, and settings that make the editor run programs",
  ),
  row("Zed", "runs", ".zed/", "has tasks and settings that make Zed run programs"),
  row("Visual Studio", "runs", ".vs/", "has tasks and settings that make the editor run programs"),
  row(
    "editors",
    "runs",
    ".vimrc .local.vimrc .nvimrc .nvim.lua .nvim/ .exrc .lvimrc .gvimrc .ycm_extra_conf.py .dir-locals.el .dir-locals-2.el .helix/ .nova/ " +
      "*.sublime-project .neoconf.json .externalToolBuilders/",
    "can make an editor run code when a file is opened",
  ),

  row(
    "language servers",
    "runs",
    ".luarc.json .luarc.jsonc .factorypath omnisharp.json hie.yaml .lsp/config.edn .sourcekit-lsp/ analysis_options.yaml " +
      ".rubocop.yml .standard.yml",
    "can make a language server load or run other code",
  ),

  row(
    "Claude Code",
    "secret",
    ".claude/ .claude-plugin/ .claude.json",
    "has settings and hooks that make Claude Code run programs",
    {
      // Claude Code also stores plans and worktrees in `.claude`, so only parts of the folder are read-only.
      held:
        ".claude/settings.json .claude/settings.local.json .claude/hooks/ .claude/agents/ .claude/commands/ .claude/skills/ " +
        ".claude/plugins/ .claude/output-styles/ .claude/workflows/ .claude/routines/ .claude/launch.json " +
        ".claude/scheduled_tasks.json .claude-plugin/ .claude.json",
    },
  ),
  row("Codex", "secret", ".codex/", "has settings, rules and hooks that make Codex run programs"),
  row("Gemini CLI", "secret", ".gemini/", "has settings and hooks that make Gemini CLI run programs", {
    held:
      ".gemini/settings.json .gemini/commands/ .gemini/extensions/ .gemini/hooks/ .gemini/skills/ .gemini/agents/ " +
      ".gemini/policies/ .gemini/sandbox* .gemini/.env",
  }),
  row("Qwen Code", "runs", ".qwen/", "has settings and hooks that make Qwen Code run programs", {
    held: ".qwen/settings.json .qwen/commands/ .qwen/extensions/ .qwen/hooks/ .qwen/skills/ .qwen/agents/ .qwen/sandbox* .qwen/.env",
  }),
  row("Cursor", "secret", ".cursor/", "has settings and hooks that make Cursor run programs"),
  row("Symposium", "secret", ".symposium/", "contains Symposium's data: tokens, trust and settings"),
  row("Kiro", "runs", ".kiro/", "has settings and hooks that make Kiro run programs", {
    // Kiro's specifications stay writable, because agents are meant to write them.
    held: ".kiro/settings/ .kiro/hooks/ .kiro/agents/ .kiro/skills/ .kiro/prompts/ .kiro/powers/",
  }),
  row("Amp", "runs", ".amp/", "has settings, tools and skills that make Amp run programs"),
  row("OpenCode", "runs", "opencode.json opencode.jsonc .opencode/", "can make OpenCode load code and run programs"),
  row(
    "MCP servers",
    "secret",
    ".mcp.json mcp.json mcp_config.json .mcp/",
    "may hold tokens, and names programs that agents start",
  ),
  row("Aider", "secret", ".aider.conf.yml", "may hold keys, and names programs that Aider runs"),
  row(
    "coding agents",
    "runs",
    ".copilot/ .github/hooks/ .github/agents/ .github/skills/ .github/extensions/ .github/copilot/ .github/mcp.json " +
      ".github/lsp.json .agents/ .windsurf/ .continue/ .cline/ .clinerules/ .roo/ .roomodes .kilocode/ .kilocodemodes .kilo/ " +
      ".goose/ .augment/ .factory/ .junie/ .trae/ .openhands/ crush.json .crush.json .pi/ .vibe/ .kimi/ .iflow/ .codebuddy/ " +
      ".qoder/ .rovodev/ .warp/ .zencoder/ .forge/ .grok/",
    "has settings and hooks that make a coding agent run programs",
    {
      // `.agents` and `.clinerules` stay partly writable, because other agents store rules and notes there.
      held:
        ".copilot/ .github/hooks/ .github/agents/ .github/skills/ .github/extensions/ .github/copilot/ .github/mcp.json " +
        ".github/lsp.json .agents/skills/ .agents/plugins/ .agents/commands/ .agents/hooks/ .agents/tools/ .windsurf/ .continue/ " +
        ".cline/ .clinerules/hooks/ .clinerules/workflows/ .clinerules/skills/ .roo/ .roomodes .kilocode/ .kilocodemodes .kilo/ " +
        ".goose/ .augment/ .factory/ .junie/ .trae/ .openhands/ crush.json .crush.json .pi/ .vibe/ .kimi/ .iflow/ .codebuddy/ " +
        ".qoder/ .rovodev/ .warp/ .zencoder/ .forge/ .grok/",
    },
  ),

  row("environment files", "secret", ".env*", "may hold secrets", {
    held: "",
    except: ".env.example .env.sample .env.template .env.dist .environment",
  }),
  row("SSH", "secret", ".ssh/ id_* authorized_keys", "may contain secrets that give access to other machines", {
    held: "",
    except: "id_*.*",
  }),
  row(
    "keys and passwords",
    "secret",
    "*.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx .netrc _netrc .pgpass .my.cnf .htpasswd .vault-token credentials " +
      "credentials.json .gnupg/ .aws/ .azure/ .kube/ .docker/ .config/gh/ .config/gcloud/",
    "may hold keys or passwords",
    writable,
  ),
];
