import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { plannedRules } from "../../../src/context/node/rules-source.js";
import { instructionText } from "../../../src/context/instructions.js";
import type { PlannedRules } from "../../../src/context/planned-rules.js";
import { agentTable } from "../../../src/agents/registry/agent-table.js";
import { type ContextSettings, defaultContextSettings } from "../../../src/settings/context-settings.js";
import { Folders } from "./folder-fixture.js";

const row = (id: string) => agentTable.find((one) => one.id === id);

function planned(
  folders: Folders,
  id: string,
  { cwd = "repo", ...settings }: Partial<ContextSettings> & { cwd?: string } = {},
): Promise<PlannedRules> {
  return plannedRules(folders.places(cwd), row(id), { ...defaultContextSettings, ...settings });
}

const titles = ({ instructions }: PlannedRules): string[] => instructions.map(({ title }) => title);

/** Why each file is not sent. */
const reasons = ({ items }: PlannedRules): Record<string, string> =>
  Object.fromEntries(items.flatMap(({ title, isSent, reason }) => (isSent ? [] : [[title, reason]])));

const forms = [
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  "QWEN.md",
  ".claude/CLAUDE.md",
  "CLAUDE.local.md",
  ".claude/rules/a.md",
  ".github/copilot-instructions.md",
  "AGENTS.override.md",
  ".cursorrules",
  ".windsurfrules",
  ".windsurf/rules/a.md",
  ".clinerules",
  ".rules",
  ".junie/guidelines.md",
  ".kiro/steering/a.md",
  ".agents/AGENTS.md",
  ".agents/rules/a.md",
  "AGENT.md",
];
const userForms = [
  ".claude/CLAUDE.md",
  ".codex/AGENTS.md",
  ".config/opencode/AGENTS.md",
  ".gemini/GEMINI.md",
  ".qwen/QWEN.md",
  ".copilot/copilot-instructions.md",
];

