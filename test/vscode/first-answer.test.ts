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
      assert.match(await chat.answers.innerText(), /tired/);
    });
  });
}
