import assert from "node:assert/strict";
import type { SettingsState } from "../../../protocol/index.js";
import { AgentChoices } from "../../../src/features/agents/agent-choices.js";
import { Catalogue } from "../../../src/features/agents/catalogue.js";
import { SubcommandRunner, type RunOptions } from "../../../src/features/agents/subcommand-runner.js";
import { Installations } from "../../../src/features/agents/installations.js";
import { ComponentInstaller, type InstallDialogs } from "../../../src/features/agents/installer.js";
import type { RecommendedExtension } from "../../../src/features/extensions/recommendations.js";
import { SettingsPage, type SettingsPageEditor } from "../../../src/features/settings-page/settings-page.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

/** A command that answers as the real one does for what the page asks, and writes what it was asked to stderr. */
const program = `
const [verb, what] = process.argv.slice(2);
process.stderr.write("[##--]  50%  Downloading " + (what ?? "") + "\\n");
const answers = {
  list: [{ id: "opencode", name: "OpenCode", version: "2.0.0" }, { id: "claude-code", name: "Claude Code" }],
  "list-extensions": [{ id: "linter", name: "Linter", version: "1.0.0", description: "Lints" }],
  installed: [{ kind: "agent", id: "opencode", version: "1.0.0", pinned: "1.0.0", folder: "/x" }],
  plan: { id: what, name: what, needsInstallation: what !== "claude-code", what: "the npm package " + what, size: "about 80 MB", warning: "It needs Node.js >=99." },
  install: { id: what, version: "1" },
};
if (what === "broken") { console.error("symposium-acp-agent: It cannot be had."); process.exit(1); }
console.log(JSON.stringify(answers[verb] ?? {}));
`;

interface Stage {
  readonly page: SettingsPage;
  readonly values: Record<string, unknown>;
  readonly said: string[];
  readonly asked: string[];
  readonly progress: string[];
  readonly allowed: string[];
  /** The words of the commands that ran. */
  readonly ran: string[];
  /** The page's states, as they changed. */
  readonly shown: SettingsState[];
}

function setUp(
  values: Record<string, unknown> = {},
  recommended: readonly RecommendedExtension[] = [],
  agrees = true,
): Stage {
  const ran: string[] = [];
  class RecordedCommandLine extends SubcommandRunner {
    override run(args: readonly string[], options?: RunOptions): Promise<string> {
      ran.push(args.join(" "));
      return super.run(args, options);
    }
  }
  const command = { command: process.execPath, args: ["-e", program, "--"], env: {} };
  const commandLine = new RecordedCommandLine(() => command);
  const said: string[] = [];
  const asked: string[] = [];
  const progress: string[] = [];
  const dialogs: InstallDialogs = {
    confirmInstall: (name, what, warning = "") =>
      Promise.resolve(asked.push(`install ${name}: ${what}. ${warning}`) > 0 && agrees),
    confirmRemove: (name) => Promise.resolve(asked.push(`remove ${name}`) > 0 && agrees),
    withProgress: (title, _abort, run) => {
      progress.push(title);
      return run(({ label, percent }) => progress.push(`${percent ?? "?"} ${label}`));
    },
    failed: (message) => said.push(message),
  };
  const dismissed: string[] = [];
  const editor: SettingsPageEditor = {
    isTrusted: true,
    settings: () => parseSettings((key) => values[key]).settings,
    problems: () => parseSettings((key) => values[key]).problems,
    extensionsFile: () => values["workspaceFile"] as string | undefined,
    rawAgents: () => values["agents"],
    // As the editor does: written later than it was asked for.
    write: async (key, value) => {
      await new Promise((resolve) => setImmediate(resolve));
      values[key] = value;
    },
    isBypassed: (id) => id === values["bypassed"],
    setBypassed: (id, isBypassed) => Promise.resolve(void (values["bypassed"] = isBypassed ? id : undefined)),
    dismissed: () => dismissed,
    dismiss: (id) => Promise.resolve(void dismissed.push(id)),
    addAgent: () => Promise.resolve(),
    addExtension: () => Promise.resolve(),
    openSettings: () => Promise.resolve(),
    showPermissions: () => Promise.resolve(),
    runDoctor: () => Promise.resolve(),
    say: (message) => said.push(message),
  };
  const allowed: string[] = [];
  const shown: SettingsState[] = [];
  const installations = new Installations(commandLine);
  const catalogue = new Catalogue(commandLine);
  const page: SettingsPage = new SettingsPage({
    editor,
    catalogue,
    installations,
    choices: new AgentChoices({
      settings: () => editor.settings(),
      catalogue: () => catalogue.agents(),
      trustedFolders: () => [],
    }),
    installer: new ComponentInstaller(installations, dialogs, () => undefined),
    recommendations: () =>
      Promise.resolve(recommended.filter(({ skills }) => !skills || !allowed.includes(skills.key))),
    allowSkills: ({ key, digest }) => Promise.resolve(void allowed.push(key, digest)),
    changed: () => shown.push(page.state),
  });
  return { page, values, said, asked, progress, allowed, ran, shown };
}