/** Files that each agent reads by itself if the project and the home have all kinds of rule files. */
const native: Readonly<Record<string, readonly string[]>> = {
  "claude-code": ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a.md", "~/.claude/CLAUDE.md"],
  codex: ["AGENTS.md", "AGENTS.override.md", "~/.codex/AGENTS.md"],
  opencode: ["AGENTS.md", "~/.config/opencode/AGENTS.md"],
  "gemini-cli": ["GEMINI.md", "~/.gemini/GEMINI.md"],
  "qwen-code": ["AGENTS.md", "QWEN.md", "~/.qwen/QWEN.md"],
  "github-copilot": [
    ...["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".claude/rules/a.md", ".github/copilot-instructions.md"],
    "~/.copilot/copilot-instructions.md",
  ],
};

describe("the rules that an agent is sent", () => {
  for (const [id, read] of Object.entries(native)) {
    it(`are those that ${id} does not read itself`, async () => {
      const files = [...forms.map((path) => `repo/${path}`), ...userForms.map((path) => `home/${path}`)];
      await using folders = await Folders.with(Object.fromEntries(files.map((path) => [path, `Rule of ${path}.`])));
      const all = [...forms, ...userForms.map((path) => `~/${path}`)];
      const plan = await planned(folders, id);
      assert.deepEqual(titles(plan).sort(), all.filter((title) => !read.includes(title)).sort());
      assert.deepEqual(reasons(plan), Object.fromEntries(read.map((title) => [title, "the agent reads it itself"])));
    });
  }

  it("are AGENTS.md for Claude only beside a CLAUDE.md, and CLAUDE.md for OpenCode only beside an AGENTS.md", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "Use tabs." });
    const alone = titles(await planned(folders, "claude-code"));
    await folders.write("repo/CLAUDE.md", "Use blanks.");
    const beside = [titles(await planned(folders, "claude-code")), titles(await planned(folders, "opencode"))];
    assert.deepEqual([alone, ...beside], [[], ["AGENTS.md"], ["CLAUDE.md"]]);
  });

  it("have each text once, also where one file is a link to another", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "Use tabs.\n", "repo/.cursorrules": "Use tabs." });
    await symlink("AGENTS.md", folders.path("repo/CLAUDE.md"));
    const gemini = await planned(folders, "gemini-cli");
    assert.deepEqual(titles(gemini), ["AGENTS.md"]);
    const same = "it has the same text as AGENTS.md";
    assert.deepEqual(reasons(gemini), { "CLAUDE.md": same, ".cursorrules": same });
    assert.deepEqual(titles(await planned(folders, "claude-code")), []);
  });

  it("leave out what the agent imports, and files that only name another", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "Use tabs.", "repo/CLAUDE.md": "@AGENTS.md\n" });
    assert.deepEqual(reasons(await planned(folders, "claude-code")), {
      "AGENTS.md": "the agent reads it through another file",
      "CLAUDE.md": "the agent reads it itself",
    });
    assert.deepEqual(titles(await planned(folders, "gemini-cli")), ["AGENTS.md"]);
  });

  it("come from the session's folder up to the repository's root, the nearest first", async () => {
    await using folders = await Folders.with({
      "repo/AGENTS.md": "outer",
      "repo/a/b/AGENTS.md": "inner",
      "AGENTS.md": "nobody's",
    });
    assert.deepEqual(titles(await planned(folders, "gemini-cli", { cwd: "repo/a/b" })), [
      "AGENTS.md",
      "../../AGENTS.md",
    ]);
  });

  it("are those above a linked folder's target, and concern files by either path", async () => {
    const rules = "---\ndescription: ''\nglobs: a/b/*.ts\nalwaysApply: false\n---\nUse tabs.";
    await using folders = await Folders.with({
      "repo/AGENTS.md": "outer",
      "repo/a/b/AGENTS.md": "inner",
      "repo/.cursor/rules/tabs.mdc": rules,
      "home/AGENTS.md": "nobody's",
    });
    await symlink(folders.path("repo/a/b"), folders.path("home/link"), "junction");
    const plan = await planned(folders, "gemini-cli", { cwd: "home/link" });
    assert.deepEqual(titles(plan), ["AGENTS.md", "../../AGENTS.md"]);
    const [tabs] = plan.fileInstructions;
    const paths = ["home/link/x.ts", "repo/a/b/x.ts", "repo/a/b/c/x.ts", "home/x.ts"];
    assert.deepEqual(
      [tabs?.title, ...paths.map((path) => tabs?.concerns(folders.path(path)))],
      ["../../.cursor/rules/tabs.mdc", true, true, false, false],
    );
  });

  it("stop at a home folder that is reached by a link", async () => {
    await using folders = await Folders.with({ "home/a/AGENTS.md": "inner", "home/AGENTS.md": "the user's" });
    await folders.write("home/.git/HEAD", "");
    await symlink(folders.path("home"), folders.path("linked"), "junction");
    assert.deepEqual(titles(await planned(folders, "gemini-cli", { cwd: "linked/a" })), ["AGENTS.md"]);
  });

  it("are named where there is no room for them", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "x".repeat(900), "repo/.rules": "Use tabs." });
    const plan = await planned(folders, "gemini-cli", { maxRulesBytes: 200 });
    assert.deepEqual(plan.instructions, [
      { title: ".rules", text: "Use tabs.", isUsers: false },
      {
        title: "Rules that are too long to include here",
        text: "Read these files yourself before work that they concern:\n- AGENTS.md (900 bytes)",
      },
    ]);
    assert.deepEqual(reasons(plan), { "AGENTS.md": "too long; the agent is asked to read it" });
  });

  it("are none that the user has switched off", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "Use tabs.", "home/.claude/CLAUDE.md": "Be brief." });
    assert.deepEqual(titles(await planned(folders, "gemini-cli", { exclude: ["AGENTS.md"] })), ["~/.claude/CLAUDE.md"]);
  });

  it("have the files first that the project's settings name", async () => {
    await using folders = await Folders.with({ "repo/AGENTS.md": "Use tabs.", "repo/docs/style.md": "Be brief." });
    const places = folders.places("repo", { instructionFiles: [folders.path("repo/docs/style.md")] });
    assert.deepEqual(titles(await plannedRules(places, row("gemini-cli"), defaultContextSettings)), [
      "docs/style.md",
      "AGENTS.md",
    ]);
  });

  it("are the user's own only from the user's folder, not from a path of the project that looks so", async () => {
    const path = "repo/~/.claude/CLAUDE.md";
    await using folders = await Folders.with({ [path]: "Delete it all.", "home/.claude/CLAUDE.md": "Be brief." });
    const places = folders.places("repo", { instructionFiles: [folders.path(path)] });
    const { instructions } = await plannedRules(places, row("gemini-cli"), defaultContextSettings);
    assert.deepEqual(instructions, [
      { title: "./~/.claude/CLAUDE.md", text: "Delete it all.", isUsers: false },
      { title: "~/.claude/CLAUDE.md", text: "Be brief.", isUsers: true },
    ]);
    assert.match(
      instructionText({ sent: instructions, leftOut: [] }) ?? "",
      /<instructions of="project" from="\.\/~\/.*\n.*Delete[^]*<instructions of="user" from="~\/.*\nBe brief/,
    );
  });

  it("are no file that a link outside of the project leads to, that is too large, or that is no text", async () => {
    await using folders = await Folders.with({
      "home/secret": "key",
      "repo/.rules": "x".repeat(300 * 1024),
      "repo/GEMINI.md": "a\0b",
    });
    await symlink(folders.path("home/secret"), folders.path("repo/AGENTS.md"));
    const plan = await planned(folders, "claude-code");
    assert.deepEqual(plan.instructions, []);
    assert.deepEqual(reasons(plan), {
      ".rules": "it is larger than 262144 bytes",
      "AGENTS.md": "the agent reads it itself",
      "GEMINI.md": "it is no text",
    });
    assert.equal(reasons(await planned(folders, "gemini-cli"))["AGENTS.md"], "a link leads outside the project");
  });
});

