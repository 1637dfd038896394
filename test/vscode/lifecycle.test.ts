import assert from "node:assert/strict";
import { until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("sessions in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  const openTab = async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    return chat;
  };

  it("have a tab each, and keep apart", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo first tab");
    await chat.newTab();
    await chat.ask("echo second tab");
    const second = await chat.answerTexts();
    await chat.previousTab();
    await chat.answers.filter({ hasText: "first tab" }).waitFor();
    assert.deepEqual({ first: await chat.answerTexts(), second }, { first: ["first tab"], second: ["second tab"] });
  });

  it("go on while the view is hidden", async () => {
    const chat = await openTab();
    await chat.send("echo before\npermission\necho after");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    await chat.answerByKey("3");
    await chat.hide();
    await chat.show();
    await chat.ends.waitFor();
    assert.match((await chat.answerTexts()).join(" "), /before.*after/s);
  });

  it("keep what was written and not sent through hiding and a reload", async () => {
    const chat = await openTab();
    await chat.ask("echo something");
    await chat.prompt.fill("half a thought");
    await chat.hide();
    await chat.show();
    const afterHiding = await until(
      () => chat.prompt.inputValue(),
      (value) => value !== "",
    );
    await chat.reload();
    const afterReload = await until(
      () => chat.prompt.inputValue(),
      (value) => value !== "",
    );
    assert.deepEqual([afterHiding, afterReload], ["half a thought", "half a thought"]);
  });

  it("come back after a reload in the middle of a turn, and can be gone on with", async () => {
    const chat = await openTab();
    await chat.send("echo before the reload\nwait_for_cancel");
    await chat.answers.filter({ hasText: "before the reload" }).waitFor();
    await chat.reload();
    await chat.answers.filter({ hasText: "before the reload" }).waitFor();
    await chat.send("echo after the reload");
    await chat.answers.filter({ hasText: "after the reload" }).waitFor();
  });

  it("say how an agent ended that died in the middle of a turn, and go on with a new one", async () => {
    const chat = await openTab();
    await chat.send("echo still here\ncrash 7");
    const notice = chat.page.locator("symposium-notice").filter({ hasText: "ended unexpectedly" });
    await notice.waitFor();
    await chat.send("echo here again");
    await chat.answers.filter({ hasText: "here again" }).waitFor();
  });

  it("go on after everything below the window was killed in the middle of a turn", async () => {
    const chat = await openTab();
    await chat.send("echo still here\nwait_for_cancel");
    await chat.answers.filter({ hasText: "still here" }).waitFor();
    await stage().code.kill(/symposium-acp-agent/);
    await chat.page.locator("symposium-notice").filter({ hasText: "ended unexpectedly" }).waitFor();
    await chat.send("echo here again");
    await chat.answers.filter({ hasText: "here again" }).waitFor();
  });

  it("stay apart in two windows", async () => {
    const [one, two] = [await openTab(), await openTab()];
    await Promise.all([one.ask("echo window one"), two.ask("echo window two")]);
    assert.deepEqual([await one.answerTexts(), await two.answerTexts()], [["window one"], ["window two"]]);
  });
});
