import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { needsSandbox } from "../support/needs-sandbox.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { until } from "../support/until.js";
import { axeViolations } from "../support/vscode/axe-violations.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { makeNarrow, webviewFrame } from "../support/vscode/webview-frame.js";
import { useVsCode } from "./stage.js";

const program = join(repositoryRoot, "test", "dist", "support", "programs", "fetching-agent.js");
const ownRules = '{\n  // Mine.\n  "rules": [{ "effect": "deny", "command": "git push", "reason": "CI pushes." }]\n}\n';

class GuardView {
  private constructor(
    readonly window: VsCodeWindow,
    readonly page: FrameLocator,
  ) {}

  /** `others` are the web views of ours that are open already. */
  static async open(window: VsCodeWindow, others: number): Promise<GuardView> {
    await window.run("Symposium: Guard: What Agents May Do");
    const view = new GuardView(window, window.webview("symposium-dev.symposium", others));
    await view.page.getByRole("heading", { name: "Guard", exact: true }).waitFor();
    await view.page.getByRole("heading", { name: "Fetcher" }).waitFor();
    return view;
  }

  get agent(): Locator {
    return this.page.locator(".guard-agent", { has: this.page.getByRole("heading", { name: "Fetcher" }) });
  }

  /** Asks again for what is shown: the button does nothing while that is still being done. */
  async refresh(): Promise<void> {
    await this.page.locator(".guard[aria-busy=false]").waitFor();
    await this.page.getByRole("button", { name: "Refresh" }).press("Enter");
  }
}

describe("the page Guard", () => {
  let configFolder = "";
  before(function () {
    needsSandbox(this);
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      "symposium.agents": { fetcher: { name: "Fetcher", command: "node", args: [program], env: { PATH: pathWith() } } },
      "symposium.currentAgentId": "fetcher",
      "symposium.extensions": [],
    },
    env: ({ root }) => {
      configFolder = join(root, "symposium");
      mkdirSync(configFolder, { recursive: true });
      writeFileSync(join(configFolder, "guard.jsonc"), ownRules);
      return { SYMPOSIUM_CONFIG_DIR: configFolder };
    },
  }));
  const rules = (): Promise<string> => readFile(join(configFolder, "guard.jsonc"), "utf8");
  const decisions = (): Promise<string> => readFile(join(configFolder, "guard", "log.jsonl"), "utf8").catch(() => "");

  it("says what an agent may do, puts it into a sandbox, and opens hosts from the chat and from the list", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    await chat.choose("Fetcher");
    const view = await GuardView.open(window, 1);
    await view.agent.getByText("Fetcher is held to your rules. It and its programs run as you do").waitFor();
    await view.page.getByRole("button", { name: /guard\.jsonc:3: deny command git push$/ }).waitFor();
    assert.deepEqual(await axeViolations(view.page), []);

    await view.page.getByRole("combobox", { name: "What holds Fetcher" }).selectOption("sandbox");
    await view.agent.getByText("Fetcher and all that works for it run in a sandbox.").waitFor();
    await view.agent.getByText("You are asked about every other host.").waitFor();
    const held = /\/\/ Mine\.\n[^]*"Fetcher": "sandbox"/;
    assert.match(await until(rules, (text) => held.test(text)), held);
    await window.screenshot("guard-page-sandbox");

    // No name below `.test` has an address: what is let through is answered with 502, what is not with 403.
    await chat.newTab();
    await chat.send("http://asked.example.test/");
    await chat.permission.getByRole("button", { name: "Allow in this workspace" }).waitFor();
    await window.screenshot("guard-host-question");
    await chat.permission.getByRole("button", { name: "Allow in this workspace" }).click();
    await chat.answers.filter({ hasText: "asked.example.test/ was 502" }).waitFor();
    const opened = /"host": "asked\.example\.test:80", "in": "/;
    assert.match(await until(rules, (text) => opened.test(text)), opened);

    await chat.newTab();
    await chat.send("http://refused.example.test/");
    await chat.permission.getByRole("button", { name: /^No\b/ }).click();
    await chat.answers.filter({ hasText: "refused.example.test/ was 403" }).waitFor();
    const refused = /"host refused\.example\.test:80"/;
    assert.match(await until(decisions, (text) => refused.test(text)), refused);
    await view.refresh();
    await view.page.getByRole("button", { name: "Open refused.example.test:80" }).waitFor();
    await view.page.getByRole("button", { name: /guard\.jsonc:3: allow host asked\.example\.test:80$/ }).waitFor();
    await view.page.getByRole("cell", { name: "host refused.example.test:80" }).first().waitFor();
    await window.screenshot("guard-page-refused");
    assert.deepEqual(await axeViolations(view.page), []);

    await view.page.getByRole("button", { name: "Open refused.example.test:80" }).press("Enter");
    await window.page.locator(".monaco-dialog-box").getByRole("button", { name: "Everywhere" }).click();
    await view.page.getByRole("button", { name: /guard\.jsonc:3: allow host refused\.example\.test:80$/ }).waitFor();
    await view.page.getByRole("button", { name: "Open refused.example.test:80" }).waitFor({ state: "detached" });
    await chat.newTab();
    await chat.send("http://refused.example.test/");
    await chat.answers.filter({ hasText: "refused.example.test/ was 502" }).waitFor();

    await view.page.getByRole("combobox", { name: "What holds Fetcher" }).selectOption("default");
    await view.agent.getByText("Fetcher is held to your rules.").waitFor();
    const after = await until(rules, (text) => !text.includes("sandbox"));
    assert.match(after, /\/\/ Mine\./);
    assert.doesNotMatch(after, /sandbox/);
  });

  for (const theme of ["light", "dark"] as const) {
    it(`can be read in a ${theme} theme, in wide and in narrow windows`, async () => {
      const window = await stage().openWindow();
      await (await ChatView.open(window)).choose("Fetcher");
      await window.useTheme(theme);
      const view = await GuardView.open(window, 1);
      await window.screenshot(`guard-${theme}-wide`);
      assert.deepEqual(await axeViolations(view.page), []);
      await makeNarrow(window, view.page);
      await window.screenshot(`guard-${theme}-narrow`);
      const frame = await webviewFrame(view.page);
      assert.equal(await frame.evaluate("document.body.scrollWidth > document.body.clientWidth"), false);
    });
  }
});
