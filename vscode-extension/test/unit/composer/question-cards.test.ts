import assert from "node:assert/strict";
import type { ItemOf } from "../../../protocol/index.js";
import type {} from "../../../webview/chat/cards/elicitation-card.js";
import { ElementPage } from "./element-page.js";

describe("cards that ask", () => {
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

  const click = (name: string) => page.page.getByRole("button", { name, exact: true }).click();
  const form = (patch: Partial<ItemOf<"elicitation">> = {}): ItemOf<"elicitation"> => ({
    kind: "elicitation",
    id: "e",
    message: "How should it be released?",
    mode: "form",
    schema: {
      type: "object",
      required: ["name", "kind"],
      properties: {
        name: { type: "string", title: "Name" },
        kind: { type: "string", title: "Kind", enum: ["major", "minor"] },
        count: { type: "integer", title: "Copies", maximum: 3 },
        push: { type: "boolean", title: "Push" },
        targets: { type: "array", title: "Targets", items: { enum: ["linux", "mac"] } },
        language: { type: "string", title: "Language", enum: ["a", "b", "c", "d", "e", "f"] },
      },
    },
    ...patch,
  });
  const ask = async (item: ItemOf<"elicitation">) => {
    const card = await page.mount("symposium-elicitation-card", { tabId: "t", item });
    await page.page.locator("symposium-elicitation-card:not(:has([aria-disabled]))").waitFor();
    return card;
  };

  it("send what was filled in, with Enter too", async () => {
    await ask(form());
    await page.page.getByLabel("Minor").or(page.page.getByLabel("minor")).check();
    await page.page.getByLabel("Copies").fill("2");
    await page.page.getByLabel("Push").check();
    await page.page.getByLabel("mac").check();
    await page.page.getByLabel("Language").selectOption("c");
    await page.page.getByLabel("Name").fill("one");
    await page.page.keyboard.press("Shift+Enter");
    await page.page.keyboard.type("two");
    await page.page.keyboard.press("Enter");
    assert.deepEqual(await page.sent(), [
      {
        type: "elicitation-response",
        id: "e",
        action: "accept",
        content: { name: "one\ntwo", kind: "minor", count: 2, push: true, targets: ["mac"], language: "c" },
      },
    ]);
  });

  it("say what the extension found wrong where it is wrong and move the focus there", async () => {
    await ask(form());
    await page.page.getByLabel("Copies").fill("4");
    await click("Send");
    const wrong = { name: "An answer is required.", count: "Enter a number no greater than 3." };
    await page.set({ item: form({ problems: wrong }) });
    const problems = await page.page.locator(".control-error").allTextContents();
    const focused = await page.page.evaluate(() => {
      const described = document.activeElement?.getAttribute("aria-describedby") ?? "";
      return document.getElementById(described)?.textContent;
    });
    assert.deepEqual([problems, focused], [Object.values(wrong), wrong.name]);
  });

  it("show what the extension found wrong, and let the user send again", async () => {
    await ask(form({ schema: { properties: { name: { type: "string" } } } }));
    await page.page.getByLabel("name").fill("x");
    await click("Send");
    await page.set({
      item: form({ schema: { properties: { name: { type: "string" } } }, problems: { name: "Taken." } }),
    });
    const problem = await page.page.locator(".control-error").textContent();
    await click("Send");
    assert.deepEqual([problem, (await page.sent()).length], ["Taken.", 2]);
  });

  it("keep what was filled in when the card comes back", async () => {
    await page.page.evaluate((item) => {
      const card = document.createElement("symposium-elicitation-card");
      card.item = item;
      document.getElementById("root")?.replaceChildren(card);
    }, form());
    await page.page.getByLabel("Name").fill("kept");
    await page.page.evaluate(async (item) => {
      const old = document.querySelector("symposium-elicitation-card");
      if (!old) return;
      const card = document.createElement("symposium-elicitation-card");
      card.drafts = old.drafts;
      card.item = item;
      old.replaceWith(card);
      await card.updateComplete;
    }, form());
    assert.equal(await page.page.getByLabel("Name").inputValue(), "kept");
  });

  it("can be declined and cancelled without an answer", async () => {
    await ask(form());
    await click("Decline");
    await ask(form({ id: "f" }));
    await click("Cancel");
    assert.deepEqual(await page.sent(), [{ type: "elicitation-response", id: "f", action: "cancel" }]);
  });

  it("open an address only on an explicit click that names its host", async () => {
    await ask(form({ mode: "url", url: "https://example.com/authorize?x=1" }));
    await click("Open example.com");
    assert.deepEqual(await page.sent(), [
      { type: "open-link", url: "https://example.com/authorize?x=1" },
      { type: "elicitation-response", id: "e", action: "accept" },
    ]);
  });

  it("are one line when they are answered", async () => {
    await ask(form({ answer: { action: "accept", summary: "minor, 2 copies" } }));
    assert.deepEqual(
      [await page.page.getByRole("button").count(), await page.page.getByText("minor, 2 copies").count()],
      [0, 1],
    );
  });

  it("leave the focus in their place when they are answered with a button", async () => {
    await ask(form());
    await page.page.getByRole("button", { name: "Decline" }).press("Enter");
    await page.set({ item: form({ answer: { action: "decline", summary: "Declined" } }) });
    assert.equal(await page.page.evaluate(() => document.activeElement?.classList.contains("answered")), true);
  });

  it("have no accessibility violations", async () => {
    await ask(form());
    await click("Send");
    await page.page.mouse.move(0, 0);
    for (const theme of ["light", "high-contrast", "dark"] as const) {
      await page.useTheme(theme);
      assert.deepEqual(await page.violations(), [], theme);
    }
  });

  describe("for the account", () => {
    const signIn = (state: ItemOf<"authentication">["state"], methods = true) =>
      page.mount("symposium-authentication-card", {
        tabId: "t",
        item: {
          kind: "authentication",
          id: "a",
          agentName: "Codex",
          reason: "No account yet.",
          state,
          methods: methods
            ? [
                { id: "key", name: "API key", description: "Reads OPENAI_API_KEY.", isTerminal: false },
                { id: "login", name: "Log in", isTerminal: true },
              ]
            : [],
        },
      });

    it("offer every method and say which opens a terminal", async () => {
      await signIn("waiting");
      await click("Log in");
      const notes = await page.page.locator(".control-note").allTextContents();
      assert.deepEqual(
        notes.map((note) => note.trim()),
        ["Reads OPENAI_API_KEY.", "Opens a terminal."],
      );
      assert.deepEqual(await page.sent(), [{ type: "authenticate", tabId: "t", id: "a", methodId: "login" }]);
    });

    it("offer nothing once nobody waits for them, and say what to do", async () => {
      await signIn("over");
      assert.deepEqual(await page.page.getByRole("button").allInnerTexts(), ["Continue with…"]);
      assert.equal(await page.page.getByText("This request has ended.").count(), 1);
      assert.equal(await page.page.getByText("Sign-in failed.").count(), 0);
    });

    it("wait while one runs, offer another try when it failed, and end as one line", async () => {
      await signIn("running");
      const isBlocked = await page.page.getByRole("button", { name: "API key" }).isDisabled();
      await signIn("failed");
      const failed = await page.page.getByRole("status").textContent();
      await signIn("done");
      const done = await page.page.locator(".card").textContent();
      assert.deepEqual(
        [isBlocked, failed?.trim(), done?.trim()],
        [true, "Sign-in failed. Try again, or choose another method.", "Signed in to Codex."],
      );
    });

    it("name the way out when the agent offers no method", async () => {
      await signIn("waiting", false);
      assert.equal(await page.page.getByText("Sign in with its own command").count(), 1);
    });

    it("have no accessibility violations", async () => {
      await signIn("failed");
      assert.deepEqual(await page.violations(), []);
    });
  });
});