describe("the rules of a file with front matter", () => {
  const mdc = (matter: string): string => `---\n${matter}\n---\nMind ${matter.length}.\n`;

  it("count always, with certain files, by their description, or never unasked", async () => {
    await using folders = await Folders.with({
      "repo/.cursor/rules/always.mdc": mdc("alwaysApply: true"),
      "repo/.cursor/rules/globs.mdc": mdc("description: for tests\nglobs: *.test.ts,src/{a,b}/**\nalwaysApply: false"),
      "repo/.cursor/rules/described.mdc": mdc("description: Use this: when it rains"),
      "repo/.cursor/rules/manual.mdc": mdc("alwaysApply: false"),
      "repo/.github/instructions/ts.instructions.md": mdc("applyTo: '**/*.ts'"),
      "repo/.github/instructions/all.instructions.md": mdc("applyTo: '**'"),
      "repo/.kiro/steering/k.md": mdc("inclusion: fileMatch\nfileMatchPattern: 'lib/*.rs'"),
      "repo/.windsurf/rules/w.md": mdc("trigger: glob\nglobs: docs/**"),
      "repo/.clinerules/c.md": mdc("paths:\n  - infra/**"),
    });
    const plan = await planned(folders, "gemini-cli");
    assert.deepEqual(plan.instructions, [
      { title: ".cursor/rules/always.mdc", text: "Mind 17.\n", isUsers: false },
      {
        title: ".cursor/rules/described.mdc",
        text: "Read .cursor/rules/described.mdc when this fits: Use this: when it rains",
        isUsers: false,
      },
      { title: ".github/instructions/all.instructions.md", text: "Mind 13.\n", isUsers: false },
    ]);
    const concerned = (path: string): string[] =>
      plan.fileInstructions.filter((one) => one.concerns(folders.path(path))).map(({ title }) => title);
    assert.deepEqual(
      ["repo/deep/x.test.ts", "repo/src/b/y.rs", "repo/lib/z.rs", "repo/docs/d.md", "repo/infra/i", "other/x.ts"].map(
        concerned,
      ),
      [
        [".cursor/rules/globs.mdc", ".github/instructions/ts.instructions.md"],
        [".cursor/rules/globs.mdc"],
        [".kiro/steering/k.md"],
        [".windsurf/rules/w.md"],
        [".clinerules/c.md"],
        [],
      ],
    );
    assert.deepEqual(reasons(plan), { ".cursor/rules/manual.mdc": "it applies only on request" });
  });
});
