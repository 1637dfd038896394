import assert from "node:assert/strict";
import type { SetUpFinding } from "../../../protocol/set-up.js";
import { AgentChoices } from "../../../src/features/agents/agent-choices.js";
import type { ListedAgent } from "../../../src/features/agents/catalogue.js";
import { SubcommandRunner } from "../../../src/features/agents/subcommand-runner.js";
import type { EditorFacts } from "../../../src/features/set-up/editor-facts.js";
import { SetUpPage } from "../../../src/features/set-up/set-up-page.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";

/** A command that says its version and prints findings as the real one does; its words are in the first of them. */
const program = `
const words = process.argv.slice(1);
if (words[0] === "--version") console.log("symposium-acp-agent 1.0.0");
else {
  const findings = [
    { check: "node", status: "ok", text: words.join(" ") },
    { check: "uv", status: "warn", text: "is not on PATH", remedy: "Get it.", missing: "tool", website: "https://docs.astral.sh/uv" },
    { check: "pyright", status: "warn", text: "is missing", remedy: "Install it.", missing: "language-server" },
  ];
  if (words[3] === "codex") findings.push({ check: "session", status: "fail", text: "it needs you to sign in", remedy: "Run \`symposium-acp-agent sign-in x\`.", missing: "sign-in" });
  console.log(JSON.stringify(findings));
  process.exitCode = words[3] === "codex" ? 1 : 0;
}`;

const codex: ListedAgent = { id: "codex", name: "Codex", isBuiltIn: true, machine: { installed: "1.0.0" } };
const claude: ListedAgent = { id: "claude-code", name: "Claude Code", isBuiltIn: true };
const kiro: ListedAgent = { id: "kiro-cli", name: "Kiro", isBuiltIn: true, machine: { missing: "kiro-cli-chat" } };

interface StageOptions {
  readonly facts?: Partial<EditorFacts>;
  readonly currentAgentId?: string;
  readonly program?: string;
  readonly registryProblem?: string;
  readonly outdated?: readonly string[];
  readonly acpAgentPath?: string;
  readonly startsLanguageServers?: boolean;
}

function setUp(options: StageOptions = {}) {
  const { settings } = parseSettings((key) => (key === "currentAgentId" ? options.currentAgentId : undefined));
  const command = { command: process.execPath, args: ["-e", options.program ?? program, "--"], env: {} };
  const done: string[] = [];
  let registryProblem = options.registryProblem;
  const page = new SetUpPage({
    choices: new AgentChoices({
      settings: () => settings,
      catalogue: () => Promise.resolve([codex, claude, kiro]),
      trustedFolders: () => [],
    }),
    commandLine: new SubcommandRunner(() => command),
    registryProblem: () => registryProblem,
    askRegistry: () => {
      done.push("asked the registry");
      registryProblem = undefined;
      return Promise.resolve();
    },
    outdated: () => Promise.resolve(options.outdated ?? []),
    changed: () => undefined,
    editor: {
      facts: () => ({ isTrusted: true, folder: process.cwd(), problems: [], ...options.facts }),
      version: "1.0.0",
      acpAgentPath: () => options.acpAgentPath ?? "",
      startsLanguageServers: () => options.startsLanguageServers ?? true,
      trustWords: () => ["--trusted", "/w"],
      apply: (remedy) => Promise.resolve(void done.push(Object.values(remedy).join(" "))),
      copy: (text) => Promise.resolve(void done.push(text)),
      say: (message) => void done.push(`said: ${message}`),
    },
  });
  return { page, done };
}

const brief = (findings: readonly SetUpFinding[]) =>
  findings.map(({ about, text, actions }) => [`${about} ${text}`, ...actions.map(({ label }) => label)]);

