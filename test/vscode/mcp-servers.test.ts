import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { OAuthServer } from "@symposium-dev/core/testing/node";
import type { FrameLocator, Locator } from "playwright-core";
import { objectOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import { until } from "../support/until.js";
import { axeViolations } from "../support/vscode/axe-violations.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { makeNarrow, webviewFrame } from "../support/vscode/webview-frame.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");
const extension = "symposium-dev.symposium";

/** The page of MCP servers of one window. */
class McpServersPage {
  private constructor(
    readonly window: VsCodeWindow,
    readonly page: FrameLocator,
  ) {}

  /** `others` are the web views of ours that are open already. */
  static async open(window: VsCodeWindow, others = 0): Promise<McpServersPage> {
    await window.run("Symposium: MCP Servers");
    const view = new McpServersPage(window, window.webview(extension, others));
    await view.page.getByRole("heading", { name: "MCP servers" }).waitFor();
    await view.page.locator(".mcp-servers[aria-busy=false]").waitFor();
    return view;
  }

  server(name: string): Locator {
    return this.page.locator(".mcp-server", { has: this.page.getByRole("heading", { name, exact: true }) });
  }

  /** Waits until a server is said to be so. */
  async waitFor(name: string, text: string | RegExp): Promise<void> {
    await this.server(name).locator(".mcp-state", { hasText: text }).waitFor();
  }

  async press(label: string): Promise<void> {
    await this.page.getByRole("button", { name: label, exact: true }).click();
  }
}

/**
 * Signs in at an address that the window has opened. A VS Code that is served to a browser leads addresses of its machine
 * through a path of its own, which only its desktop build has something behind.
 */
async function browse(url: string): Promise<void> {
  const direct = new URL(url.replace(/^(http:\/\/127\.0\.0\.1):\d+\/proxy\/(\d+)\//, "$1:$2/"));
  await fetch(direct);
}

describe("the page of MCP servers", () => {
  let vault: OAuthServer;
  let configFolder = "";
  let starts = "";
  before(async () => (vault = await OAuthServer.start({ revocation: "works" })));
  after(() => vault[Symbol.asyncDispose]());

  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      ...scriptedAgent(),
      "symposium.mcpServers": { editors: { command: process.execPath, args: [clock] } },
    },
    env: ({ root }) => {
      configFolder = join(root, "symposium");
      starts = join(root, "starts");
      mkdirSync(configFolder);
      const script = `require("fs").appendFileSync(${JSON.stringify(starts)}, "x"); import(${JSON.stringify(clock)});`;
      const failing = 'process.stderr.write("the licence has expired\\n"); process.exit(3);';
      const mcpServers = {
        clock: { command: process.execPath, args: ["-e", script] },
        broken: { command: process.execPath, args: ["-e", failing] },
        vault: { url: vault.url },
      };
      writeFileSync(join(configFolder, "config.jsonc"), `// Mine.\n${JSON.stringify({ mcpServers }, undefined, 2)}\n`);
      return { SYMPOSIUM_CONFIG_DIR: configFolder, SYMPOSIUM_SECRET_STORE: "file" };
    },
  }));

  const config = async (): Promise<Readonly<Record<string, unknown>>> => {
    const text = await readFile(join(configFolder, "config.jsonc"), "utf8");
    assert.match(text, /^\/\/ Mine\.\n/);
    return objectOf(objectOf(JSON.parse(text.replace("// Mine.\n", "")))["mcpServers"]);
  };
  const entryOf = async (name: string): Promise<Readonly<Record<string, unknown>>> => objectOf((await config())[name]);
  const countStarts = async (): Promise<number> => (await readFile(starts, "utf8").catch(() => "")).length;

  it("shows what there is before any session, and how each server is in the sessions of the window, live", async () => {
    const chat = await stage().openChat();
    const view = await McpServersPage.open(chat.window, 1);
    for (const name of ["clock", "broken", "vault", "editors"]) await view.waitFor(name, "Not running");
    assert.match(await view.server("clock").innerText(), /symposium[/\\]config\.jsonc · stdio · /);
    assert.match(await view.server("editors").innerText(), /The settings of VS Code · stdio/);
    assert.equal(await countStarts(), 0);

    // The page stays in sight beside the chat, and follows it.
    await chat.choose("Scripted");
    await chat.ask("echo hello");
    await view.waitFor("clock", "Running in 1 session");
    await view.waitFor("editors", "Running in 1 session");
    await view.waitFor("broken", /Failed .*exited with code 3.*the licence has expired/s);
    await view.waitFor("vault", "Waits for your sign-in");
    const sum = /^4 servers, 2 running, 1 waiting for a sign-in, 1 failed\./;
    await view.page.getByRole("status").filter({ hasText: sum }).waitFor();
    assert.deepEqual(await axeViolations(view.page), []);
  });

  it("restarts a server, signs in and out, switches servers and tools off and on", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    await chat.choose("Scripted");
    await chat.ask("echo hello");
    const view = await McpServersPage.open(window, 1);
    await view.waitFor("clock", "Running in 1 session");

    const before = await countStarts();
    await view.press("Restart: clock");
    assert.equal(await until(countStarts, (count) => count > before), before + 1);
    await view.waitFor("clock", "Running in 1 session");

    await view.waitFor("vault", "Waits for your sign-in");
    const opened = window.page.context().waitForEvent("page");
    await view.press("Sign In: vault");
    const signIn = await opened;
    // A page that is opened is empty at first.
    await signIn.waitForURL(/^http/, { waitUntil: "commit" });
    await browse(signIn.url());
    await view.waitFor("vault", "Running in 1 session");
    await view.press("Sign Out: vault");
    assert.equal(
      await until(
        () => vault.revoked.length,
        (count) => count === 2,
      ),
      2,
    );
    await view.page.getByRole("button", { name: "Sign Out: vault" }).waitFor({ state: "detached" });

    await view.press("Disable: clock");
    await view.waitFor("clock", "Running in 1 session; off for new sessions");
    assert.equal((await entryOf("clock"))["enabled"], false);
    await view.press("Enable: clock");
    await view.page.getByRole("button", { name: "Disable: clock" }).waitFor();
    assert.equal((await entryOf("clock"))["enabled"], undefined);

    await view.page.getByRole("button", { name: /^1 tool, \d+ bytes: clock$/ }).press("Enter");
    await view.page.getByRole("checkbox", { name: /^now / }).click();
    await view.page.getByRole("button", { name: /^0 of 1 tool/ }).waitFor();
    assert.deepEqual((await entryOf("clock"))["excludeTools"], ["now"]);
    await view.page.getByRole("checkbox", { name: /^now / }).click();
    await view.page.getByRole("button", { name: /^1 tool, \d+ bytes: clock$/ }).waitFor();
    assert.equal((await entryOf("clock"))["excludeTools"], undefined);

    await view.press("Edit: broken");
    await window.page.locator('.tab.active[data-resource-name="config.jsonc"]').waitFor();
    await window.page.locator(".statusbar-item", { hasText: /Ln \d+, Col 1/ }).waitFor();
  });

  for (const theme of ["light", "dark"] as const) {
    it(`can be read and operated in a ${theme} theme, in wide and in narrow windows`, async () => {
      const window = await stage().openWindow();
      const chat = await ChatView.open(window);
      await chat.choose("Scripted");
      await chat.ask("echo hello");
      await window.useTheme(theme);
      const view = await McpServersPage.open(window, 1);
      await view.waitFor("broken", "Failed");
      await view.page.getByRole("button", { name: /^1 tool, .*: clock$/ }).click();
      await window.screenshot(`mcp-servers-${theme}-wide`);
      assert.deepEqual(await axeViolations(view.page), []);
      await makeNarrow(window, view.page);
      await window.screenshot(`mcp-servers-${theme}-narrow`);
      const frame = await webviewFrame(view.page);
      assert.equal(await frame.evaluate("document.body.scrollWidth > document.body.clientWidth"), false);
    });
  }
});

