import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const finder = fileURLToPath(new URL("../../../../scripts/test/browser.mjs", import.meta.url));

/** Starts a Chromium without a window in a `before` hook; leaves the suite's tests out, with the reason, where there is none. */
export async function launchChromium(context: Mocha.Context): Promise<Browser> {
  // It is fetched where this machine has none.
  context.timeout(10 * 60_000);
  const found = await find();
  if (found.program === undefined) {
    context.test?.parent?.eachTest((test) => (test.title += ` (${found.missing ?? "no Chromium"})`));
    context.skip();
  }
  // Root has no user namespace to make a sandbox in; containers have little shared memory.
  const args = ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
  return chromium.launch({ executablePath: found.program, args });
}

async function find(): Promise<{ readonly program?: string; readonly missing?: string }> {
  const chosen = process.env["SYMPOSIUM_CHROMIUM"];
  if (chosen !== undefined) return { program: chosen };
  const { stdout } = await promisify(execFile)(process.execPath, [finder]);
  return JSON.parse(stdout) as { readonly program?: string; readonly missing?: string };
}
