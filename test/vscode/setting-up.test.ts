import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OAuthServer } from "@symposium-dev/core/testing/node";
import type { FrameLocator, Locator } from "playwright-core";
import { RegistryStage } from "../e2e/registry-stage.js";
import { objectOf, parseObject } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import { until } from "../support/until.js";
import { axeViolations } from "../support/vscode/axe-violations.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { McpServersView } from "../support/vscode/mcp-servers-view.js";
import { settingsPage, SettingsView } from "../support/vscode/settings-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { themeNames, type VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const extension = "symposium-dev.symposium";
const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");
/** How long the list of notices stays open before it is opened again. */
const noticeMs = 5_000;
const secret = `ghp_${"0a1B2c3D4e5F".repeat(3)}`;

describe("a user who sets Symposium up", () => {
  const stack = new AsyncDisposableStack();
  let registry: RegistryStage;
  let vault: OAuthServer;
  const { "symposium.agents": agents } = scriptedAgent();
  const stage = useVsCode(newestVsCode, {
    settings: {
      ...{ "symposium.agents": agents, "symposium.currentAgentId": "scripted" },
      "symposium.mcpServers": { editors: { command: process.execPath, args: [clock] } },
    },
  });
  const configFile = (): string => join(stage().code.folder.home, ".symposium", "config.jsonc");
  const serversOfConfig = async (): Promise<Readonly<Record<string, unknown>>> =>
    objectOf(parseObject(await readFile(configFile(), "utf8"))["mcpServers"]);

  before(async () => {
    registry = await RegistryStage.open(stack);
    registry.publish({ agents: [await registry.entry("sailor", "1.0.0", { main: "agent-main.js" })] });
    vault = stack.use(await OAuthServer.start({ revocation: "works" }));
    const failing = 'process.stderr.write("the licence has expired\\n"); process.exit(3);';
    const mcpServers = { broken: { command: process.execPath, args: ["-e", failing] }, vault: { url: vault.url } };
    await mkdir(join(configFile(), ".."), { recursive: true });
    const address = parseObject(await readFile(join(registry.configFolder, "config.jsonc"), "utf8"));
    await writeFile(configFile(), JSON.stringify({ ...address, mcpServers }, undefined, 2));
    const local = { command: process.execPath, args: [clock], env: { FIXTURE: secret } };
    await writeFile(join(stage().code.folder.home, ".claude.json"), JSON.stringify({ mcpServers: { local } }));
  });
  after(() => stack.disposeAsync());

  it("installs an agent of the registry, adds another by its command line, and checks one", async () => {
    const view = await SettingsView.open(await stage().openWindow());
    await view.showMore();
    await view.button("Install sailor").click();
    const question = await view.question.innerText();
    await view.answer("Install");
    await view.agent("sailor").click();
    await view.page.getByRole("radio", { name: "sailor", exact: true, checked: true }).waitFor();
    assert.match(question, /Install sailor\?[^]*download the program at http:[^]*sailor-1\.0\.0\.tar\.gz/);

    await view.button("Add an agent").click();
    const source = view.window.quickInput("Add an agent");
    await source.fill("executable");
    // The list comes a little after its field, which takes no Enter before.
    await view.window.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "executable" }).waitFor();
    await source.press("Enter");
    const commandLine = view.window.quickInput("The command line that starts it");
    await commandLine.fill("some-agent acp");
    await commandLine.press("Enter");
    await view.agent("some-agent").waitFor();
    await view.showDetails("some-agent");
    await view.page.getByRole("radio", { name: "some-agent", exact: true, checked: true }).waitFor();
    await view.button("Remove").click();
    await view.answer("Remove");
    await view.agent("some-agent").waitFor({ state: "detached" });

    await view.showDetails("Scripted");
    const bypass = view.page.getByRole("switch", { name: "Bypass permissions" });
    await bypass.click();
    await view.answer("Bypass Permissions");
    await view.page.getByText("does not ask").waitFor();
    await bypass.click();
    await view.page.getByText("does not ask").waitFor({ state: "detached" });

    await view.button("Check").click();
    const page = view.window.webviewOfEditor(extension);
    await page.getByRole("listitem").filter({ hasText: "it opened a temporary session" }).waitFor();
    await page.getByRole("button", { name: "Show Log", exact: true }).click();
    await view.window.page.locator(".panel .monaco-select-box").first().waitFor();

    const chat = await ChatView.open(await stage().openWindow());
    await chat.choose("sailor");
    await chat.ask("echo hello from the registry");
    assert.deepEqual(await chat.answerTexts(), ["hello from the registry"]);
  });

  it("imports MCP servers, signs in to one, and switches one off for the next session", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    await importsEverything(window);
    assert.deepEqual(Object.keys(await serversOfConfig()), ["broken", "vault", "local"]);
    assert.doesNotMatch(await readFile(configFile(), "utf8"), new RegExp(secret));

    const view = await McpServersView.open(window);
    await view.waitFor("local", "Not running");
    await chat.choose("Scripted");
    await chat.ask("echo hello");
    await view.waitFor("local", "Running in 1 session");
    await view.waitFor("editors", "Running in 1 session");
    await view.waitFor("broken", /Failed .*exited with code 3.*the licence has expired/s);
    await view.waitFor("vault", "Waiting for you to sign in");

    const opened = window.page.context().waitForEvent("page");
    await view.press("Sign In: vault");
    const signIn = await opened;
    // A page that is opened is empty at first.
    await signIn.waitForURL(/^http/, { waitUntil: "commit" });
    await fetch(directAddress(signIn.url()));
    await view.waitFor("vault", "Running in 1 session");

    await view.press("Edit: broken");
    await window.page.locator('.tab.active[data-resource-name="config.jsonc"]').waitFor();
    await window.page.locator(".statusbar-item", { hasText: /Ln \d+, Col 1/ }).waitFor();

    await window.run("Symposium: Show What This Agent Gets");
    const line = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "local" });
    await line.hover();
    await line.getByRole("button", { name: "Switch Off" }).click();
    await line.filter({ hasText: "Off: use the button to turn it on again" }).waitFor();
    assert.equal(objectOf((await serversOfConfig())["local"])["enabled"], false);
  });

  it("can read every page in the themes of VS Code", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    const settings = await settingsPage(chat.window);
    await chat.choose("Scripted");
    await chat.ask("updates\ncontent\ntool_calls\nplan\nusage");
    await chat.send("permission");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    const inEditor = async (command: string, heading: string): Promise<FrameLocator> => {
      await window.run("View: Close All Editors");
      await window.run(command);
      const page = window.webviewOfEditor(extension);
      await page.getByRole("heading", { name: heading, exact: true }).waitFor();
      await page.locator("[aria-busy=false]").waitFor();
      return page;
    };
    const found: Record<string, readonly string[]> = {};
    for (const theme of themeNames) {
      await window.useTheme(theme);
      const look = async (name: string, page: FrameLocator): Promise<void> => {
        await window.screenshot(`${name}-${theme}`);
        const violations = await axeViolations(page);
        if (violations.length > 0) found[`${name} ${theme}`] = violations;
      };
      await look("chat", chat.page);
      await look("settings", settings);
      await look("mcp-servers", await inEditor("Symposium: MCP Servers", "MCP servers"));
      await look("guard", await inEditor("Symposium: Guard: What Agents May Do", "Guard"));
    }
    assert.deepEqual(found, {});
  });
});