describe("what an agent gets", () => {
  let configFolder = "";
  const stage = useVsCode(newestVsCode, () => ({
    settings: scriptedAgent(),
    env: ({ root }) => {
      configFolder = join(root, "symposium");
      mkdirSync(configFolder);
      const mcpServers = { clock: { command: process.execPath, args: [clock] } };
      writeFileSync(join(configFolder, "config.jsonc"), JSON.stringify({ mcpServers }));
      return { SYMPOSIUM_CONFIG_DIR: configFolder };
    },
  }));

  it("has a switch beside each thing, and shows what is off with the way back", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    await chat.choose("Scripted");
    await window.run("Symposium: Show What This Agent Gets");
    const line = window.page.locator(".quick-input-list .monaco-list-row", { hasText: "clock" });
    await line.hover();
    await line.getByRole("button", { name: "Switch Off" }).click();
    await line.filter({ hasText: "Off: the button switches it on again" }).waitFor();
    const read = async (): Promise<unknown> =>
      objectOf(objectOf(JSON.parse(await readFile(join(configFolder, "config.jsonc"), "utf8")))["mcpServers"])["clock"];
    assert.equal(objectOf(await read())["enabled"], false);
    await window.screenshot("context-switched-off");
    await line.hover();
    await line.getByRole("button", { name: "Switch On" }).click();
    await line.filter({ hasText: "Sent:" }).waitFor();
    assert.equal(objectOf(await read())["enabled"], undefined);
  });
});
