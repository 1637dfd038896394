import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorProgram } from "../support/conductor-command.js";
import { needsSandbox } from "../support/needs-sandbox.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { axeViolations } from "../support/vscode/axe-violations.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { useVsCode } from "./stage.js";

const program = join(repositoryRoot, "test", "dist", "support", "programs", "fetching-agent.js");

/** The command, for which there is something to offer once: also to root, and for an agent that nobody has tried. */
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

describe("the offer of the sandbox", () => {
  /** Undefined where no sandbox starts. */
  let folder: RunFolder | undefined;
  let command = "";
  let configFolder = "";
  before(async function () {
    needsSandbox(this);
    folder = await createRunFolder("sandbox-offer");
    command = join(folder.root, "command.mjs");
    await writeFile(command, offering(join(folder.root, "offered")));
  });
  const stage = useVsCode(newestVsCode, () => ({
    settings: {
      "symposium.agents": { fetcher: { name: "Fetcher", command: "node", args: [program], env: { PATH: pathWith() } } },
      "symposium.currentAgentId": "fetcher",
      "symposium.extensions": [],
      "symposium.acpAgentPath": command,
    },
    env: ({ root }) => {
      configFolder = join(root, "symposium");
      mkdirSync(configFolder, { recursive: true });
      return { SYMPOSIUM_CONFIG_DIR: configFolder };
    },
  }));
  after(() => folder?.[Symbol.asyncDispose]());

  it("is a card below the first answer, whose button has the agent run in a sandbox after its restart", async () => {
    const window = await stage().openWindow();
    const chat = await ChatView.open(window);
    await chat.choose("Fetcher");
    await chat.send("no address");
    await chat.page.locator(".notice-title", { hasText: "Fetcher could run in a sandbox" }).waitFor();
    await window.screenshot("sandbox-offer");
    assert.deepEqual(await axeViolations(chat.page), []);
    await chat.page.getByRole("button", { name: "What is it?" }).click();
    const page = window.webview("symposium-dev.symposium", 1);
    await page.getByText("Fetcher is held to your rules. It and its programs run as you do").waitFor();

    await chat.page.getByRole("button", { name: "Use the sandbox" }).click();
    await chat.page.locator(".notice-title", { hasText: "Fetcher runs in a sandbox from its next start on" }).waitFor();
    await chat.page.getByRole("button", { name: "Restart agent" }).waitFor();
    await page.getByText("Fetcher and all that works for it run in a sandbox.").waitFor();
    await window.screenshot("sandbox-offer-taken");
    assert.match(await readFile(join(configFolder, "guard.jsonc"), "utf8"), /"Fetcher": "sandbox"/);
    await chat.page.getByRole("button", { name: "Restart agent" }).click();
    await chat.send("http://refused.example.test/");
    // What the sandbox asks about, nobody asks about without it.
    await chat.permission.getByRole("button", { name: /^No\b/ }).click();
    await chat.answers.filter({ hasText: "refused.example.test/ was 403" }).waitFor();
    assert.equal(await chat.page.locator(".notice-title", { hasText: "could run in a sandbox" }).count(), 0);
  });
});
