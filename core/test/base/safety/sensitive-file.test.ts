import assert from "node:assert/strict";
import { sensitiveFile } from "../../../src/base/safety/sensitive-file.js";
import { sensitiveFiles } from "../../../src/base/safety/sensitive-files.js";

const namesOf = (path: string): string[] => path.split("/");
const riskOf = (path: string, below = 0): string | undefined => sensitiveFile(namesOf(path), below)?.risk;

/** One file for each tool that runs what a project says, and whose row it must be. */
const runs: readonly (readonly [path: string, tool: string])[] = [
  [".git/config", "Git"],
  [".git/hooks/pre-commit", "Git"],
  [".git/modules/lib/config", "Git"],
  ["lib/.git", "Git"],
  [".gitmodules", "Git"],
  ["docs/.gitattributes", "Git"],
  ["bare/HEAD", "Git"],
  [".husky/pre-commit", "Husky"],
  ["lefthook.yml", "Git hooks"],
  [".pre-commit-config.yaml", "Git hooks"],
  [".cargo/config.toml", "cargo"],
  ["crates/a/.cargo/config", "cargo"],
  ["rust-toolchain", "rustup"],
  ["rust-toolchain.toml", "rustup"],
  [".npmrc", "npm"],
  ["node_modules/.bin/tsc", "npm"],
  [".pnpmfile.cjs", "pnpm"],
  ["pnpm-workspace.yaml", "pnpm"],
  [".yarnrc.yml", "yarn"],
  [".yarn/releases/yarn-4.cjs", "yarn"],
  ["bunfig.toml", "bun"],
  ["deno.json", "deno"],
  ["pip.conf", "pip"],
  ["uv.toml", "uv"],
  ["sitecustomize.py", "Python"],
  ["go.env", "go"],
  ["gradle/wrapper/gradle-wrapper.properties", "gradle"],
  ["gradlew", "gradle"],
  ["init.gradle.kts", "gradle"],
  [".mvn/extensions.xml", "maven"],
  ["mvnw", "maven"],
  [".envrc", "direnv"],
  ["mise.toml", "mise"],
  [".github/workflows/ci.yml", "continuous integration"],
  [".gitlab-ci.yml", "continuous integration"],
  ["Jenkinsfile", "continuous integration"],
  [".devcontainer/devcontainer.json", "development containers"],
  [".devcontainer.json", "development containers"],
  [".vscode/tasks.json", "VS Code"],
  ["a.code-workspace", "VS Code"],
  [".idea/workspace.xml", "JetBrains"],
  [".zed/tasks.json", "Zed"],
  [".zed/settings.json", "Zed"],
  [".nvim.lua", "editors"],
  [".claude/settings.json", "Claude Code"],
  [".codex/config.toml", "Codex"],
  [".gemini/settings.json", "Gemini CLI"],
  [".kiro/hooks/a.json", "Kiro"],
  ["opencode.json", "OpenCode"],
  [".opencode/plugin/a.ts", "OpenCode"],
  [".mcp.json", "MCP servers"],
  [".bashrc", "shell"],
];

describe("sensitiveFile", () => {
  for (const [path, tool] of runs) {
    it(`knows that ${path} is for ${tool} to act on, in any folder`, () => {
      assert.deepEqual(
        [path, `some/folder/${path}`].map((one) => sensitiveFile(namesOf(one))?.tool),
        [tool, tool],
      );
    });
  }

  it("knows secrets, which are asked for also when they are read", () => {
    const secrets = [".env", ".env.local", "a/.npmrc", "id_rsa", "server.pem", ".aws/config", ".netrc", "credentials"];
    assert.deepEqual([...new Set(secrets.map((path) => riskOf(path)))], ["secret"]);
  });

  it("leaves a project's own files alone", () => {
    const ordinary = [
      "src/main.ts package.json Cargo.toml build.rs Makefile pyproject.toml go.mod build.gradle pom.xml README.md",
      ".env.example id_generator.ts .gitignore .github/CODEOWNERS .github/ISSUE_TEMPLATE/a.md git/config cargo/config.toml",
      "environment.ts head.ts config workflows/ci.yml .prettierrc AGENTS.md gradle/libs.versions.toml zed/tasks.json",
    ];
    const found = ordinary.flatMap((names) => names.split(" ")).filter((path) => riskOf(path) !== undefined);
    assert.deepEqual(found, []);
  });

  it("is not deceived by what a file system ignores in names", () => {
    const spellings = [
      ".GIT/config .Git/Config .git./config GIT~1/config .git::$INDEX_ALLOCATION/config .g\u200cit/config",
      ".gi\u2060t/hooks/x .EnV .env:stream .e\u00adnv .env. .np\ufeffmrc .n\u0050MRC .cargo/CONFIG.toml",
      ".v\u017fcode/tasks.json .gitcon\ufb01g .\u212airo/hooks/x",
    ];
    const missed = spellings.flatMap((names) => names.split(" ")).filter((path) => riskOf(path) === undefined);
    assert.deepEqual(missed, []);
    assert.equal(riskOf(".env "), "secret");
  });

  it("counts only what stands below the project's own folder", () => {
    const project = ["home", ".config", ".vscode"];
    assert.equal(sensitiveFile([...project, "src", "main.ts"], project.length), undefined);
    assert.equal(sensitiveFile([...project, "src", "main.ts"])?.tool, "VS Code");
    assert.equal(sensitiveFile([...project, ".vscode", "tasks.json"], project.length)?.tool, "VS Code");
    assert.equal(sensitiveFile(["p", ".github", "workflows", "ci.yml"], 2)?.tool, "continuous integration");
    assert.equal(sensitiveFile(["p", ".cargo", "config.toml"], 2)?.tool, "cargo");
  });

  it("says for each row what a question shows, in patterns that can match", () => {
    for (const { tool, files, except = [], why } of sensitiveFiles) {
      assert.match(why, /^(?:belongs|can|may|has|contains|names|is|sets|decides|defines|runs|lets) .*[^. ]$/, tool);
      for (const file of [...files, ...except]) assert.match(file, /^[A-Za-z0-9_.*~/-]+$/, tool);
    }
  });
});
