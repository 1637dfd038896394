import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Draft, Item } from "../../../protocol/index.js";
import { permission } from "../composer/samples.js";
import { useChatPages } from "./chat-pages.js";
import { answer, changes, gallery, opened, turns } from "./samples.js";

describe("the chat page", () => {
  const pages = useChatPages();

  it("says that it is ready and what it has seen", async () => {
    const chat = await pages.open();
    assert.deepEqual(await chat.sent("webview-ready"), [{ type: "webview-ready", lastSeen: {} }]);
  });

  it("says that the user is in it where it is loaded with the focus, which causes no event", async () => {
    const chat = await pages.open();
    const [first] = await chat.page.evaluate(() => globalThis.stub.sent);
    assert.deepEqual(first, { type: "page-focused" });
  });

  it("logs a message it cannot read, and goes on", async () => {
    const chat = await pages.show([answer("a")]);
    await chat.page.evaluate(() => window.postMessage({ type: "changes", tabId: 4 }, "*"));
    await chat.tell(changes(1, { op: "append", id: "a", text: "Still here." }));
    assert.equal((await chat.sent("log")).length, 1);
    assert.equal(await chat.page.locator(".markdown").innerText(), "Still here.");
  });

  it("asks for a tab again when changes are missing", async () => {
    const chat = await pages.show([answer("a")], { index: 2 });
    await chat.tell(changes(9, { op: "append", id: "a", text: "?" }));
    assert.deepEqual((await chat.sent("webview-ready")).at(-1), { type: "webview-ready", lastSeen: { t1: 2 } });
  });

  it("forgets what another window has left", async () => {
    const chat = await pages.open({ state: { sessionId: "window-0", drafts: {}, isFocused: true, places: {} } });
    assert.deepEqual(await chat.state(), {
      sessionId: "window-1",
      drafts: {},
      isFocused: false,
      places: {},
      cards: {},
    });
  });

  it("has what was half filled in on cards when it comes back, also after a reload, but no secrets", async () => {
    const schema = {
      properties: {
        name: { type: "string", title: "Name" },
        key: { type: "string", title: "Key", format: "password" },
      },
    };
    const form = { kind: "elicitation", id: "e1", message: "Who?", mode: "form", schema } as const;
    const first = await pages.show([form]);
    await first.page.getByLabel("Name").fill("half a na");
    await first.page.getByLabel("Key").fill("secret");
    const state = await first.state();
    assert.ok(!JSON.stringify(state).includes("secret"));
    const second = await pages.show([form], {}, { state: { ...Object(state), sessionId: "window-0" } });
    assert.deepEqual(
      [await second.page.getByLabel("Name").inputValue(), await second.page.getByLabel("Key").inputValue()],
      ["half a na", ""],
    );
    await second.tell(changes(1, { op: "put", item: { ...form, answer: { action: "cancel", summary: "Cancelled" } } }));
    assert.deepEqual(Reflect.get(Object(await second.state()), "cards"), {});
  });

  it("has room for the conversation and all of the composer in a low window, as at 200 % zoom", async () => {
    const choices = ["One", "Two"].map((name) => ({ value: name, name }));
    const pickers = ["mode", "model", "thought_level"].map((category) => {
      return { id: category, name: `Choice of ${category}`, category, value: "One", choices };
    });
    const files = ["a", "b", "c"].map((name) => {
      return { uri: `file:///w/${name}.ts`, label: `${name}.ts`, added: 1, removed: 0, state: "modified" as const };
    });
    const state = { options: [...pickers, { id: "fast", name: "Fast", value: false }], changedFiles: files };
    const chat = await pages.show(turns(6), { state }, { width: 220, height: 260 });
    const places = await chat.page.evaluate(() => {
      const place = (selector: string): DOMRect | undefined =>
        document.querySelector(selector)?.getBoundingClientRect();
      return {
        transcript: place(".transcript-scroller")?.height ?? 0,
        sendBottom: place(".composer-send")?.bottom ?? Infinity,
        buttons: document.querySelectorAll(".picker, .more-button").length,
      };
    });
    assert.ok(places.transcript >= 80, `the conversation is ${places.transcript} px high`);
    assert.ok(places.sendBottom <= 260, `the composer ends at ${places.sendBottom} px`);
    await chat.page.getByRole("button", { name: "Agent options" }).click();
    await chat.page.getByLabel("Choice of model").selectOption("Two");
    const sent = await chat.sent("set-option");
    assert.deepEqual(sent, [{ type: "set-option", tabId: "t1", optionId: "model", value: "Two" }]);
  });

  it("shows what a permission is asked for, the file and the answers at once, however long the change is", async () => {
    const lines = (word: string): string => Array.from({ length: 200 }, (_, at) => `${word} ${at}\n`).join("");
    const patch = `@@ -1,200 +1,200 @@\n${lines("-old")}${lines("+new")}`;
    const diff = {
      type: "diff",
      path: "/w/a.ts",
      patch,
      added: 200,
      removed: 200,
      isNewFile: false,
      isCut: false,
    } as const;
    const content = [diff];
    const command = lines("echo");
    const chat = await pages.show([...turns(3), permission({ content, command })], {}, { width: 300, height: 520 });
    const places = await chat.page.evaluate(() => {
      const view = document.querySelector(".transcript-scroller")?.getBoundingClientRect();
      const isInView = (element: Element | null): boolean => {
        const place = element?.getBoundingClientRect();
        if (element?.matches(".card-title") && element.scrollHeight > element.clientHeight) return false;
        return view !== undefined && place !== undefined && place.top >= view.top && place.bottom <= view.bottom;
      };
      return [".card-title", ".card-request", ".card-answers"].map((part) => isInView(document.querySelector(part)));
    });
    assert.deepEqual(places, [true, true, true]);
  });

  it("repeats a draft that the extension has not got, as when the view was hidden right after the last key", async () => {
    const draft = { text: "half a thought", attachments: [] };
    const state = { sessionId: "window-1", drafts: { t1: draft }, isFocused: false, places: {} };
    const chat = await pages.show([answer("a")], {}, { state });
    assert.deepEqual(await chat.sent("draft"), [{ type: "draft", tabId: "t1", draft }]);
  });

  it("has the last words that were written right before the window was reloaded, unless they were sent", async () => {
    const draft = (text: string): Draft => ({ text, attachments: [] });
    const field = async (earlier: Draft, known: Draft): Promise<unknown> => {
      const state = { sessionId: "window-0", drafts: { t1: earlier }, isFocused: false, places: {} };
      const prompt: Item = { kind: "user", id: "u", text: "sent", attachments: [] };
      const chat = await pages.show([prompt, answer("a")], { draft: known }, { state });
      const sent = await chat.sent("draft");
      return [await chat.page.locator("symposium-prompt-field textarea").inputValue(), sent.length];
    };
    assert.deepEqual(await field(draft("half a thought"), draft("half")), ["half a thought", 1]);
    assert.deepEqual(await field(draft("old"), draft("newer")), ["newer", 0]);
    assert.deepEqual(await field(draft("sent"), draft("")), ["", 0]);
  });

  it("opens a tab at once: nothing that is written goes to the tab before", async () => {
    const chat = await pages.show([answer("a")]);
    await chat.page.getByRole("button", { name: /^New tab/ }).click();
    await chat.page.locator("main[aria-busy=true]").waitFor();
    assert.deepEqual([await chat.page.locator("textarea").count(), await chat.page.locator(".row").count()], [0, 0]);
  });

  it("passes on what was written last, and where the user is, before a tab goes into an editor", async () => {
    const chat = await pages.show([answer("a")]);
    const more = chat.page.getByRole("button", { name: "More: agents, history, settings" });
    const sent = await more.evaluate(async (button: HTMLElement) => {
      const before = globalThis.stub.sent.length;
      const field = document.querySelector("textarea");
      field?.focus();
      if (field) field.value = "half a thought";
      field?.dispatchEvent(new InputEvent("input", { bubbles: true }));
      const scrolled = new CustomEvent("symposium-scrolled", { bubbles: true });
      document.querySelector("symposium-transcript")?.dispatchEvent(scrolled);
      button.focus();
      button.click();
      await new Promise(requestAnimationFrame);
      const items = [...document.querySelectorAll<HTMLElement>("[role=menuitem]")];
      items.find(({ textContent }) => textContent.includes("Open in editor"))?.click();
      return globalThis.stub.sent.slice(before);
    });
    assert.deepEqual(sent, [
      { type: "draft", tabId: "t1", draft: { text: "half a thought", attachments: [] } },
      { type: "scrolled", tabId: "t1" },
      { type: "open-in-editor", tabId: "t1" },
    ]);
  });

  it("adds to what is written in a tab that the user has left, and stays where they are", async () => {
    const chat = await pages.show([answer("a")]);
    const [, , first] = opened([]);
    assert.ok(first?.type === "snapshot");
    // Before its own content is there.
    await chat.tell({ type: "add-text", tabId: "t2", text: "words that come back" });
    await chat.tell({ type: "tabs", tabIds: ["t1", "t2"], selected: "t1" });
    await chat.tell({ ...first, tabId: "t2", draft: { text: "a draft", attachments: [] } });
    const draft = { text: "a draft\n\nwords that come back", attachments: [] };
    const shown = await chat.page.locator("symposium-prompt-field textarea").inputValue();
    assert.deepEqual([await chat.sent("draft"), shown], [[{ type: "draft", tabId: "t2", draft }], ""]);
  });

  it("remembers that tool calls are hidden", async () => {
    const { items, terminals } = gallery(Date.now());
    const chat = await pages.show(items, { terminals });
    await chat.page.getByRole("button", { name: "Hide tool calls" }).click();
    await chat.drawn();
    assert.equal(await chat.page.locator("symposium-tool").count(), 0);
    assert.equal(Reflect.get(Object((await chat.state()) ?? {}), "isFocused"), true);
  });

  it("says whom to ask, and how, before the first prompt", async () => {
    const chat = await pages.show([], { folders: ["symposium"] });
    const text = await chat.page.locator(".empty").innerText();
    assert.match(text, /Ask Eliza\s+Working folder: symposium\s+@\s*Add files/u);
  });

  const places: readonly (readonly [string, readonly string[], string | undefined, string])[] = [
    ["no folder", [], undefined, "Working folder: your home folder, because no folder is open"],
    ["all folders of the window", ["client", "server"], undefined, "Working folders: client, server"],
    ["the one that is the tab's own", ["client", "server"], "client-worktree", "Working folder: client-worktree"],
  ];
  for (const [what, folders, folder, said] of places) {
    it(`says that an agent works in ${what}`, async () => {
      const chat = await pages.show([], { folders: [...folders], ...(folder !== undefined && { state: { folder } }) });
      assert.equal(await chat.page.locator(".empty > .quiet").innerText(), said);
    });
  }

  it("takes what is dropped anywhere for the prompt", async () => {
    const chat = await pages.show([answer("a", "Here")]);
    await chat.page.locator(".markdown").evaluate((target) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", "file:///w/src/a.ts");
      target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
    assert.deepEqual(await chat.sent("drop-uris"), [{ type: "drop-uris", tabId: "t1", uris: ["file:///w/src/a.ts"] }]);
  });

  it("offers what can be done about a prompt", async () => {
    const actions = [{ id: "restore-checkpoint", label: "Restore files" }];
    const chat = await pages.show([{ kind: "user", id: "u", text: "Fix it", attachments: [], actions }]);
    await chat.page.getByRole("button", { name: "Restore files" }).click();
    await chat.page.getByRole("button", { name: "Copy prompt" }).click();
    assert.deepEqual(
      [await chat.sent("action"), await chat.sent("copy")],
      [
        [{ type: "action", tabId: "t1", itemId: "u", actionId: "restore-checkpoint" }],
        [{ type: "copy", text: "Fix it" }],
      ],
    );
  });

  it("disables the button of a notice that was pressed until the extension answers", async () => {
    const notice = gallery(0).items.find(({ id }) => id === "n2") ?? assert.fail();
    const chat = await pages.show([notice]);
    await chat.page.getByRole("button", { name: "Restart" }).click();
    assert.deepEqual(await chat.sent("action"), [{ type: "action", tabId: "t1", itemId: "n2", actionId: "restart" }]);
    assert.equal(await chat.page.getByRole("button", { name: "Restart" }).isDisabled(), true);
    await chat.tell(changes(1, { op: "put", item: { ...notice } }));
    assert.equal(await chat.page.getByRole("button", { name: "Restart" }).isDisabled(), false);
  });

  it("has changed files kept and undone one by one or all together", async () => {
    const file = { uri: "file:///w/a.ts", label: "a.ts", added: 1, removed: 0, state: "created" } as const;
    const chat = await pages.show([answer("a")], { state: { changedFiles: [file] } });
    await chat.page.getByRole("button", { name: "1 file changed" }).click();
    await chat.page.getByRole("button", { name: "Undo a.ts" }).click();
    await chat.page.getByRole("button", { name: "Keep", exact: true }).click();
    assert.deepEqual(await chat.sent("review"), [
      { type: "review", tabId: "t1", action: "undo", uri: "file:///w/a.ts" },
      { type: "review", tabId: "t1", action: "keep" },
    ]);
  });

  it("undoes no file that takes the place of another under the mouse", async () => {
    const file = (name: string) =>
      ({ uri: `file:///w/${name}`, label: name, added: 1, removed: 0, state: "modified" }) as const;
    const chat = await pages.show([answer("a")], { state: { changedFiles: [file("a.ts"), file("b.ts")] } });
    await chat.page.getByRole("button", { name: "2 files changed" }).click();
    await chat.page.getByRole("button", { name: "Undo a.ts" }).hover();
    await chat.page.mouse.down();
    await chat.tell(changes(1, { op: "tab", patch: { changedFiles: [file("b.ts"), file("c.ts")] } }));
    await chat.page.mouse.up();
    assert.deepEqual(await chat.sent("review"), []);
  });

  it("is no more than 250 KB of compressed script", () => {
    const script = pages.files.get("chat.js") ?? assert.fail();
    assert.ok(gzipSync(script).length <= 250_000);
  });
});
