import assert from "node:assert/strict";
import { join } from "node:path";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { useVsCode } from "./stage.js";

const program = join(repositoryRoot, "test", "dist", "support", "programs", "delegating-agent.js");
const agent = { name: "Delegating", command: "node", args: [program], env: { PATH: pathWith() } };

describe("sub-agents in the chat view", () => {
  const stage = useVsCode(newestVsCode, {
    settings: {
      "symposium.agents": { delegating: agent },
      "symposium.currentAgentId": "delegating",
      "symposium.extensions": [],
    },
  });

  it("have cards one within the other, ask by name, and are stopped alone", async () => {
    const chat = await stage().openTab("Delegating");
    await chat.send("Mend the parser");
    const card = (title: string) => chat.page.getByRole("group", { name: new RegExp(`Sub-agent: ${title},`) });
    const [reader, tests, checks] = [card("Look into the parser"), card("Read the tests"), card("Run the slow checks")];
    await chat.permission.getByRole("button", { name: "Allow" }).waitFor();
    assert.match(await chat.permission.innerText(), /Delegating · Sub-agent: Look into the parser/);
    // What is inside is shown once it is opened.
    for (const one of [reader, tests, checks]) {
      const head = one.locator(".tool-title").first();
      await head.waitFor();
      if ((await head.getAttribute("aria-expanded")) !== "true") await head.click();
    }
    await reader.getByRole("group", { name: /Sub-agent: Read the tests/ }).waitFor();
    await tests.getByText("Leap years are not covered.").waitFor();
    await checks.getByRole("group", { name: /npm run check/ }).waitFor();
    await chat.window.screenshot("subagents");

    await checks.getByRole("button", { name: "Stop this sub-agent" }).click();
    await checks.and(chat.page.getByRole("group", { name: /, cancelled/ })).waitFor();
    assert.equal(await chat.ends.count(), 0);
    await chat.permission.getByRole("button", { name: "Allow" }).click();
    await reader.getByText("I was allowed to.").waitFor();
    await chat.answers.filter({ hasText: "Both have ended." }).waitFor();
    await chat.ends.waitFor();
    await chat.window.screenshot("subagents-ended");
  });
});
