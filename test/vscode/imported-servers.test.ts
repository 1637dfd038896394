import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Locator } from "playwright-core";
import { agentCommand } from "../support/agents/agent-command.js";
import { furtherAgents, usualAgents } from "../support/agents/agent-recipes.js";
import { conductorProgram } from "../support/conductor-command.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { objectOf, parseObject } from "../support/json.js";
import { installPackage } from "../support/packages/install-package.js";
import { installWhenAsked } from "../support/packages/install-when-asked.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { voicesOverHttp } from "../support/voices-server.js";
import { ZedClient } from "../support/zed-client.js";
import { useVsCode } from "./stage.js";

const odd = join(repositoryRoot, "core", "dist", "test", "servers", "node", "odd-server.js");
const secret = `ghp_${"0a1B2c3D4e5F".repeat(3)}`;
const recipes = [...usualAgents, ...furtherAgents].filter(({ name }) => name === "opencode" || name === "copilot");

/** An agent that calls both servers, and what its model was told. */
interface Caller {
  readonly name: string;
  readonly model: FakeModel;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

describe("a stranger with MCP servers in Claude Code and VS Code", function () {
  // Two real agents start twice each.
  this.timeout(600_000);
  const stack = new AsyncDisposableStack();
  const binFolders = recipes.map((recipe) =>
    usePackage(recipe, recipe.name === "copilot" ? installWhenAsked : installPackage),
  );
  const callers: Caller[] = [];
  let voices: string;
  before(async function () {
    voices = stack.use(await voicesOverHttp()).url;
    for (const [index, recipe] of recipes.entries()) {
      const folder = stack.use(await createRunFolder(recipe.name));
      const script = [callToolWith(/where$/, {}), callToolWith(/shout$/, { text: "from afar" }), say("All ", "done.")];
      const model = stack.use(await startFakeModel({ script }));
      const { words, env } = await agentCommand(recipe, binFolders[index]?.(this) ?? "", folder, model.url);
      const [command = "", ...args] = words;
      callers.push({ name: recipe.name, model, command, args, env });
    }
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      "symposium.agents": Object.fromEntries(
        callers.map(({ name, command, args, env }) => [name, { name, command, args, env }]),
      ),
      "symposium.bypassPermissions": callers.map(({ name }) => name),
      "symposium.extensions": [],
    },
    env: () => ({ PATH: pathWith() }),
  }));
  after(() => stack.disposeAsync());

  it("imports them in one step and uses them with OpenCode and Copilot, in VS Code and in Zed", async () => {
    const { home, root, env } = stage().code.folder;
    const claudeFile = join(home, ".claude.json");
    const vscodeFile = join(root, "user", "User", "mcp.json");
    const local = { command: "node", args: [odd], env: { FIXTURE: secret } };
    await writeJson(claudeFile, { mcpServers: { local } });
    await writeJson(vscodeFile, { servers: { voices: { type: "http", url: voices } } });
    const before = await Promise.all([claudeFile, vscodeFile].map((file) => readFile(file, "utf8")));

    await importsEverything(await stage().openWindow());
    const config = parseObject(await readFile(join(home, ".symposium", "config.jsonc"), "utf8"));
    assert.deepEqual(
      {
        servers: Object.keys(objectOf(config["mcpServers"])).sort(),
        hasSecret: JSON.stringify(config).includes(secret),
        others: await Promise.all([claudeFile, vscodeFile].map((file) => readFile(file, "utf8"))),
      },
      { servers: ["local", "voices"], hasSecret: false, others: before },
    );

    for (const caller of callers) {
      const chat = await stage().openChat();
      await chat.choose(caller.name);
      await chat.ask("Use my tools.");
      await chat.window.screenshot(`imported-servers-${caller.name}`);
      assert.equal((await chat.answerTexts()).at(-1)?.trim(), "All done.");
      assertReported(caller);
    }

    for (const caller of callers) {
      const earlier = caller.model.requests.length;
      const agent = JSON.stringify({ name: caller.name, command: caller.command, args: caller.args, env: caller.env });
      const server = { command: "node", args: [conductorProgram, "run-with", "--agent", agent], env: {} };
      const project = stage().code.folder.workspace;
      await using zed = new ZedClient({ server, project, env: { ...env, PATH: pathWith() } });
      await zed.connect();
      const thread = await zed.openThread();
      assert.equal(await zed.send(thread, "Use my tools."), "end_turn");
      // Copilot announces its commands before it has answered for the session.
      assert.deepEqual(
        zed.faults.filter((fault) => !fault.includes('"available_commands_update"')),
        [],
      );
      assert.match(thread.text, /All done\./);
      assertReported(caller, earlier);
    }
  });

  it("is not asked a second time, and finds nothing more to import", async () => {
    const window = await stage().openWindow();
    await window.run("Symposium: Import MCP Servers");
    await showsNotice(window, window.page.getByText("all of them are in config.jsonc already").first());
    assert.equal(await window.page.getByRole("button", { name: "Choose Servers…" }).count(), 0);
  });
});

/** Follows the notice of the first look at the view: every server, what the list cuts off in full, with its secret kept apart. */
async function importsEverything(window: VsCodeWindow): Promise<void> {
  const { page } = window;
  await window.run("Symposium: Open Chat");
  const button = page.getByRole("button", { name: "Choose Servers…" });
  await showsNotice(window, button);
  await window.screenshot("import-offer");
  await button.click();
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "VS Code" }).first().waitFor();
  await window.screenshot("import-list");
  const list = window.quickInput("Import MCP Servers for Every Agent");
  await list.press("Enter");
  const dialog = page.locator(".monaco-dialog-box", { hasText: "env FIXTURE=${secret:local-FIXTURE}" });
  await dialog.waitFor();
  await window.screenshot("import-in-full");
  await dialog.locator(".monaco-button", { hasText: /^Take/ }).click();
  await rows.filter({ hasText: "Keep in the secret store" }).waitFor();
  await window.screenshot("import-secrets");
  await list.press("Enter");
  await showsNotice(window, page.getByText("from their next session on").first());
}

/** Driven windows show no notices by themselves, and a list of them that is empty does not fill. */
async function showsNotice(window: VsCodeWindow, notice: Locator): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    await window.run("Notifications: Show Notifications");
    if (await isShown(notice)) return;
    await window.page.keyboard.press("Escape");
  }
  throw new Error("The notice does not come.");
}

async function isShown(notice: Locator): Promise<boolean> {
  return notice.waitFor({ timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

/** Both results reached the model: that of the program, with its secret, and that of the address. */
function assertReported({ name, model }: Caller, after = 0): void {
  const results = model.requests
    .slice(after)
    .flatMap(({ toolResults }) => toolResults.map(({ text }) => text))
    .join("\n");
  // Copilot hides from its model what looks like a token.
  const told = name === "copilot" ? / \*{6} / : secret;
  assert.match(results, new RegExp(told), name);
  assert.ok(results.includes("FROM AFAR"), `${name}: ${results}`);
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value, undefined, 2));
}