describe("the check of the set-up", () => {
  it("finds everything right, and gives the command's findings in the words of this editor", async () => {
    const { page } = setUp({ currentAgentId: "eliza" });
    await page.check();
    const { agentName, isChecking, faults, warnings, optional, right } = page.state;
    assert.deepEqual([agentName, isChecking, faults, warnings], ["Eliza", false, [], []]);
    assert.deepEqual(brief(right), [
      ["Workspace is trusted"],
      [`Folder: ${process.cwd()}`],
      ["Settings have no faults"],
      ["symposium-acp-agent 1.0.0"],
      ["Node.js doctor --json --editor eliza --trusted /w"],
    ]);
    assert.deepEqual(brief(optional), [["uv is not on PATH", "Open docs.astral.sh"], ["pyright is missing"]]);
  });

  it("has buttons in place of the commands of a terminal where the agent wants a sign-in", async () => {
    const { page, done } = setUp({ currentAgentId: "codex" });
    await page.check();
    assert.deepEqual(page.state.faults, [
      {
        about: "A session with the agent:",
        status: "fail",
        text: "it needs you to sign in",
        remedy: "Open a chat with it to see the ways to sign in.",
        actions: [{ id: "sign-in codex", label: "Sign In" }],
      },
    ]);
    await page.receive({ type: "act", id: "sign-in codex" });
    assert.deepEqual(done, ["sign-in codex"]);
    assert.doesNotMatch(JSON.stringify(page.state), /symposium-acp-agent (setup|sign-in|registry)|config\.jsonc/);
  });

  it("starts nothing in Restricted Mode, and leads to the trust", async () => {
    const { page, done } = setUp({ facts: { isTrusted: false }, program: "process.exit(9)" });
    await page.check();
    assert.deepEqual(brief(page.state.faults), [
      ["Workspace is in Restricted Mode, so no agent starts and nothing more is checked", "Manage Workspace Trust"],
    ]);
    await page.receive({ type: "act", id: "manage-trust" });
    assert.deepEqual(done, ["manage-trust"]);
  });

  it("leads to the setting, the folder, the agent and the registry that are missing or wrong", async () => {
    const problem = { setting: "symposium.agents", message: "symposium.agents must be a list", hint: "Say how." };
    const { page, done } = setUp({
      facts: { folder: undefined, problems: [problem] },
      registryProblem: "registry.example cannot be fetched",
      outdated: ["Codex 1.0.0 → 1.1.0"],
      startsLanguageServers: false,
    });
    await page.check();
    assert.deepEqual(brief(page.state.faults), [["Setting: symposium.agents must be a list", "Open symposium.agents"]]);
    assert.deepEqual(brief(page.state.warnings), [
      ["Folder is not open, so an agent has no project to work on", "Open Folder"],
      ["Agent isn't selected: new tabs open the demo, which has no model", "Choose an Agent"],
      ["Registry could not be reached: registry.example cannot be fetched", "Try Again"],
      ["Updates Codex 1.0.0 → 1.1.0", "Update"],
    ]);
    assert.deepEqual(
      page.state.optional.map(({ about }) => about),
      ["uv"],
    );
    const tryAgain = page.state.warnings.find(({ about }) => about === "Registry")?.actions[0];
    await page.receive({ type: "act", id: tryAgain?.id });
    assert.deepEqual(done, ["asked the registry"]);
    assert.ok(!page.state.warnings.some(({ about }) => about === "Registry"));
  });

  it("does not check an agent that is not here, and offers to install it where it can be", async () => {
    const faults: unknown[] = [];
    const { page, done } = setUp();
    for (const id of ["claude-code", "kiro-cli", "nobody"]) {
      await page.check(id);
      faults.push(...brief(page.state.faults));
      assert.ok(page.state.right.some(({ text }) => text === "doctor --json --editor --trusted /w"));
    }
    assert.deepEqual(faults, [
      ["Agent Claude Code is not installed", "Install", "Choose an Agent"],
      [`Agent Kiro isn't available: its program "kiro-cli-chat" isn't on PATH`, "Choose an Agent"],
      [
        'Agent "nobody" is neither in an agent list nor in your settings',
        "Choose an Agent",
        "Open symposium.currentAgentId",
      ],
    ]);
    await page.check("claude-code");
    await page.receive({ type: "act", id: "install-agent claude-code" });
    assert.deepEqual(done, ["install-agent claude-code"]);
    assert.equal(page.state.isChecking, false);
  });

  it("says why the command does not start or is another one, and leads to the setting that names it", async () => {
    const broken = setUp({ acpAgentPath: "/x/agent", program: "console.error('Broken.'); process.exit(3)" });
    await broken.page.check();
    const other = setUp({ acpAgentPath: "/x/agent", program: program.replace("1.0.0", "0.9.0") });
    await other.page.check();
    assert.deepEqual(
      [brief(broken.page.state.faults), brief(other.page.state.warnings)[0]],
      [
        [["symposium-acp-agent Broken.", "Open symposium.acpAgentPath", "Show Log"]],
        [
          "symposium-acp-agent 0.9.0 at /x/agent doesn't match this extension's version, 1.0.0",
          "Open symposium.acpAgentPath",
        ],
      ],
    );
  });

  it("says so where the command's answer is none", async () => {
    const { page } = setUp({ program: "console.log(process.argv[1] === '--version' ? '1.0.0' : 'Oops.')" });
    await page.check();
    assert.deepEqual(brief(page.state.faults), [["The check Oops.", "Show Log"]]);
  });

  it("ends a check when another begins or the page closes", async () => {
    const { page } = setUp({ currentAgentId: "eliza" });
    const first = page.check();
    const second = page.check("codex");
    await Promise.all([first, second]);
    assert.equal(page.state.faults.length, 1);
    const third = page.check();
    page[Symbol.dispose]();
    await third;
    assert.deepEqual([page.state.isChecking, page.state.faults], [false, []]);
  });

  it("copies what it found, and does nothing for a button that it does not show", async () => {
    const { page, done } = setUp({ currentAgentId: "eliza" });
    await page.check();
    await page.receive({ type: "act", id: "install-agent codex" });
    await page.receive({ type: "format-disk" });
    await page.receive({ type: "copy" });
    assert.equal(done[0], "said: The setup page sent a message that couldn't be understood.");
    assert.match(
      done[1] ?? "",
      /^Symposium 1\.0\.0\nwarn {2}uv: is not on PATH \(Get it\.\)\n[^]*ok {4}Workspace: is trusted\n/,
    );
    assert.equal(done.length, 2);
  });
});
