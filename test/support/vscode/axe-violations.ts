import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { objectOf } from "../json.js";
import { repositoryRoot } from "../repository.js";
import { webviewFrame } from "./webview-frame.js";

/** The page is transparent, and axe-core does not see what the window paints behind it. */
const paintBackground = 'document.documentElement.style.background = "var(--vscode-sideBar-background)"';

/** Returns axe-core's findings in a side bar view, as rule and affected elements. */
export async function axeViolations(page: FrameLocator): Promise<readonly string[]> {
  const frame = await webviewFrame(page);
  await frame.evaluate(paintBackground);
  await frame.evaluate(await readFile(join(repositoryRoot, "node_modules", "axe-core", "axe.min.js"), "utf8"));
  const found: unknown = await frame.evaluate("axe.run().then(({ violations }) => violations)");
  return (Array.isArray(found) ? found : []).map((violation: unknown) => {
    const { id, nodes } = objectOf(violation);
    const places = (Array.isArray(nodes) ? nodes : []).map((node: unknown) => String(objectOf(node)["html"]));
    return `${String(id)}: ${places.join(" | ")}`;
  });
}
