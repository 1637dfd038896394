import assert from "node:assert/strict";
import { newTabState, newTranscript } from "../../../protocol/index.js";
import { ChatTab } from "../../../src/features/chat/chat-tab.js";
import { continuedTab } from "../../../src/features/chat/continuing.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import type { Composer } from "../../../webview/chat/composer/composer.js";
import { ElementPage } from "./element-page.js";
import { image, settings, tabState } from "./samples.js";

describe("files in the composer", () => {
  let page: ElementPage;
  before(async function () {
    page = await ElementPage.open(this, [
      "controls/controls.css",
      "controls/listbox.css",
      "chat/composer/composer.css",
      "chat/composer/composer.ts",
    ]);
  });

  const png = { name: image.label, mimeType: image.mimeType, buffer: Buffer.from(image.data, "base64") };
  const mount = async (images = true): Promise<void> => {
    const state = tabState({ accepts: { image: images, audio: false } });
    await page.mount("symposium-composer", { tabId: "t", state, settings });
  };
  const chips = async (count: number): Promise<string[]> => {
    await page.page.waitForFunction((count) => document.querySelectorAll(".chip").length === count, count);
    return page.page.locator(".chip-label").allTextContents();
  };
  const problem = () => page.page.getByRole("alert").filter({ hasText: /./u }).textContent();
  const attachments = async () => {
    await page.page.locator(".prompt-text").focus();
    await page.page.keyboard.press("Enter");
    return (await page.waitFor("prompt")).attachments;
  };

  it("are attached with the button, images and small texts as they are", async () => {
    await mount();
    const text = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("one\ntwo") };
    await page.page.locator(".composer-file").setInputFiles([png, text]);
    assert.deepEqual(await chips(2), ["shot.png", "notes.txt"]);
    assert.deepEqual(await attachments(), [image, { type: "text", label: "notes.txt", text: "one\ntwo" }]);
  });

  it("are attached when they are pasted", async () => {
    await mount();
    await page.page.locator(".prompt-text").evaluate(async (element, data) => {
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob], "image.png", { type: "image/png" }));
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, image.data);
    assert.deepEqual(await chips(1), ["image.png"]);
  });

  it("are scaled down when they are huge", async () => {
    await mount();
    await page.page.locator("symposium-composer").evaluate(async (element: Composer) => {
      const canvas = new OffscreenCanvas(5_000, 1_000);
      canvas.getContext("2d")?.fillRect(0, 0, 10, 10);
      const data = new DataTransfer();
      data.items.add(new File([await canvas.convertToBlob()], "wide.png", { type: "image/png" }));
      element.take(data);
    });
    await chips(1);
    const [sent] = await attachments();
    const size = await page.page.evaluate(
      async (data) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        return [bitmap.width, bitmap.height];
      },
      sent?.type === "image" ? sent.data : "",
    );
    assert.deepEqual(size, [2_048, 410]);
  });

  it("are refused with a reason when they are no image, no text or more than the agent takes", async () => {
    await mount();
    await page.page
      .locator(".composer-file")
      .setInputFiles([{ ...png, name: "broken.png", buffer: Buffer.from("no") }]);
    const broken = await problem();
    await mount(false);
    await page.page.locator(".composer-file").setInputFiles([png]);
    assert.deepEqual(
      [broken, await problem()],
      ["broken.png can't be read as an image. Use PNG, JPEG, GIF or WebP.", "Claude Code doesn't accept images."],
    );
    assert.deepEqual(await chips(0), []);
  });

  it("are taken with images by an agent that has not started, such as one that goes on with another's conversation", async () => {
    const from = new ChatTab(
      new TabTranscript(newTranscript(newTabState({ id: "claude-code", name: "Claude Code" }))),
      { tabId: "from", createdAt: 1 },
      {
        converse: () => Promise.reject(new Error("No agent is needed here.")),
        isUpToDate: () => Promise.resolve(true),
        recordChanged: () => undefined,
      },
    );
    const { state } = continuedTab(from, { id: "codex", name: "Codex" }, "t").transcript.transcript;
    await page.mount("symposium-composer", { tabId: "t", state, settings });
    assert.equal(await page.page.locator("button[title='Attach images or text files']").count(), 1);
    await page.page.locator(".composer-file").setInputFiles([png]);
    assert.deepEqual(await chips(1), ["shot.png"]);
  });

  it("from the explorer are passed on as URIs", async () => {
    await mount();
    await page.page.locator(".composer-box").evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", "file:///a.ts\r\nfile:///b.ts");
      element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    });
    assert.deepEqual(await page.sent(), [{ type: "drop-uris", tabId: "t", uris: ["file:///a.ts", "file:///b.ts"] }]);
  });

  describe("that are read while another tab is shown", () => {
    const ofU = { text: "of u", attachments: [] };
    const ofT = { text: "of t", attachments: [] };

    /** Takes two files in the tab `t`, which are read once `window.release` was called, and shows the tab `u`. */
    const takeAndLeave = async (): Promise<void> => {
      await mount();
      await page.page.locator("symposium-composer").evaluate(async (element: Composer, draft) => {
        const held = new Promise<void>((resolve) => (window.release = resolve));
        Blob.prototype.text = async function (this: File) {
          await held;
          return this.name === "late.txt" ? "late" : "\0";
        };
        const transfer = new DataTransfer();
        for (const name of ["late.txt", "late.bin"]) transfer.items.add(new File([name], name));
        element.take(transfer);
        Object.assign(element, { tabId: "u", draft });
        await element.updateComplete;
      }, ofU);
    };
    /** Releases the files and comes back to their tab, each after as many turns of the page's microtasks. */
    const releaseAndReturn = (releasedAfter: number, backAfter: number): Promise<void> =>
      page.page.locator("symposium-composer").evaluate(
        async (element: Composer, { draft, releasedAfter, backAfter }) => {
          for (let turn = 0; turn <= Math.max(releasedAfter, backAfter); turn++) {
            if (turn === releasedAfter) window.release();
            if (turn === backAfter) Object.assign(element, { tabId: "t", draft });
            await Promise.resolve();
          }
          await new Promise((resolve) => setTimeout(resolve));
        },
        { draft: ofT, releasedAfter, backAfter },
      );

    it("wait for their own tab, as does what is wrong with them", async () => {
      await takeAndLeave();
      await page.page.evaluate(() => {
        window.release();
        return new Promise((resolve) => setTimeout(resolve));
      });
      const meanwhile = await page.page.locator("symposium-composer").innerText();
      await page.set({ tabId: "t", draft: ofT });
      assert.deepEqual(
        [meanwhile.includes("late"), await chips(1), await problem()],
        [false, ["late.txt"], "late.bin is neither an image nor text."],
      );
    });

    it("go to their own tab alone, at whatever moment it comes back", async () => {
      const moments = [0, 1, 2, 3, 4, 5, 6, 7, 8];
      for (const [releasedAfter, backAfter] of moments.flatMap((at) => [[at, 0] as const, [0, at] as const])) {
        await takeAndLeave();
        await releaseAndReturn(releasedAfter, backAfter);
        const text = await page.page.locator(".prompt-text").inputValue();
        await page.page.evaluate(() => window.dispatchEvent(new Event("pagehide")));
        const drafts = (await page.sentAll()).filter((message) => message.type === "draft");
        assert.deepEqual(
          [await chips(1), text, drafts.map(({ tabId, draft }) => [tabId, draft.text, draft.attachments.length])],
          [["late.txt"], "of t", [["t", "of t", 1]]],
        );
      }
    });
  });
});

declare global {
  interface Window {
    release: () => void;
  }
}
