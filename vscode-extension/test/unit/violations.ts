import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

interface Violation {
  readonly rule: string;
  readonly nodes: readonly string[];
}

declare global {
  interface Window {
    axe?: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
  }
}

/** The violations that axe-core finds in a page. */
export async function violationsIn(page: Page): Promise<Violation[]> {
  if (!(await page.evaluate(() => window.axe !== undefined)))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    // The only rule that needs the style sheets fetched again, css-orientation-lock, is experimental and off.
    const preload = { assets: ["media"] };
    const found = await window.axe?.run({ resultTypes: ["violations"], preload });
    if (found === undefined) throw new Error("axe-core is not loaded.");
    return found.violations.map(({ id, nodes }) => ({ rule: id, nodes: nodes.map(({ html }) => html) }));
  });
}
