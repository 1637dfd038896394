import type { Browser } from "playwright-core";
import { pathWith } from "../repository.js";
import { createRunFolder } from "../run-folder.js";
import { findChromium, launchChromium } from "./chromium.js";
import { VsCode, type VsCodeOptions } from "./vscode.js";

const stack = new AsyncDisposableStack();
let browser: Promise<Browser> | undefined;
let shared: { readonly code: VsCode; readonly version: string } | undefined;

/**
 * Returns a VS Code with a fresh profile, in the browser that all test files of this process share. They share the
 * server, too, unless their options need one with another environment or other arguments. `release` it after use.
 */
export async function acquireVsCode(options: VsCodeOptions): Promise<VsCode> {
  const { build } = options;
  browser ??= openBrowser();
  if (!isShareable(options)) return VsCode.start(options, await browser);
  if (shared?.version === build.version) {
    await shared.code.renew(options);
    return shared.code;
  }
  await endShared();
  const code = await VsCode.start(options, await browser);
  shared = { code, version: build.version };
  return code;
}

/** Closes the windows of a VS Code. Ends it after a failed test, or if no other test file shares it. */
export async function releaseVsCode(code: VsCode, hasFailed: boolean): Promise<void> {
  if (code !== shared?.code) await code[Symbol.asyncDispose]();
  else if (hasFailed) await endShared();
  else await code.closeWindows();
}

/** Ends the shared server and the browser; belongs at the end of the process. */
export async function endSharedVsCode(): Promise<void> {
  try {
    await endShared();
  } finally {
    await stack.disposeAsync();
  }
}

async function endShared(): Promise<void> {
  const ending = shared;
  shared = undefined;
  await ending?.code[Symbol.asyncDispose]();
}

function isShareable({ env, asksForTrust, hidesSecondarySideBar }: VsCodeOptions): boolean {
  return env === undefined && asksForTrust !== true && hidesSecondarySideBar !== true;
}

async function openBrowser(): Promise<Browser> {
  const program = await findChromium();
  const folder = stack.use(await createRunFolder("browser"));
  const opened = await launchChromium(program, { ...folder.env, PATH: pathWith() });
  stack.defer(() => opened.close());
  opened.on("disconnected", () => (browser = undefined));
  return opened;
}
