import assert from "node:assert/strict";
import { summaryText } from "../../../webview/chat/transcript/rows.js";
import { useChatPages } from "./chat-pages.js";
import { changes, gallery } from "./samples.js";

describe("a tool call in the chat page", () => {
  const pages = useChatPages();

  const { items, terminals } = gallery(1_000_000);

  it("shows its diff, files and output, each of which opens", async () => {
    const chat = await pages.show(items, { terminals }, { height: 2_200 });
    const edit = chat.page.getByRole("group", { name: "Edit: Edit src/login.ts, done" });
    await edit.getByRole("button", { name: "Open diff of login.ts" }).click();
    await chat.page.getByRole("button", { name: "src/a.ts:4" }).click();
    const run = chat.page.getByRole("group", { name: "Run: npm test -- --fast, running" });
    await run.getByRole("button", { name: "Open full log" }).click();
    await run.getByRole("button", { name: "Kill" }).click();
    assert.deepEqual(
      [
        ...(await chat.sent("open-diff")),
        ...(await chat.sent("open-location")),
        ...(await chat.sent("open-full")),
        ...(await chat.sent("kill-terminal")),
      ],
      [
        { type: "open-diff", tabId: "t1", toolCallId: "edit", path: "/w/src/login.ts" },
        { type: "open-location", path: "/w/src/a.ts", line: 4 },
        { type: "open-full", tabId: "t1", itemId: "run", what: "term1" },
        { type: "kill-terminal", tabId: "t1", terminalId: "term1" },
      ],
    );
  });

  it("is folded until the user asks, and then as the user left it", async () => {
    const chat = await pages.show(items, { terminals }, { height: 2_200 });
    const read = chat.page.locator('[data-key="read"]');
    assert.equal(await read.locator(".tool-body").count(), 0);
    await read.locator(".tool-title").click();
    await chat.tell(changes(1, { op: "append", id: "a1", text: "." }));
    assert.equal(await read.locator(".tool-body").count(), 1);
  });

  it("shows the steps of its sub-agent inside", async () => {
    const chat = await pages.show(items, { terminals }, { height: 2_200 });
    assert.equal(
      await chat.page.locator('[data-key="sub"] symposium-tool symposium-tool .tool-name').innerText(),
      "Fetch example.com",
    );
  });

  it("stops a sub-agent that can be stopped alone", async () => {
    const sub = items.find(({ id }) => id === "sub") ?? assert.fail();
    if (sub.kind !== "tool") assert.fail();
    const chat = await pages.show([sub, { ...sub, id: "subagent:child", canStop: true }]);
    await chat.page.getByRole("button", { name: "Stop this sub-agent" }).click();
    assert.deepEqual(await chat.sent("action"), [
      { type: "action", tabId: "t1", itemId: "subagent:child", actionId: "stop-subagent" },
    ]);
  });

  it("shows a diff in the colours of its language, with the lines that it has in its file where they are known", async () => {
    const edit = items.find(({ id }) => id === "edit") ?? assert.fail();
    if (edit.kind !== "tool") assert.fail();
    const patch = "@@ -1,2 +1,2 @@\n a();\n-let b = 1;\n+const b = 1;\n";
    const content = {
      type: "diff",
      path: "/w/a.ts",
      patch,
      added: 1,
      removed: 1,
      isNewFile: false,
      isCut: false,
    } as const;
    const chat = await pages.show([
      { ...edit, content: [{ ...content, startsAt: 1_200 }] },
      { ...edit, id: "unknown", content: [content] },
    ]);
    const numbers = (id: string): Promise<string[]> =>
      chat.page.locator(`[data-key="${id}"] .diff-number`).allTextContents();
    assert.deepEqual(
      [
        await numbers("edit"),
        await numbers("unknown"),
        await chat.page.locator('[data-key="unknown"] .hljs-keyword').allTextContents(),
      ],
      [["1200", "1201", "1201"], [], ["let", "const"]],
    );
    await chat.page.locator('[data-key="edit"] .diff-path').click();
    await chat.page.locator('[data-key="unknown"] .diff-path').click();
    assert.deepEqual(await chat.sent("open-location"), [
      { type: "open-location", path: "/w/a.ts", line: 1_201 },
      { type: "open-location", path: "/w/a.ts" },
    ]);
  });

  it("writes out what is hidden in a diff", async () => {
    const edit = items.find(({ id }) => id === "edit") ?? assert.fail();
    if (edit.kind !== "tool") assert.fail();
    const patch = "@@ -1 +1 @@\n-if (isAdmin) {\n+if (isAdmin\u202e) {\n";
    const counts = { added: 1, removed: 1, isNewFile: false, isCut: false };
    const content = { type: "diff", path: "/w/a\u200b.ts", patch, ...counts } as const;
    const chat = await pages.show([{ ...edit, content: [content] }]);
    assert.deepEqual(
      [
        await chat.page.locator(".diff-path").innerText(),
        await chat.page.locator(".is-added .diff-text").textContent(),
      ],
      ["a‹U+200B›.ts", "added: if (isAdmin‹U+202E›) {"],
    );
  });

  it("has no tick where its command did not end with 0, which the line of a folded turn counts too", async () => {
    const run = items.find(({ id }) => id === "run") ?? assert.fail();
    if (run.kind !== "tool") assert.fail();
    const call = (id: string, exit?: { code: number | null; signal: string | null }) => ({
      ...run,
      id,
      title: id,
      status: "completed" as const,
      content: [],
      ...(exit ? { exit } : {}),
    });
    const calls = [
      call("told", { code: 1, signal: null }),
      call("fine", { code: 0, signal: null }),
      call("killed", { code: null, signal: "SIGTERM" }),
      call("silent"),
    ];
    const chat = await pages.show(calls, { terminals: [] });
    const shown = await chat.page
      .locator(".tool")
      .evaluateAll((all) =>
        all.map((tool) => [
          tool.getAttribute("aria-label"),
          tool.querySelector(".tool-state .codicon")?.className.replace(/codicon(-modifier-\S+)?\s|\s+/gu, ""),
          tool.querySelector(".tool-exit")?.textContent.trim() ?? "",
        ]),
      );
    assert.deepEqual(shown, [
      ["Run: told, exit code 1", "codicon-error", "exit code 1"],
      ["Run: fine, done", "codicon-check", ""],
      ["Run: killed, ended by SIGTERM", "codicon-error", "ended by SIGTERM"],
      ["Run: silent, done", "codicon-check", ""],
    ]);
    assert.equal(summaryText({ tools: calls }), "4 steps, 2 failed");
  });

  it("shows the end of its output, as it comes", async () => {
    const run = items.find(({ id }) => id === "run") ?? assert.fail();
    const chat = await pages.show([run], { terminals: [] });
    const lines = Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`).join("");
    await chat.tell(changes(1, { op: "terminal", terminalId: "term1", text: lines }));
    await chat.tell(changes(2, { op: "terminal", terminalId: "term1", text: "last", exit: { code: 3, signal: null } }));
    const output = chat.page.locator("symposium-output");
    assert.deepEqual(
      await output.evaluate((element) => [
        element.children.length,
        element.lastElementChild?.textContent,
        Math.round(element.scrollHeight - element.scrollTop - element.clientHeight),
      ]),
      [500, "last", 0],
    );
    assert.match(await chat.page.locator(".command-foot").innerText(), /exit code 3/u);
  });
});
