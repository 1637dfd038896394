import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorProgram } from "../support/conductor-command.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { until } from "../support/until.js";
import { axeViolations } from "../support/vscode/axe-violations.js";
import { McpServersView } from "../support/vscode/mcp-servers-view.js";
import { settingsPage } from "../support/vscode/settings-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const programs = join(repositoryRoot, "test", "dist", "support", "programs");

/** A command that leaves a mark when it runs. */
const marking = (mark: string): string => `
  import { writeFileSync } from "node:fs";
  writeFileSync(${JSON.stringify(mark)}, "");
  await import(${JSON.stringify(conductorProgram)});
`;

/** A command that offers the sandbox once, even to root and for an agent that nobody has tried. */
const offering = (mark: string): string => `
  import { writeFileSync } from "node:fs";
  const [noun, verb] = process.argv.slice(2);
  if (noun !== "guard" || verb !== "offer") await import(${JSON.stringify(conductorProgram)});
  else {
    let sandbox = { id: "Fetcher", name: "Fetcher" };
    try {
      writeFileSync(${JSON.stringify(mark)}, "", { flag: "wx" });
    } catch {
      sandbox = null;
    }
    console.log(JSON.stringify({ sandbox }));
  }
`;

describe("a project that asks for an MCP server, in a folder that the user does not trust", () => {
  let folder: RunFolder;
  let [command, mark, starts] = ["", "", ""];
  before(async () => {
    folder = await createRunFolder("trust");
    command = join(folder.root, "command.mjs");
    mark = join(folder.root, "has-run");
    starts = join(folder.root, "starts");
    await writeFile(command, marking(mark));
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      ...scriptedAgent(),
      "symposium.acpAgentPath": command,
      "security.workspace.trust.startupPrompt": "never",
    },
    asksForTrust: true,
  }));
  after(() => folder[Symbol.asyncDispose]());

  const countStarts = async (): Promise<number> => (await readFile(starts, "utf8").catch(() => "")).length;

  it("starts nothing before the user trusts the folder, and the server not before they allow it", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "project-"));
    await Promise.all([".git", ".symposium"].map((name) => mkdir(join(workspace, name))));
    const server = JSON.stringify(join(programs, "mcp-server.js"));
    const script = `require("fs").appendFileSync(${JSON.stringify(starts)}, "x"); import(${server});`;
    const mcpServers = { docs: { command: process.execPath, args: ["-e", script] } };
    await writeFile(join(workspace, ".symposium", "config.jsonc"), JSON.stringify({ mcpServers }));

    const chat = await stage().openChat({ workspace });
    const { window } = chat;
    await chat.page.getByText("This workspace is in Restricted Mode.").waitFor();
    const settings = await settingsPage(chat.window);
    await settings.getByText("This workspace is in Restricted Mode").waitFor();
    assert.equal(existsSync(mark), false);
    await chat.page.getByRole("button", { name: "Manage workspace trust" }).click();
    const trust = window.page.locator(".workspace-trust-editor");
    await trust.getByRole("button", { name: "Trust", exact: true }).click();
    await trust.locator(".workspace-trust-header.workspace-trust-trusted").waitFor();
    const modal = window.page.locator(".monaco-modal-editor-block");
    await modal.getByRole("button", { name: /^Close/ }).click();
    // Until it is gone, it can still give the focus back to where it was before.
    await modal.waitFor({ state: "detached" });

    const question = window.page.locator(".monaco-dialog-box", { hasText: "Allow this project's configuration?" });
    await window.run("Symposium: Show What This Agent Gets");
    const line = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "docs" });
    await line.filter({ hasText: "Not sent: you have not allowed" }).hover();
    await line.getByRole("button", { name: "Allow This Project's Configuration" }).click();
    await question.locator(".monaco-button", { hasText: "Cancel" }).click();
    await line.filter({ hasText: "Not sent: you have not allowed" }).waitFor();

    const view = await McpServersView.open(window);
    await view.waitFor("docs", "Not allowed");
    await view.press("Allow…: docs");
    assert.match(await question.innerText(), /\.symposium[/\\]config\.jsonc.*mcpServers\.docs: .*appendFileSync/s);
    await window.screenshot("project-approval");
    await question.locator(".monaco-button", { hasText: "Allow" }).click();
    await view.waitFor("docs", "Not running");
    assert.equal(await countStarts(), 0);

    await chat.choose("Scripted");
    await chat.ask("echo now it works");
    await view.waitFor("docs", "Running in 1 session");
    assert.deepEqual([await chat.answerTexts(), await countStarts()], [["now it works"], 1]);
  });
});

