import type { Frame, FrameLocator } from "playwright-core";
import { until } from "../until.js";
import type { VsCodeWindow } from "./vscode-window.js";

/** The frame behind a locator of a webview's page, for scripts that run in it. */
export async function webviewFrame(page: FrameLocator): Promise<Frame> {
  const frame = await (await page.locator("body").elementHandle()).ownerFrame();
  if (!frame) throw new Error("The webview has no page.");
  return frame;
}

/** Makes the window narrow, and resolves once the page in its editor is. */
export async function makeNarrow(window: VsCodeWindow, page: FrameLocator): Promise<void> {
  const frame = await webviewFrame(page);
  const width = async (): Promise<number> => Number(await frame.evaluate("innerWidth"));
  const before = await width();
  await window.page.setViewportSize({ width: 620, height: 800 });
  await until(width, (now) => now < before);
}
