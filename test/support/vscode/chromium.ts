import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { runToEnd } from "../child.js";
import { environmentOfThisMachine } from "../environment.js";
import { pathWith, repositoryRoot } from "../repository.js";
import { scaledMs } from "../until.js";

const findLimitMs = 9 * 60_000;

/** This machine has no Chromium, and none could be fetched. Tests that need one are skipped with this reason. */
export class NoChromium extends Error {
  override readonly name = "NoChromium";
}

/**
 * Returns the Chromium program that shows the windows. Fetches one if this machine has none: `scripts/test/browser.mjs` selects it.
 * Throws `NoChromium`.
 */
export async function findChromium(): Promise<string> {
  const known = process.env["SYMPOSIUM_CHROMIUM"];
  if (known !== undefined) return known;
  const chosen = ["SYMPOSIUM_NO_CHROMIUM", "SYMPOSIUM_TEST_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = { ...environmentOfThisMachine(), ...Object.fromEntries(chosen), PATH: pathWith() };
  const words = ["node", join(repositoryRoot, "scripts/test/browser.mjs")];
  const { stdout, stderr } = await runToEnd({ words, env, cwd: repositoryRoot }, findLimitMs);
  if (!stdout.startsWith("{")) throw new Error(`The search for a Chromium failed: ${stderr}`);
  const { program, missing } = JSON.parse(stdout) as { readonly program?: string; readonly missing?: string };
  if (program === undefined) throw new NoChromium(missing);
  return program;
}

/** Starts a Chromium without a window. */
export function launchChromium(program: string, env?: Readonly<Record<string, string>>): Promise<Browser> {
  // Root has no user namespace to make a sandbox in; containers have little shared memory.
  const args = ["--disable-gpu", "--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
  const options = { executablePath: program, args, timeout: scaledMs() };
  return chromium.launch({ ...options, ...(env === undefined ? {} : { env: { ...env } }) });
}
