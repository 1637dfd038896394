import assert from "node:assert/strict";
import { newestVsCode, oldestVsCode } from "../support/vscode/vscode-build.js";
import { useVsCode } from "./stage.js";

for (const build of [oldestVsCode, newestVsCode]) {
  describe(`the packaged extension in a clean VS Code ${build.version}`, () => {
    const stage = useVsCode(build);

    it("leads from the first look to an answer of Eliza", async () => {
      const chat = await stage().openChat();
      await chat.choose("Eliza");
      await chat.ask("I feel tired today.");
      assert.match((await chat.answerTexts()).join(), /tired/);
    });

    // Older ones show a walkthrough of their own where an extension's is asked for.
    if (build === newestVsCode) {
      it("explains itself in a walkthrough, from which an agent is chosen", async () => {
        const window = await stage().openWindow();
        await window.run("Symposium: Get Started");
        await window.page.getByRole("button", { name: "Choose an Agent", exact: true }).click();
        await window.page.locator(".quick-input-list .monaco-list-row", { hasText: "Eliza" }).waitFor();
        await window.screenshot("walkthrough");
      });
    }
  });
}
