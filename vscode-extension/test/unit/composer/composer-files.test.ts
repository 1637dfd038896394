import assert from "node:assert/strict";
import type { Composer } from "../../../webview/chat/composer/composer.js";
import { ElementPage } from "./element-page.js";
import { image, settings, tabState } from "./samples.js";

describe("files in the composer", () => {
  let page: ElementPage;
  before(async () => (page = await ElementPage.open(["chat/composer/index.ts"])));
  after(() => page[Symbol.asyncDispose]());

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
      ["broken.png is no image that can be read. Use PNG, JPEG, GIF or WebP.", "Claude Code takes no images."],
    );
    assert.deepEqual(await chips(0), []);
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

  it("that were read while another tab was shown wait for their own", async () => {
    await mount();
    await page.page.locator("symposium-composer").evaluate(async (element: Composer, data) => {
      const blob = await (await fetch(`data:image/png;base64,${data}`)).blob();
      const transfer = new DataTransfer();
      transfer.items.add(new File([blob], "late.png", { type: "image/png" }));
      element.take(transfer);
      element.tabId = "u";
    }, image.data);
    await page.page.waitForFunction(async () => {
      const composer = document.querySelector("symposium-composer");
      if (!composer) return false;
      composer.tabId = "t";
      while (!(await composer.updateComplete));
      if (document.querySelector(".chip") !== null) return true;
      composer.tabId = "u";
      await composer.updateComplete;
      return false;
    });
    assert.deepEqual(await chips(1), ["late.png"]);
  });
});