const chain = ({ extensions }: SettingsState): unknown => extensions.map(({ id, isEnabled }) => [id, isEnabled]);

describe("the settings page", () => {
  it("shows no list of agents as whole before it has asked for one", async () => {
    const { page, shown } = setUp();
    await page.receive({ type: "settings-ready" });
    assert.deepEqual(
      shown.filter(({ agents, isLoading }) => agents.length === 0 && !isLoading),
      [],
    );
  });

  it("shows agents with what is installed, pinned, newer and current", async () => {
    const { page } = setUp({ currentAgentId: "opencode", bypassed: "claude-code" });
    await page.receive({ type: "settings-ready" });
    assert.deepEqual(page.state.agents, [
      {
        id: "opencode",
        name: "OpenCode",
        source: "registry",
        version: "1.0.0",
        newerVersion: "2.0.0",
        isInstalled: true,
        isPinned: true,
        isCurrent: true,
        bypassPermissions: false,
      },
      {
        id: "claude-code",
        name: "Claude Code",
        source: "built-in",
        isInstalled: false,
        isPinned: false,
        isCurrent: false,
        bypassPermissions: true,
      },
      {
        id: "eliza",
        name: "Eliza",
        source: "built-in",
        description: "Chats without a language model",
        isInstalled: false,
        isPinned: false,
        isCurrent: false,
        bypassPermissions: false,
      },
    ]);
  });

  it("disables, reorders and deletes extensions, and writes nothing when it is the default again", async () => {
    const { page, values } = setUp();
    await page.receive({ type: "toggle-extension", id: "ferris", isEnabled: false });
    await page.receive({ type: "reorder-extensions", ids: ["cargo", "sparkle"] });
    await page.receive({ type: "delete-extension", id: "ide-operations" });
    assert.deepEqual(chain(page.state), [
      ["cargo", true],
      ["sparkle", true],
      ["ferris", false],
      ["tests", true],
      ["sources", true],
    ]);
    const back = setUp();
    await back.page.receive({ type: "toggle-extension", id: "ferris", isEnabled: false });
    await back.page.receive({ type: "toggle-extension", id: "ferris", isEnabled: true });
    assert.equal(back.values["extensions"], undefined);
    assert.ok(Array.isArray(values["extensions"]));
  });

  it("does not make a workspace's extensions the user's own", async () => {
    const { page, values, said } = setUp({ extensions: [{ id: "ferris" }], workspaceFile: "/w/.vscode/settings.json" });
    await page.receive({ type: "toggle-extension", id: "ferris", isEnabled: false });
    assert.deepEqual(values["extensions"], [{ id: "ferris" }]);
    assert.match(said.join("\n"), /symposium\.extensions in \/w\/\.vscode\/settings\.json, so your own list was not/);
  });

  it("loses none of several changes to the chain that come at once", async () => {
    const { page } = setUp();
    await Promise.all([
      page.receive({ type: "reorder-extensions", ids: ["cargo", "sparkle", "ferris", "ide-operations"] }),
      page.receive({ type: "toggle-extension", id: "ferris", isEnabled: false }),
      page.receive({ type: "delete-extension", id: "ide-operations" }),
    ]);
    assert.deepEqual(chain(page.state), [
      ["cargo", true],
      ["sparkle", true],
      ["ferris", false],
      ["tests", true],
      ["sources", true],
    ]);
  });

  it("installs after the user has agreed to what would be fetched, with progress", async () => {
    const { page, asked, progress, said } = setUp();
    await page.receive({ type: "settings-ready" });
    await page.receive({ type: "install", kind: "agent", id: "opencode" });
    assert.deepEqual(asked, ["install OpenCode: the npm package opencode, about 80 MB. It needs Node.js >=99."]);
    assert.deepEqual(progress, ["Installing OpenCode", "? Installing OpenCode", "50 Downloading opencode"]);
    assert.deepEqual(said, []);
  });

  it("updates, goes back and pins by the command, and shows what is installed after each", async () => {
    const { page, ran, said } = setUp();
    await page.receive({ type: "settings-ready" });
    const agent = { kind: "agent", id: "opencode" };
    const changes = [];
    for (const message of [
      { type: "update", ...agent },
      { type: "rollback", ...agent },
      { type: "pin", ...agent, isPinned: true },
      { type: "pin", ...agent, isPinned: false },
      { type: "update", kind: "extension", id: "linter" },
    ]) {
      ran.length = 0;
      await page.receive(message);
      const [change] = ran.filter((words) => !/^registry (list|list-extensions|installed) /.test(words));
      changes.push([change, ran.includes("registry installed --json")]);
    }
    assert.deepEqual(changes, [
      ["registry update opencode --json", true],
      ["registry rollback opencode --json", true],
      ["registry pin opencode 1.0.0 --json", true],
      ["registry unpin opencode --json", true],
      ["registry update linter --extension --json", true],
    ]);
    assert.deepEqual(said, []);
  });

  it("asks nothing for what starts as it is", async () => {
    const { page, asked, progress } = setUp();
    await page.receive({ type: "install", kind: "agent", id: "claude-code" });
    assert.deepEqual([asked, progress], [[], []]);
  });

  it("removes an agent of the user's own from the settings once they agree, and it is no longer the current one", async () => {
    const values = { agents: { mine: { command: "mine" }, other: { command: "other" } }, currentAgentId: "mine" };
    const { page, asked } = setUp(values);
    await page.receive({ type: "settings-ready" });
    await page.receive({ type: "remove", kind: "agent", id: "mine" });
    assert.deepEqual(asked, ["remove mine"]);
    assert.deepEqual(values, { agents: { other: { command: "other" } }, currentAgentId: undefined });
  });

  it("leaves everything where the user does not want it removed", async () => {
    const values = { agents: { mine: { command: "mine" } }, currentAgentId: "mine" };
    const { page } = setUp(values, [], false);
    await page.receive({ type: "settings-ready" });
    await page.receive({ type: "remove", kind: "agent", id: "mine" });
    assert.deepEqual(values, { agents: { mine: { command: "mine" } }, currentAgentId: "mine" });
  });

  it("shows beside the agent why it could not be had, in the command's words", async () => {
    const { page, said } = setUp({ agents: { broken: { command: "broken" } } });
    await page.receive({ type: "settings-ready" });
    await page.receive({ type: "install", kind: "agent", id: "broken" });
    assert.equal(page.state.agents.find(({ id }) => id === "broken")?.problem, said[0]);
    assert.match(said[0] ?? "", /It cannot be had\./);
  });

  it("adds a recommended extension only with consent, and lists it no longer", async () => {
    const linter = { id: "linter", title: "Linter", reasons: ["this workspace uses serde"], origin: "acp linter" };
    const refusing = setUp({}, [linter], false);
    await refusing.page.receive({ type: "settings-ready" });
    assert.deepEqual(
      refusing.page.state.recommendations.map(({ reason }) => reason),
      ["Recommended because this workspace uses serde."],
    );
    await refusing.page.receive({ type: "accept-recommendation", id: "linter" });
    assert.equal(refusing.values["extensions"], undefined);
    const agreeing = setUp({}, [linter]);
    await agreeing.page.receive({ type: "settings-ready" });
    await agreeing.page.receive({ type: "accept-recommendation", id: "linter" });
    assert.equal(agreeing.page.state.extensions.at(-1)?.id, "linter");
    assert.deepEqual(agreeing.page.state.recommendations, []);
  });

  it("allows the skills of a package as they were shown, and adds no extension", async () => {
    const skills = { key: "npm:chart", digest: "0123", lines: ["draw: Draws charts."] };
    const offer = { id: "npm:chart 0123", title: "Skills of chart", reasons: ["you use chart"], origin: "npm chart" };
    const { page, allowed } = setUp({ extensions: [] }, [{ ...offer, skills }]);
    await page.refresh();
    assert.deepEqual(
      page.state.recommendations.map(({ consent }) => consent.includes("draw: Draws charts.")),
      [true],
    );
    await page.receive({ type: "accept-recommendation", id: "npm:chart 0123" });
    assert.deepEqual(allowed, ["npm:chart", "0123"]);
    assert.deepEqual([page.state.recommendations, page.state.extensions], [[], []]);
  });

  it("does not show a dismissed recommendation again", async () => {
    const linter = { id: "linter", title: "Linter", reasons: ["x"], origin: "acp linter" };
    const { page } = setUp({}, [linter]);
    await page.receive({ type: "settings-ready" });
    await page.receive({ type: "dismiss-recommendation", id: "linter" });
    assert.deepEqual(page.state.recommendations, []);
  });

  it("refuses messages that are none, and switches that it does not have", async () => {
    const { page, values, said } = setUp();
    await page.receive({ type: "set-switch", key: "acpAgentPath", value: true });
    await page.receive({ type: "format-disk" });
    await page.receive({ type: "set-switch", key: "requireModifierToSend", value: true });
    assert.deepEqual(values, { requireModifierToSend: true });
    assert.deepEqual(said, ["The settings page sent a message that couldn't be understood."]);
  });
});
