import assert from "node:assert/strict";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RegistryStage } from "../e2e/registry-stage.js";
import { SettingsView } from "../support/vscode/settings-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("the view of agents and extensions", () => {
  let registry: RegistryStage;
  const stack = new AsyncDisposableStack();
  before(async () => {
    registry = await RegistryStage.open(stack);
    const old = await registry.entry("farmer", "1.0.0", { main: "agent-main.js" });
    registry.publish({ agents: [old] });
    await registry.json("registry", "install", "farmer", "--json");
    const broken = registry.entryWith("broken", "1.0.0", (response) => response.writeHead(500).end());
    registry.publish({
      agents: [
        broken,
        await registry.entry("sailor", "1.0.0", { main: "agent-main.js" }),
        await registry.entry("farmer", "1.1.0", { main: "agent-main.js" }),
      ],
      extensions: [await registry.entry("spice", "1.0.0", { main: "proxy-main.js" })],
    });
    await registry.json("registry", "list", "--refresh", "--json");
  });
  after(() => stack.disposeAsync());

  const agents = scriptedAgent();
  const stage = useVsCode(newestVsCode, () => ({
    settings: { "symposium.agents": agents["symposium.agents"], "symposium.currentAgentId": "scripted" },
    env: () => registry.env,
  }));

  const open = async (workspace?: string) =>
    SettingsView.open(await stage().openWindow(workspace === undefined ? {} : { workspace }));

  it("installs an agent of the registry once the user agrees, and new tabs talk to it", async () => {
    const view = await open();
    await view.showMore();
    await view.button("Install sailor").click();
    const question = await view.question.innerText();
    await view.answer("Install");
    // What else is listed anew may draw the choice once more as it was, before the answer to the click does.
    await view.agent("sailor").click();
    await view.page.getByRole("radio", { name: "sailor", exact: true, checked: true }).waitFor();
    const chat = await stage().openChat();
    await chat.choose("sailor");
    await chat.ask("echo hello from the registry");
    assert.match(question, /Install sailor\?[^]*fetch the program at http:[^]*sailor-1\.0\.0\.tar\.gz/);
    assert.deepEqual(await chat.answerTexts(), ["hello from the registry"]);
  });

  it("updates an agent, and goes back to the version before", async () => {
    const view = await open();
    await view.button("Check for updates").click();
    await view.button("Update to 1.1.0: farmer").click();
    await view.showDetails("farmer");
    await view.button("Back to 1.0.0").click();
    await view.button("Back to 1.1.0").waitFor();
    assert.match(await view.page.locator(".row", { has: view.agent("farmer") }).innerText(), /^farmer\s+1\.0\.0/);
  });

  it("says beside an agent why it could not be installed", async () => {
    const view = await open();
    await view.showMore();
    await view.button("Install broken").click();
    await view.answer("Install");
    assert.match(await view.page.locator(".row-problem").innerText(), /cannot be downloaded: the server answers 500/);
  });

  it("moves extensions by keyboard and by dragging, and remembers their order", async () => {
    const view = await open();
    await view.button("Move Sparkle").focus();
    await view.button("Move Sparkle").press("ArrowDown");
    await view.page.getByText("Sparkle is now 2 of 6.").waitFor();
    await view.button("Move Cargo").dragTo(view.button("Move Ferris"));
    // The answer to the move may draw the box once more as it was, before that to the click does.
    await view.page.getByRole("checkbox", { name: "Ferris" }).click();
    await view.page.getByRole("checkbox", { name: "Ferris", checked: false }).waitFor();
    await view.hide();
    const again = await SettingsView.open(view.window);
    await again.page.getByRole("checkbox", { name: "Ferris", checked: false }).waitFor();
    assert.deepEqual(await again.extensions(), ["Cargo", "Ferris", "Sparkle", "IDE operations", "Tests", "Sources"]);
  });

  it("adds an extension that the workspace recommends, with its reason, once the user agrees", async () => {
    const folder = await mkdtemp(join(stage().code.folder.workspace, "recommending-"));
    await mkdir(join(folder, ".symposium"));
    await writeFile(
      join(folder, ".symposium", "recommendations.toml"),
      `[[recommendation]]\nsource.acp = "spice"\nwhen.file-exists = ".symposium"\n`,
    );
    const view = await open(folder);
    const recommended = view.page.locator(".recommendation", { hasText: "spice" });
    const text = await recommended.innerText();
    await recommended.getByRole("button", { name: /^Add/ }).click();
    await view.answer("Install");
    await view.button("Move spice").waitFor();
    assert.match(text, /Recommended because[^]*Adding it installs and runs/);
    await recommended.waitFor({ state: "detached" });
  });

  it("adds an agent from a command line, makes it the current one, and removes it again", async () => {
    const view = await open();
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
  });

  it("lets an agent bypass permissions only once the user has confirmed it", async () => {
    const view = await open();
    await view.showDetails("Scripted");
    const bypass = view.page.getByRole("switch", { name: "Bypass permissions" });
    await bypass.click();
    const question = await view.question.innerText();
    await view.answer("Bypass Permissions");
    await view.page.getByText("does not ask").waitFor();
    assert.match(question, /without asking/);
    await bypass.click();
    await view.page.getByText("does not ask").waitFor({ state: "detached" });
  });

  it("checks an agent on a page with a button for each remedy, among what else there is", async () => {
    const view = await open();
    await view.showDetails("Scripted");
    await view.button("Check").click();
    const page = view.window.webview("symposium-dev.symposium", 1);
    await page.getByRole("listitem").filter({ hasText: "a temporary session opens" }).waitFor();
    await page.getByRole("status").filter({ hasText: "Nothing is wrong" }).waitFor();
    const text = await page.getByRole("main").innerText();
    await page.getByRole("button", { name: "Show Log", exact: true }).click();
    await view.window.page.locator(".panel .monaco-select-box").first().waitFor();
    assert.match(text, /What is right[^]*Workspace is trusted/);
    assert.doesNotMatch(text, /config\.jsonc|symposium-acp-agent setup/);
  });
});
