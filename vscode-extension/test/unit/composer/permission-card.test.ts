import assert from "node:assert/strict";
import type { ToExtension } from "../../../protocol/index.js";
import { ElementPage } from "./element-page.js";
import { permission } from "./samples.js";

describe("the permission card", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "chat/cards/cards.css",
      "chat/cards/authentication-card.ts",
      "chat/cards/elicitation-card.ts",
      "chat/cards/permission-card.ts",
    ]);
  });

  const settled = () => page.page.locator("symposium-permission-card:not(:has([aria-disabled]))").waitFor();
  const mount = async (item = permission(), requests = ["p1"]) => {
    const card = await page.mount("symposium-permission-card", { tabId: "t", item, requests });
    await settled();
    return card;
  };
  const click = (name: string) => page.page.getByRole("button", { name, exact: true }).click();
  const press = (key: string) => page.page.keyboard.press(key);
  const answer = (optionId: string, more = {}): ToExtension => ({
    type: "approval-response",
    approvalId: "p1",
    response: { outcome: { outcome: "selected", optionId } },
    bypassAll: false,
    ...more,
  });

  it("shows the command, its folder and its files, which open", async () => {
    await mount();
    await click("package.json:3");
    const command = await page.page.getByRole("region", { name: "Command" }).textContent();
    assert.equal(command, "npm test -- --fast");
    assert.equal(await page.page.getByText("in /home/user/project").count(), 1);
    assert.deepEqual(await page.sent(), [{ type: "open-location", path: "/home/user/project/package.json", line: 3 }]);
  });

  it("writes out characters that nobody sees", async () => {
    await mount(permission({ command: "ls \u202Egnp.exe\u200B", title: "a\u2066b" }));
    assert.equal(await page.page.getByRole("region", { name: "Command" }).textContent(), "ls ‹U+202E›gnp.exe‹U+200B›");
    const title = await page.page.getByRole("heading", { level: 3 }).textContent();
    assert.equal(title?.trim(), "Claude Code asks: a‹U+2066›b");
  });

  it("leaves emoji and ordinary white space alone", async () => {
    await mount(permission({ command: "echo '⚠️ ä'\n\tls" }));
    assert.equal(await page.page.getByRole("region", { name: "Command" }).textContent(), "echo '⚠️ ä'\n\tls");
  });

  it("has a button for every option of the agent, and answers once", async () => {
    await mount();
    const names = await page.page.locator(".card-answer-name").allTextContents();
    await page.page.getByRole("button", { name: "Always allow" }).dblclick();
    assert.deepEqual(names, ["Allow", "Always allow", "Reject"]);
    assert.deepEqual(await page.sent(), [answer("always")]);
  });

  it("makes the option stand out that allows once, wherever the agent lists it", async () => {
    const options = [
      { optionId: "always", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "No", kind: "reject_once" },
      { optionId: "once", name: "Once", kind: "allow_once" },
    ];
    await mount(permission({ options }));
    const prominent = page.page.locator(".card-answer:not(.secondary) > .card-answer-name");
    assert.deepEqual(await prominent.allTextContents(), ["Once"]);
  });

  it("leaves the focus in its place when it is answered with a button", async () => {
    await mount();
    await page.page.getByRole("button", { name: "Allow this time only", exact: true }).press("Enter");
    await page.set({ item: permission({ answer: { optionId: "once", label: "Allowed" } }) });
    assert.equal(await page.page.evaluate(() => document.activeElement?.tagName), "SUMMARY");
  });

  it("answers with the digit of an option while it has the focus", async () => {
    await mount();
    await page.page.locator(".card").focus();
    await press("9");
    await press("3");
    assert.deepEqual(await page.sent(), [answer("no")]);
  });

  it("says in one row of answers what each remembers, and who", async () => {
    await mount();
    const answers = page.page.getByRole("group", { name: "Answers" }).getByRole("button");
    assert.deepEqual(
      (await answers.allInnerTexts()).map((text) => text.trim().split(/\s*\n\s*/u)),
      [
        ["Allow", "1", "this time only"],
        ["Always allow", "2", "Claude Code remembers it"],
        ["Reject", "3", "this time only"],
        ["Remember in Symposium"],
      ],
    );
  });

  it("says nothing of who remembers an answer where the answers say that", async () => {
    await mount(permission({ hasOwnAnswers: true }));
    const answers = page.page.getByRole("group", { name: "Answers" }).locator(".card-answer");
    const texts = (await answers.allInnerTexts()).map((text) => text.trim().split(/\s*\n\s*/u));
    assert.deepEqual(texts, [
      ["Allow", "1"],
      ["Always allow", "2"],
      ["Reject", "3"],
    ]);
  });

  it("offers neither a bypass nor a comment on Symposium's own questions", async () => {
    await mount(permission({ agentName: "Symposium", hasOwnAnswers: true }));
    assert.equal(await page.page.locator(".card-links").getByRole("button").count(), 0);
  });

  it("remembers the answer for as long as the user says, chosen with the keyboard", async () => {
    await mount(permission({ canLast: true }));
    await page.page.getByRole("button", { name: "Remember in Symposium" }).press("ArrowDown");
    const list = page.page.getByRole("listbox", { name: "Remember in Symposium" });
    const texts = await list.getByRole("option").allInnerTexts();
    const about = await list.getByRole("group").getAttribute("aria-label");
    await press("End");
    await press("ArrowUp");
    await press("Enter");
    assert.deepEqual(
      [about, texts.map((text) => text.trim())],
      ["run npm test", ["Allow in this session", "Allow in this workspace", "Allow always", "Reject in this session"]],
    );
    assert.deepEqual(await page.sent(), [answer("once", { remember: "always" })]);
  });

  it("remembers for the session alone what no rule can say", async () => {
    await mount();
    await page.page.getByRole("button", { name: "Remember in Symposium" }).click();
    const texts = await page.page.getByRole("option").allInnerTexts();
    assert.deepEqual(
      texts.map((text) => text.trim()),
      ["Allow in this session", "Reject in this session"],
    );
  });

  it("leaves the list of what is remembered with Escape, and offers none where nothing can be", async () => {
    await mount();
    const remember = page.page.getByRole("button", { name: "Remember in Symposium" });
    await remember.press("Enter");
    await press("3");
    await press("Escape");
    assert.equal(await remember.evaluate((button) => button === document.activeElement), true);
    assert.deepEqual(await page.sent(), []);
    const { ruleLabel: _ruleLabel, ...item } = permission();
    await mount(item);
    assert.equal(await remember.count(), 0);
  });

  it("keeps its answers inside of a narrow panel", async () => {
    const long = "Yes, and don't ask again for npm run build:production commands in /home/user/project";
    const options = permission().options.map((option) =>
      option.optionId === "always" ? { ...option, name: long } : option,
    );
    await page.page.setViewportSize({ width: 240, height: 640 });
    await mount(permission({ options, ruleLabel: `run exactly ${"very-long-word".repeat(8)} in /home/user/project` }));
    await page.page.getByRole("button", { name: "Remember in Symposium" }).press("Enter");
    const widest = await page.page
      .locator(".card, .card *")
      .evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
    await page.page.setViewportSize({ width: 380, height: 640 });
    assert.ok(widest <= 240, `something ends at ${widest}`);
  });

  it("rejects with a comment; digits are text there", async () => {
    await mount();
    await click("Reject with a comment…");
    await page.page.keyboard.type("use 2 spaces");
    await press("Enter");
    assert.deepEqual(await page.sent(), [answer("no", { comment: "use 2 spaces" })]);
  });

  it("goes back from the comment with Escape and keeps what was written", async () => {
    await mount();
    await click("Reject with a comment…");
    await page.page.keyboard.type("half");
    await press("Escape");
    await click("Reject with a comment…");
    assert.equal(await page.page.getByRole("textbox").inputValue(), "half");
    assert.deepEqual(await page.sent(), []);
  });

  it("bypasses permissions only after a second, explicit click", async () => {
    await mount();
    await click("Bypass permissions…");
    const before = await page.sent();
    await click("Never ask for Claude Code again");
    assert.deepEqual([before, await page.sent()], [[], [answer("once", { bypassAll: true })]]);
  });

  it("offers no bypass to an agent that offers no way to allow", async () => {
    await mount(permission({ options: [{ optionId: "no", name: "Reject", kind: "reject_once" }] }));
    assert.equal(await page.page.getByRole("button", { name: "Bypass permissions…" }).count(), 0);
  });

  it("cancels a request without options", async () => {
    await mount(permission({ options: [] }));
    await click("Dismiss");
    assert.deepEqual(await page.sent(), [
      {
        type: "approval-response",
        approvalId: "p1",
        response: { outcome: { outcome: "cancelled" } },
        bypassAll: false,
      },
    ]);
  });

  it("answers all that wait together, and only offers it when there are several", async () => {
    await mount();
    const alone = await page.page.getByRole("button", { name: "Allow all" }).count();
    await mount(permission(), ["p0", "p1", "p2"]);
    await click("Allow all 3");
    await click("Reject all 3");
    assert.equal(alone, 0);
    assert.deepEqual(await page.sent(), [
      { type: "approve-all", tabId: "t", approvalIds: ["p0", "p1", "p2"], answer: "allow" },
      { type: "approve-all", tabId: "t", approvalIds: ["p0", "p1", "p2"], answer: "reject" },
    ]);
  });

  /** Changes the card, clicks its first answer and presses its key before any time can pass; when that was, in ms. */
  const pressAtOnce = (properties: object) =>
    page.page.evaluate(async (properties) => {
      const card = Object.assign(document.querySelector("symposium-permission-card") ?? {}, properties);
      await Reflect.get(card, "updateComplete");
      const allow = document.querySelector<HTMLElement>(".card-answer");
      allow?.focus();
      allow?.click();
      allow?.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
      return performance.now();
    }, properties);

  it("takes no click or key that was meant for what stood in its place a moment before", async () => {
    await mount(permission({ id: "p0" }), ["p0", "p1"]);
    await pressAtOnce({ item: permission() });
    await settled();
    const changedAt = await pressAtOnce({ requests: ["p1"] });
    const allow = page.page.getByRole("button", { name: "Allow this time only", exact: true });
    assert.deepEqual(await page.sent(), []);
    assert.equal(await allow.evaluate((element) => element === document.activeElement), true);
    await settled();
    assert.ok((await page.page.evaluate(() => performance.now())) - changedAt > 400, "it takes answers at once");
    await allow.press("1");
    assert.deepEqual(await page.sent(), [answer("once")]);
  });

  it("is not told to bypass permissions by the second click on the way to the warning", async () => {
    await mount();
    const pressed = await page.page.evaluate(async () => {
      const card = document.querySelector("symposium-permission-card");
      const texts = ["Bypass permissions…", "Never ask for Claude Code again"];
      const pressed: boolean[] = [];
      for (const text of texts) {
        const button = [...(card?.querySelectorAll("button") ?? [])].find((one) => one.textContent.trim() === text);
        button?.click();
        pressed.push(button !== undefined);
        await Reflect.get(card ?? {}, "updateComplete");
      }
      return pressed;
    });
    assert.deepEqual([pressed, await page.sent()], [[true, true], []]);
  });

  it("shows a comment that was begun when it comes back", async () => {
    await mount();
    await click("Reject with a comment…");
    await page.page.keyboard.type("not in th");
    await page.page.evaluate(() => {
      const card = document.querySelector("symposium-permission-card");
      const { tabId, item, requests, drafts } = Object(card) as Record<string, unknown>;
      card?.replaceWith(
        Object.assign(document.createElement("symposium-permission-card"), { tabId, item, requests, drafts }),
      );
    });
    assert.equal(await page.page.getByRole("textbox").inputValue(), "not in th");
  });

  it("is one line when it is answered, which opens", async () => {
    await mount(permission({ answer: { optionId: "no", label: "Rejected", comment: "not now" } }));
    const summary = await page.page.locator("summary").first().textContent();
    const closed = await page.page.getByRole("region", { name: "Command" }).isVisible();
    await page.page.locator("summary").first().click();
    assert.deepEqual(summary?.trim().split(/\s{2,}/u), ["Run the tests", "Rejected"]);
    assert.deepEqual([closed, await page.page.getByText("not now").isVisible()], [false, true]);
    assert.equal(await page.page.getByRole("button", { name: "Allow" }).count(), 0);
  });

  it("has no accessibility violations in any theme, whichever side it shows", async () => {
    const patch = "@@ -1 +1 @@\n-a\n+b";
    const diff = { type: "diff", path: "/a.ts", patch, added: 1, removed: 1, isNewFile: false, isCut: true } as const;
    await mount(permission({ warnings: ["Outside of the workspace."], content: [diff], input: "{}" }), ["p0", "p1"]);
    for (const name of ["", "Bypass permissions…", "Back", "Reject with a comment…"]) {
      if (name !== "") await click(name);
      await page.page.mouse.move(0, 0);
      for (const theme of ["light", "high-contrast", "high-contrast-light", "dark"] as const) {
        await page.useTheme(theme);
        assert.deepEqual(await page.violations(), [], `${theme} ${name}`);
      }
    }
  });
});
