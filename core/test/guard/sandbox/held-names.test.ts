import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findPaths } from "../../../src/guard/node/sandbox/sandbox-paths.js";
import { laterFiles } from "../../../src/guard/sandbox/protected-names.js";
import { isWithin } from "../../../src/guard/sandbox/sandbox-plan.js";
import { sensitiveFile } from "../../../src/base/safety/sensitive-file.js";

/** Files that tools run although nobody runs the project: when a shell or editor opens the folder, at a commit, install or agent's start. */
const runLater = [
  ".git/hooks/pre-commit .git/config .gitconfig .githooks/pre-push .git-hooks/pre-push .hg/hgrc",
  ".husky/pre-commit .huskyrc.json lefthook.yml lefthook.toml .lefthook.yaml lefthook-local.yml .lefthook/pre-commit/a.sh",
  ".pre-commit-config.yaml .pre-commit-hooks.yaml prek.toml .simple-git-hooks.json simple-git-hooks.cjs .overcommit.yml",
  ".lintstagedrc .lintstagedrc.json .lintstagedrc.mjs lint-staged.config.js lint-staged.config.mjs .nano-staged.json",
  "captainhook.json grumphp.yml .jj/repo/config.toml .sl/config .bzr/branch/branch.conf",
  ".miserc.toml .prototools pkgx.yaml .local.vimrc .rdbgrc .buckconfig.local .pdbrc .pdbrc.py .octaverc",
  ".cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml rust-analyzer.toml .config/nextest.toml",
  ".npmrc node.config.json .pnpmfile.cjs .yarnrc .yarnrc.yml .yarn/releases/yarn-4.cjs .yarn/plugins/a.cjs",
  ".yarn/sdks/typescript/lib/tsc.js bunfig.toml",
  "pip.conf .pypirc uv.toml poetry.toml .pdm-python sitecustomize.py usercustomize.py ipython_config.py",
  "jupyter_server_config.py go.env gradle/wrapper/gradle-wrapper.jar gradle/wrapper/gradle-wrapper.properties gradlew",
  "gradlew.bat init.gradle .mvn/extensions.xml .mvn/jvm.config .mvn/wrapper/maven-wrapper.properties mvnw .mavenrc",
  ".m2/settings.xml .jvmopts .sbtopts .bazelrc .bazelversion tools/bazel NuGet.Config nuget.config global.json",
  ".config/dotnet-tools.json .bundle/config .rspec .irbrc .pryrc .byebugrc .solargraph.yml .Rprofile .Renviron .user.ini",
  ".ghci .ocamlinit .iex.exs .terraformrc ansible.cfg .gdbinit .lldbinit",
  ".envrc .envrc.local .autoenv.zsh .shadowenv.d/a.lisp mise.toml .mise.toml mise.local.toml mise.ci.toml .mise/config.toml",
  ".mise/tasks/build .config/mise.toml .config/mise/config.toml mise/config.toml .tool-versions devbox.json devenv.nix",
  ".tmuxinator.yml .bashrc .zshrc .profile",
  ".github/workflows/ci.yml .github/actions/a/action.yml .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml Jenkinsfile",
  ".travis.yml .drone.yml .woodpecker/a.yml .buildkite/hooks/pre-command bitbucket-pipelines.yml cloudbuild.yaml",
  ".devcontainer/devcontainer.json .devcontainer.json .gitpod.yml .replit .idx/dev.nix devfile.yaml",
  ".vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/mcp.json app.code-workspace .idea/workspace.xml",
  ".run/app.run.xml .fleet/run.json .zed/tasks.json .zed/settings.json .vs/tasks.vs.json .theia/tasks.json",
  ".vimrc .nvimrc .nvim.lua .exrc .dir-locals.el .helix/languages.toml .ycm_extra_conf.py app.sublime-project",
  ".luarc.json omnisharp.json hie.yaml .lsp/config.edn .factorypath flake.nix shell.nix analysis_options.yaml .rubocop.yml",
  ".claude/settings.json .claude/settings.local.json .claude/hooks/a.sh .claude/agents/a.md .claude/commands/a.md",
  ".claude/skills/a/SKILL.md .claude/plugins/a.json .claude-plugin/plugin.json .codex/config.toml .codex/hooks.json",
  ".gemini/settings.json .gemini/commands/a.toml .gemini/extensions/a/gemini-extension.json .gemini/hooks/a.sh",
  ".gemini/skills/a/SKILL.md .gemini/agents/a.md .gemini/sandbox.Dockerfile .gemini/.env",
  ".qwen/settings.json .qwen/commands/a.toml .qwen/skills/a/SKILL.md .qwen/agents/a.md .qwen/hooks/a.sh .qwen/extensions/a.json",
  ".kiro/settings/mcp.json .kiro/hooks/a.kiro.hook .kiro/agents/a.json .kiro/skills/a/SKILL.md .amp/settings.json .amp/tools/a",
  ".amp/skills/a/SKILL.md .amp/commands/a.md opencode.json opencode.jsonc .opencode/plugin/a.ts .opencode/command/a.md",
  ".cursor/mcp.json .cursor/hooks.json .cursor/environment.json .mcp.json mcp.json .copilot/config.json .github/hooks/a.json",
  ".github/agents/a.md .github/copilot/settings.json .agents/skills/a/SKILL.md .agents/plugins/a.json .windsurf/hooks.json",
  ".continue/config.yaml .cline/hooks/a .clinerules/hooks/a .roo/mcp.json .roomodes .kilocode/mcp.json .goose/config.yaml",
  ".augment/a.json .factory/droids/a.md .junie/mcp.json .trae/mcp.json .openhands/setup.sh crush.json .aider.conf.yml",
  ".symposium/guard.jsonc",
].flatMap((names) => names.split(" "));

