import assert from "node:assert/strict";
import { axeViolations } from "../support/vscode/axe-violations.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { themeNames } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

type Step = (chat: ChatView) => Promise<void>;

/** The main states of the chat page with a tab, and how to reach each from a new tab. */
const states: readonly (readonly [string, Step])[] = [
  ["transcript", (chat) => chat.ask("updates\ncontent\ntool_calls\nplan\nusage")],
  [
    "permission",
    async (chat) => {
      await chat.send("permission");
      await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    },
  ],
  [
    "form",
    async (chat) => {
      await chat.send("elicitation");
      await chat.page.locator("symposium-elicitation-card").getByRole("button", { name: "Send" }).waitFor();
    },
  ],
  [
    "failure",
    async (chat) => {
      await chat.send("error -32603 The account has no credit.");
      await chat.page.locator("symposium-notice").waitFor();
    },
  ],
  [
    "queue",
    async (chat) => {
      await chat.send("echo begun\nwait_for_cancel");
      await chat.answers.filter({ hasText: "begun" }).waitFor();
      await chat.send("echo the next prompt");
      await chat.page.getByRole("region", { name: "Queued prompts" }).waitFor();
    },
  ],
];

describe("axe-core finds nothing wrong in any state of the chat page", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  for (const theme of themeNames) {
    it(`in a ${theme} theme`, async () => {
      const chat = await stage().openChat();
      await chat.window.useTheme(theme);
      const found: Record<string, readonly string[]> = {};
      const look = async (name: string) => {
        await chat.window.screenshot(`${name}-${theme}`);
        const violations = await axeViolations(chat.page);
        if (violations.length > 0) found[name] = violations;
      };
      await chat.page.getByRole("button", { name: "Scripted" }).first().waitFor();
      await look("start");
      for (const [index, [name, reach]] of states.entries()) {
        await (index === 0 ? chat.choose("Scripted") : chat.newTab());
        await reach(chat);
        await look(name);
      }
      assert.deepEqual(found, {});
    });
  }
});