/**
 * Follows the notice about servers of other programs: takes every server, after the dialog that shows in full what the
 * list cuts off, and keeps its secret in the secret store.
 */
async function importsEverything(window: VsCodeWindow): Promise<void> {
  const { page } = window;
  const button = page.getByRole("button", { name: "Choose Servers…" });
  await showsNotice(window, button);
  await button.click();
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "Claude Code" }).first().waitFor();
  const list = window.quickInput("Import MCP Servers for Every Agent");
  await list.press("Enter");
  const dialog = page.locator(".monaco-dialog-box", { hasText: "env FIXTURE=${secret:local-FIXTURE}" });
  await dialog.locator(".monaco-button", { hasText: /^Import/ }).click();
  await rows.filter({ hasText: "Store in the secret store" }).waitFor();
  await list.press("Enter");
  await showsNotice(window, page.getByText("from their next session").first());
}

/** Opens the list of notices until it has that one: driven windows show no notices, and an empty list does not fill. */
async function showsNotice(window: VsCodeWindow, notice: Locator): Promise<void> {
  await until(
    async () => {
      await window.run("Notifications: Show Notifications");
      if (await isShown(notice)) return true;
      await window.page.keyboard.press("Escape");
      return false;
    },
    (isThere) => isThere,
  );
}

function isShown(notice: Locator): Promise<boolean> {
  return notice.waitFor({ timeout: noticeMs }).then(
    () => true,
    () => false,
  );
}

/** The address behind VS Code's path for this machine's ports: only its desktop build serves that path. */
function directAddress(url: string): string {
  return url.replace(/^(http:\/\/127\.0\.0\.1):\d+\/proxy\/(\d+)\//, "$1:$2/");
}