/** Files that run code as well, and that everyday commands or the agent's own work change. */
const everyday = [
  "package.json package-lock.json pyproject.toml Makefile build.rs Cargo.toml build.gradle pom.xml pnpm-workspace.yaml deno.json",
  "gradle.properties .gradle/8.0/x .yarn/cache/a.zip .yarn/install-state.gz .pnp.cjs node_modules/.bin/tsc .env .env.local model.pth",
  ".git/index .git/HEAD .git/objects/x .git/refs/heads/x .gitignore .gitattributes .gitmodules .github/CODEOWNERS .jj/working_copy/x",
  ".agents/notes.md .claude/plans/a.md .kiro/specs/a/design.md .clinerules/style.md AGENTS.md CLAUDE.md .mvn/wrapper/cache/x",
  ".terraform/x server.key .bsp/sbt.json eslint.config.js .rubocop_todo.yml flake.lock default.nix .config/other.toml src/main.ts Dockerfile docker-compose.yml",
].flatMap((names) => names.split(" "));

describe("files that run code later", () => {
  let home = "";
  let held: (name: string) => boolean = () => false;
  let heldBesideOthers = held;
  before(function () {
    if (process.platform === "win32") this.skip();
    home = realpathSync(mkdtempSync(join(tmpdir(), "held-names-")));
    const root = join(home, "app");
    for (const name of [...runLater, ...everyday, ...laterFiles]) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), "");
    }
    const subject = {
      id: "x",
      needs: undefined,
      roots: [root],
      ownPrograms: [],
      configFolder: join(home, ".symposium"),
    };
    const heldNow = (): typeof held => {
      const { paths } = findPaths({ ...subject, home }, [], {}, root);
      return (name) => paths.runsLater.some((path) => isWithin(join(root, name), path));
    };
    held = heldNow();
    // A file system may treat such a name like one in ASCII, so no name is taken for missing.
    writeFileSync(join(root, "übrig"), "");
    heldBesideOthers = heldNow();
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  it("are read-only in a sandbox, more than 200 of them", () => {
    assert.ok(runLater.length > 200, String(runLater.length));
    assert.deepEqual(
      [...runLater, ...laterFiles].filter((name) => !held(name)),
      [],
    );
  });

  it("are read-only beside names with other letters", () => {
    assert.deepEqual(
      [...runLater, ...laterFiles].filter((name) => !heldBesideOthers(name)),
      [],
    );
  });

  it("can be written if everyday work does", () => {
    assert.deepEqual(everyday.filter(held), []);
  });

  it("are those that the guard asks about", () => {
    const unasked = [...runLater, ...laterFiles].filter((name) => sensitiveFile(name.split("/")) === undefined);
    assert.deepEqual(unasked, []);
  });
});
