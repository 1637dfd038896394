import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { plannedCommands } from "../../../src/context/node/commands-source.js";
import { plannedSkills } from "../../../src/context/node/skills-source.js";
import { agentTable } from "../../../src/agents/registry/agent-table.js";
import { defaultContextSettings as settings } from "../../../src/settings/context-settings.js";
import { Folders } from "./folder-fixture.js";

const row = (id: string) => agentTable.find((one) => one.id === id);
const skill = (name: string): string => `---\nname: ${name}\ndescription: Use it for ${name}\n---\nDo ${name}.\n`;
const cache = "home/.claude/plugins/cache/acme";

/** The files of a plugin, as Claude Code installs it. */
const plugin = (name: string): Readonly<Record<string, string>> => ({
  [`${cache}/${name}/1.0.0/.claude-plugin/plugin.json`]: JSON.stringify({ name, version: "1.0.0" }),
  [`${cache}/${name}/1.0.0/skills/dig/SKILL.md`]: skill("dig"),
  [`${cache}/${name}/1.0.0/commands/git/commit.md`]: "Commit $ARGUMENTS",
  [`${cache}/${name}/1.0.0/.mcp.json`]: JSON.stringify({ mcpServers: { tool: { command: "node" } } }),
});

interface Sent {
  readonly skills: readonly string[];
  readonly commands: readonly string[];
}

async function sent(folders: Folders, agent: string, cwd = "repo"): Promise<Sent> {
  const places = folders.places(cwd);
  const [skills, commands] = await Promise.all([
    plannedSkills(places, row(agent), { ...settings, isTrusted: false }),
    plannedCommands(places, row(agent), settings),
  ]);
  const titles = (items: typeof skills.items): string[] => items.flatMap((one) => (one.isSent ? [one.title] : []));
  return { skills: titles(skills.items), commands: titles(commands.items) };
}

const none = { skills: [], commands: [] };

/** Claude Code's list of what is installed; `more` belongs to the entry. */
function installed(folders: Folders, names: readonly string[], more: Readonly<Record<string, unknown>> = {}): string {
  const entry = (name: string) => ({ scope: "user", installPath: folders.path(`${cache}/${name}/1.0.0`), ...more });
  const plugins = Object.fromEntries(names.map((name) => [`${name}@acme`, [entry(name)]]));
  return JSON.stringify({ version: 2, plugins });
}

describe("the plugins that the user has installed", () => {
  it("bring their skills and commands to agents that do not read them, as far as they are switched on", async () => {
    await using folders = await Folders.with({ ...plugin("kit"), ...plugin("off"), ...plugin("gone") });
    await folders.write("home/.claude/plugins/installed_plugins.json", installed(folders, ["kit", "off"]));
    const enabledPlugins = { "kit@acme": true, "off@acme": false, "gone@acme": true };
    await folders.write("home/.claude/settings.json", JSON.stringify({ enabledPlugins }));
    assert.deepEqual(await sent(folders, "gemini-cli"), { skills: ["kit:dig"], commands: ["/kit:git:commit"] });
    assert.deepEqual(await sent(folders, "claude-code"), none);
  });

  it("are switched off, but not on, by a repository, and count for a project where they are installed for it", async () => {
    await using folders = await Folders.with({ ...plugin("kit"), "other/.git/HEAD": "" });
    const write = (file: string, isOn: boolean): Promise<void> =>
      folders.write(file, JSON.stringify({ enabledPlugins: { "kit@acme": isOn } }));
    const list = "home/.claude/plugins/installed_plugins.json";
    await folders.write(list, installed(folders, ["kit"]));
    await write("repo/.claude/settings.json", true);
    assert.deepEqual(await sent(folders, "codex"), none);
    await write("home/.claude/settings.json", true);
    await write("repo/.claude/settings.json", false);
    assert.deepEqual(await sent(folders, "codex"), none);
    await folders.write(list, installed(folders, ["kit"], { scope: "project", projectPath: folders.path("repo") }));
    await write("repo/.claude/settings.json", true);
    assert.deepEqual((await sent(folders, "codex")).skills, ["kit:dig"]);
    assert.deepEqual(await sent(folders, "codex", "other"), none);
  });

  it("are also the folders in ~/.agents/plugins, with either manifest, and nothing from outside of them", async () => {
    await using folders = await Folders.with({
      "home/.agents/plugins/a/plugin.json": JSON.stringify({ name: "tools.a" }),
      "home/.agents/plugins/a/skills/one/SKILL.md": skill("one"),
      "home/.agents/plugins/b/.claude-plugin/plugin.json": JSON.stringify({ name: "b" }),
      "home/.agents/plugins/b/commands/go.md": "Go.",
      "home/.agents/plugins/c/plugin.json": JSON.stringify({ name: "../c" }),
      "home/.agents/plugins/c/skills/three/SKILL.md": skill("three"),
      "home/.agents/plugins/d/skills/four/SKILL.md": skill("four"),
      "secret/SKILL.md": skill("secret"),
      "home/.agents/plugins/a/skills/leak/other.md": "",
    });
    await symlink(folders.path("secret/SKILL.md"), folders.path("home/.agents/plugins/a/skills/leak/SKILL.md"));
    assert.deepEqual(await sent(folders, "claude-code"), { skills: ["tools.a:one"], commands: ["/b:go"] });
  });
});
