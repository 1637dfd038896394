import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const finder = fileURLToPath(new URL("../../../../scripts/test/browser.mjs", import.meta.url));

interface Found {
  readonly program?: string;
  readonly missing?: string;
}

let found: Promise<Found> | undefined;
let browser: Promise<Browser> | undefined;

/** A root hook: it runs after the last test file of the process. */
after(async () => (await browser)?.close());

/**
 * Returns the Chromium without a window that all test files of this process share, in a `before` hook. Skips the suite's
 * tests, with the reason, if there is none. Callers close the pages that they open.
 */
export async function sharedChromium(context: Mocha.Context): Promise<Browser> {
  // It is fetched if this machine has none.
  context.timeout(10 * 60_000);
  const { program, missing = "no Chromium" } = await (found ??= find());
  if (program === undefined) {
    context.test?.parent?.eachTest((test) => (test.title += ` (${missing})`));
    context.skip();
  }
  return (browser ??= launch(program));
}

async function launch(executablePath: string): Promise<Browser> {
  // Root has no user namespace to make a sandbox in; containers have little shared memory.
  const args = ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
  const launched = await chromium.launch({ executablePath, args });
  // One that crashes fails the tests of its file alone.
  launched.on("disconnected", () => (browser = undefined));
  return launched;
}

async function find(): Promise<Found> {
  const chosen = process.env["SYMPOSIUM_CHROMIUM"];
  if (chosen !== undefined) return { program: chosen };
  const { stdout } = await promisify(execFile)(process.execPath, [finder]);
  return JSON.parse(stdout) as Found;
}
