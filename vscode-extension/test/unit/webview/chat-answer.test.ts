import assert from "node:assert/strict";
import { useChatPages } from "./chat-pages.js";
import { answer, changes, prompt } from "./samples.js";

describe("an answer in the chat page", () => {
  const pages = useChatPages();

  it("keeps finished blocks as they are while it grows", async () => {
    const chat = await pages.show([answer("a", "First *paragraph*.\n\nSecond para")]);
    await chat.page.evaluate(() => Reflect.set(document.querySelector(".markdown-part > p") ?? {}, "mark", 1));
    await chat.tell(changes(1, { op: "append", id: "a", text: "graph.\n\nThird." }));
    const marks = await chat.page.evaluate(() =>
      [...document.querySelectorAll(".markdown-part > p")].map((block) => [
        block.textContent,
        Reflect.get(block, "mark") as unknown,
      ]),
    );
    assert.deepEqual(marks, [
      ["First paragraph.", 1],
      ["Second paragraph.", undefined],
      ["Third.", undefined],
    ]);
  });

  it("shows code that is still being written, and colours it", async () => {
    const chat = await pages.show([answer("a", "```ts\nconst a = 1;\ncon")]);
    assert.equal(await chat.page.locator(".code-block code").textContent(), "const a = 1;\ncon");
    assert.equal(await chat.page.locator(".code-block .hljs-keyword").count(), 1);
  });

  it("shows long code in full while it is written and when it is done", async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}\n`);
    const chat = await pages.show([answer("a", "```\n")]);
    for (let at = 0; at < 3_000; at += 500) {
      await chat.tell(changes(at / 500 + 1, { op: "append", id: "a", text: lines.slice(at, at + 500).join("") }));
    }
    const code = chat.page.locator(".code-block code");
    await chat.page.waitForFunction(
      (length) => document.querySelector(".code-block code")?.textContent.length === length,
      lines.join("").length,
    );
    await chat.tell(changes(7, { op: "append", id: "a", text: "```\nDone." }));
    assert.equal(await code.textContent(), lines.join(""));
  });

  it("shows all of a long one that comes at once", async () => {
    const chat = await pages.show([answer("a", `${"Some *words* and `code`. ".repeat(10)}\n\n`.repeat(800))]);
    await chat.page.waitForFunction(() => document.querySelectorAll(".markdown-part > p").length === 800);
  });

  it("is there in order, to its end, when it is long", async () => {
    const paragraphs = Array.from({ length: 2_000 }, (_, at) => `Paragraph ${at}. ${"More words. ".repeat(20)}`);
    const chat = await pages.show([answer("a", paragraphs.join("\n\n"))]);
    await chat.drawn();
    const shown = await chat.page.locator(".markdown-part > p").allTextContents();
    assert.deepEqual([shown.length, await chat.fromEnd()], [2_000, 0]);
    assert.deepEqual(
      shown.map((text) => Number(/^Paragraph (\d+)\./u.exec(text)?.[1])),
      paragraphs.map((_, at) => at),
    );
  });

  it("is marked while it is written, and not after", async () => {
    const chat = await pages.show([prompt("u"), answer("a", "Half a sen")], { state: { phase: "running" } });
    const growing = chat.page.locator(".is-growing");
    assert.deepEqual([await growing.count(), await growing.innerText()], [1, "Half a sen"]);
    await chat.tell(changes(1, { op: "tab", patch: { phase: "ready" } }));
    assert.deepEqual([await growing.count(), await chat.page.locator(".markdown").innerText()], [0, "Half a sen"]);
  });

  it("shows a single line of a megabyte", async () => {
    const chat = await pages.show([answer("a", "x*y_".repeat(250_000))]);
    await chat.page.waitForFunction(() => document.querySelector(".markdown")?.textContent.length === 1_000_000);
  });

  it("runs nothing of what an agent writes", async () => {
    const attacks = [
      "<img src=x onerror=\"stub.state='attacked'\">",
      "<script>stub.state='attacked'</script>",
      "[a](javascript:stub.state='attacked')",
      "[b](command:workbench.action.quit)",
      "![c](https://tracker.example/x.png)",
      '<a href="https://example.com" onclick="stub.state=\'attacked\'">d</a>',
      "[e](data:text/html;base64,PHNjcmlwdD4=)",
      '```"><img/src/onerror=alert(1)>\ncode\n```',
    ];
    const chat = await pages.show([answer("a", attacks.join("\n\n"))]);
    const found = await chat.page.evaluate(() =>
      [...document.querySelectorAll(".markdown :is(img, script, iframe, a, style)")].map((one) => one.outerHTML),
    );
    assert.deepEqual(found, [
      '<a href="https://tracker.example/x.png">c</a>',
      '<a href="https://example.com">https://example.com</a>',
    ]);
    assert.notEqual(await chat.state(), "attacked");
  });

  it("lets the extension open links and files, and stays where it is", async () => {
    const chat = await pages.show([answer("a", "See [docs](https://example.com/a), `src/a.ts:12` and lib/b.py.")]);
    const before = chat.page.url();
    await chat.page.getByRole("link", { name: "docs" }).click();
    await chat.page.getByRole("link", { name: "docs" }).click({ button: "middle" });
    await chat.page.getByRole("link", { name: "src/a.ts:12" }).press("Enter");
    await chat.page.getByRole("link", { name: "lib/b.py" }).click();
    assert.deepEqual(
      [await chat.sent("open-link"), await chat.sent("open-location"), chat.page.url()],
      [
        [{ type: "open-link", url: "https://example.com/a" }],
        [
          { type: "open-location", path: "src/a.ts", line: 12 },
          { type: "open-location", path: "lib/b.py" },
        ],
        before,
      ],
    );
  });

  it("copies a code block, and the whole answer", async () => {
    const text = "Run:\n\n```sh\nnpm test\n```\n";
    const chat = await pages.show([
      prompt("u"),
      answer("a", text),
      { kind: "turn-end", id: "e", stopReason: "end_turn" },
    ]);
    await chat.page.locator(".code-block").hover();
    await chat.page.getByRole("button", { name: "Copy sh code" }).click();
    await chat.page.getByRole("button", { name: "Copy answer" }).click();
    assert.deepEqual(await chat.sent("copy"), [
      { type: "copy", text: "npm test\n" },
      { type: "copy", text },
    ]);
  });

  it("says how long the agent thought, and what when asked", async () => {
    const chat = await pages.show([{ kind: "thought", id: "t", text: "Because.", startedAt: 1_000, endedAt: 13_000 }]);
    await chat.page.getByRole("button", { name: "Thought for 12 s" }).click();
    await chat.drawn();
    assert.equal(await chat.page.locator("symposium-thought .markdown").innerText(), "Because.");
  });

  it("says below it that its turn was stopped or interrupted", async () => {
    const chat = await pages.show([
      prompt("u"),
      answer("a", "begun"),
      { kind: "turn-end", id: "e", stopReason: "cancelled" },
      { kind: "turn-end", id: "f", stopReason: "interrupted" },
    ]);
    assert.deepEqual(await chat.page.locator(".turn-reason").allInnerTexts(), ["Stopped", "Interrupted"]);
  });
});