describe("an agent that could run in a sandbox", () => {
  /** Undefined if no sandbox starts. */
  let folder: RunFolder | undefined;
  let command = "";
  before(async function () {
    needsSandbox(this);
    folder = await createRunFolder("sandbox-offer");
    command = join(folder.root, "command.mjs");
    await writeFile(command, offering(join(folder.root, "offered")));
  });
  const stage = useVsCode(newestVsCode, () => {
    const fetcher = { command: "node", args: [join(programs, "fetching-agent.js")], env: { PATH: pathWith() } };
    return {
      settings: {
        "symposium.agents": { fetcher: { name: "Fetcher", ...fetcher } },
        "symposium.currentAgentId": "fetcher",
        "symposium.extensions": [],
        "symposium.acpAgentPath": command,
      },
    };
  });
  after(() => folder?.[Symbol.asyncDispose]());

  it("asks about hosts once the user takes the card's offer, and the page Guard opens one that was refused", async () => {
    const guardFolder = join(stage().code.folder.home, ".symposium");
    const rules = (): Promise<string> => readFile(join(guardFolder, "guard.jsonc"), "utf8");
    await mkdir(guardFolder, { recursive: true });
    await writeFile(join(guardFolder, "guard.jsonc"), '{\n  // Mine.\n  "rules": []\n}\n');
    const chat = await stage().openChat();
    const { window } = chat;
    await chat.choose("Fetcher");
    await chat.send("no address");
    await chat.page.locator(".notice-title", { hasText: "Fetcher could run in a sandbox" }).waitFor();
    await window.screenshot("sandbox-offer");
    assert.deepEqual(await axeViolations(chat.page), []);
    await chat.page.getByRole("button", { name: "What is it?" }).click();
    const page = window.webviewOfEditor("symposium-dev.symposium");
    await page.getByText("Fetcher follows your rules. It and its programs run with your permissions").waitFor();
    await chat.page.getByRole("button", { name: "Use the sandbox" }).click();
    await page.getByText("Fetcher and its programs run in a sandbox.").waitFor();
    await chat.page.getByRole("button", { name: "Restart agent" }).click();

    // No name below `.test` has an address: a host that is open answers 502, a refused one 403.
    await chat.send("http://asked.example.test/");
    await chat.permission.getByRole("button", { name: "Allow in this workspace" }).click();
    await chat.answers.filter({ hasText: "asked.example.test/ was 502" }).waitFor();
    await chat.send("http://refused.example.test/");
    await chat.permission.getByRole("button", { name: /^No\b/ }).click();
    await chat.answers.filter({ hasText: "refused.example.test/ was 403" }).waitFor();

    await page.locator(".guard[aria-busy=false]").waitFor();
    await page.getByRole("button", { name: "Refresh" }).press("Enter");
    await page.getByRole("button", { name: /guard\.jsonc:\d+: allow host asked\.example\.test:80$/ }).waitFor();
    await page.getByRole("button", { name: "Open refused.example.test:80" }).press("Enter");
    await window.page.locator(".monaco-dialog-box").getByRole("button", { name: "Everywhere" }).click();
    await page.getByRole("button", { name: /guard\.jsonc:\d+: allow host refused\.example\.test:80$/ }).waitFor();
    await window.screenshot("guard-page");
    await chat.send("http://refused.example.test/");
    await chat.answers.filter({ hasText: "refused.example.test/ was 502" }).waitFor();

    await page.getByRole("combobox", { name: "Protection of Fetcher" }).selectOption("default");
    const text = await until(rules, (now) => !now.includes("sandbox"));
    assert.match(text, /\/\/ Mine\.\n[^]*"host": "asked\.example\.test:80", "in": "/);
  });
});
