import type { Frame, FrameLocator } from "playwright-core";

/** The frame behind a locator of a webview's page, for scripts that run in it. */
export async function webviewFrame(page: FrameLocator): Promise<Frame> {
  const frame = await (await page.locator("body").elementHandle()).ownerFrame();
  if (!frame) throw new Error("The webview has no page.");
  return frame;
}
