import assert from "node:assert/strict";
import { plannedCommands } from "../../../src/context/node/commands-source.js";
import { contextItems } from "../../../src/context/node/context-items.js";
import { plannedSkills, skillsSource } from "../../../src/context/node/skills-source.js";
import { Logger } from "../../../src/base/logger.js";
import type { ContextItem } from "../../../src/context/context-item.js";
import type { ContextSession } from "../../../src/context/contribution.js";
import { agentTable } from "../../../src/agents/registry/agent-table.js";
import { defaultContextSettings as settings } from "../../../src/settings/context-settings.js";
import { Folders } from "./folder-fixture.js";

const row = (id: string) => agentTable.find((one) => one.id === id);
const ids = ["claude-code", "codex", "opencode", "gemini-cli", "qwen-code", "github-copilot"];

/** The names of what is sent, and why the rest is not. */
const sent = (items: readonly ContextItem[]): string[] => items.flatMap(({ title, isSent }) => (isSent ? [title] : []));

const skill = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: Use it: for ${name}\n${more}---\nDo ${name}.\n`;

describe("the skills that an agent is told of", () => {
  it("are those that it does not know itself", async () => {
    await using folders = await Folders.with({
      "repo/.agents/skills/shared/SKILL.md": skill("shared"),
      "repo/.claude/skills/claudes/SKILL.md": skill("claudes"),
      "home/.claude/skills/mine/SKILL.md": skill("mine"),
    });
    const plans = await Promise.all(
      ids.map((id) => plannedSkills(folders.places(), row(id), { ...settings, isTrusted: true })),
    );
    assert.deepEqual(Object.fromEntries(ids.map((id, index) => [id, sent(plans[index]?.items ?? [])])), {
      "claude-code": ["shared"],
      codex: ["claudes", "mine"],
      opencode: [],
      "gemini-cli": ["claudes", "mine"],
      "qwen-code": ["claudes", "mine"],
      "github-copilot": ["mine"],
    });
  });

  it("are the user's own where those of packages are not found in time, which the log says", async () => {
    await using folders = await Folders.with({ "home/.claude/skills/mine/SKILL.md": skill("mine") });
    const { roots, home, env } = folders.places();
    const events: string[] = [];
    const source = skillsSource({
      home,
      env,
      settings: () => Promise.resolve(settings),
      logger: new Logger(({ event }) => events.push(event)),
      packageSkills: () => new Promise(() => undefined),
      packagesLimitMs: 1,
    });
    const session = { cwd: roots[0], roots, row: undefined, project: { isTrusted: true, skillFolders: [] } };
    const { commands } = await source.open(session as unknown as ContextSession);
    assert.deepEqual(
      commands?.current().map(({ name }) => name),
      ["mine"],
    );
    assert.deepEqual(events, ["opened a session without package skills, because finding them took too long"]);
  });

  it("are an index of one line each, and commands with their text and folder", async () => {
    await using folders = await Folders.with({
      "repo/.agents/skills/pdf/SKILL.md": skill("pdf"),
      "repo/.agents/skills/quiet/SKILL.md": skill("quiet", "disable-model-invocation: true\n"),
      "repo/.agents/skills/hidden/SKILL.md": skill("hidden", "user-invocable: false\n"),
      "repo/.agents/skills/broken/SKILL.md": "no front matter",
    });
    const { contribution } = await plannedSkills(folders.places(), row("claude-code"), {
      ...settings,
      isTrusted: true,
    });
    const index = contribution.instructions?.[0]?.text.split("\n").slice(1);
    const path = (name: string): string => folders.path(`repo/.agents/skills/${name}/SKILL.md`);
    assert.deepEqual(index, [
      `- hidden: Use it: for hidden (${path("hidden")})`,
      `- pdf: Use it: for pdf (${path("pdf")})`,
    ]);
    const commands = contribution.commands?.current() ?? [];
    assert.deepEqual(
      commands.map(({ name }) => name),
      ["pdf", "quiet"],
    );
    assert.deepEqual(await commands[0]?.expand("a.pdf", new AbortController().signal), [
      { type: "text", text: `Use the skill pdf: a.pdf\nIts files are in ${folders.path("repo/.agents/skills/pdf")}.` },
      { type: "resource", resource: { uri: "symposium://skill/pdf", mimeType: "text/markdown", text: "Do pdf.\n" } },
    ]);
  });

  it("are no project's where the folder is not trusted", async () => {
    await using folders = await Folders.with({
      "repo/.agents/skills/theirs/SKILL.md": skill("theirs"),
      "home/.agents/skills/mine/SKILL.md": skill("mine"),
    });
    const { items } = await plannedSkills(folders.places(), row("claude-code"), { ...settings, isTrusted: false });
    assert.deepEqual(
      items.map(({ title, reason }) => [title, reason]),
      [
        ["theirs", "the folder is not trusted"],
        ["mine", "one line, and the full text when it is used"],
      ],
    );
  });
});

describe("the commands that an agent is given", () => {
  it("are those that it does not announce itself, from the folders of all agents", async () => {
    await using folders = await Folders.with({
      "repo/.claude/commands/git/commit.md":
        "---\ndescription: Commits\nargument-hint: message\n---\nCommit $ARGUMENTS",
      "repo/.opencode/command/open.md": "Open it.",
      "repo/.gemini/commands/gem.toml": 'prompt = "Gem {{args}}"\ndescription = "A gem"',
      "repo/.qwen/commands/qwen.md": "Qwen.",
      "repo/.github/prompts/vs.prompt.md": "VS.",
      "home/.codex/prompts/old.md": "Old.",
    });
    const plans = await Promise.all(ids.map((id) => plannedCommands(folders.places(), row(id), settings)));
    const all = ["/git:commit", "/open", "/gem", "/qwen", "/vs", "/old"];
    const without = (name: string): string[] => all.filter((one) => one !== name);
    assert.deepEqual(Object.fromEntries(ids.map((id, index) => [id, sent(plans[index]?.items ?? [])])), {
      "claude-code": without("/git:commit"),
      codex: all,
      opencode: without("/open"),
      "gemini-cli": all,
      "qwen-code": without("/qwen"),
      "github-copilot": without("/git:commit"),
    });
    const [commit, , gem] = plans[1]?.commands ?? [];
    assert.deepEqual(
      [commit, gem].map((one) => [one?.description, one?.hint]),
      [
        ["Commits", "message"],
        ["A gem", "words"],
      ],
    );
    assert.deepEqual(await commit?.expand("it", new AbortController().signal), [{ type: "text", text: "Commit it" }]);
  });
});

describe("what an agent gets", () => {
  it("is every file with whether it is sent, and nothing of what is switched off", async () => {
    await using folders = await Folders.with({
      "repo/AGENTS.md": "Use tabs.",
      "repo/.agents/skills/pdf/SKILL.md": skill("pdf"),
      "repo/.github/prompts/fix.prompt.md": "Fix it.",
    });
    const items = await contextItems(folders.places(), row("gemini-cli"), {
      settings: { ...settings, commands: false },
      isTrusted: true,
    });
    assert.deepEqual(
      items.map(({ kind, title, bytes, isSent, reason }) => [kind, title, bytes, isSent, reason]),
      [
        ["rule", "AGENTS.md", 9, true, "in every session"],
        ["skill", "pdf", 8, false, "the agent already has it"],
        ["command", "/fix", 7, false, "switched off"],
      ],
    );
  });
});
