import { existsSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { agentWords } from "../support/scripted-programs.js";
import { skipAllBecause } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";
import { ChatView } from "../support/vscode/chat-view.js";
import { NoChromium } from "../support/vscode/chromium.js";
import { acquireVsCode, endSharedVsCode, releaseVsCode } from "../support/vscode/shared-vscode.js";
import type { VsCodeBuild } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow, WindowOptions } from "../support/vscode/vscode-window.js";
import type { VsCode, VsCodeOptions } from "../support/vscode/vscode.js";

/** A first start downloads the editor. */
const startLimitMs = 10 * 60_000;
const endLimitMs = scaledMs(120_000);

/** A root hook: it runs after the last test file of the process. */
after(async function () {
  this.timeout(endLimitMs);
  await endSharedVsCode();
});

/** A VS Code in which the packaged extension is installed, shared by the tests of a suite. */
interface Stage {
  readonly code: VsCode;
  /** A new window, closed after the test; of an empty folder of its own unless options say otherwise. */
  openWindow(options?: WindowOptions): Promise<VsCodeWindow>;
  /** The chat view of a new window. */
  openChat(options?: WindowOptions): Promise<ChatView>;
}

export type StageOptions = Omit<VsCodeOptions, "build" | "vsix">;

/**
 * Gives the tests of the enclosing suite a VS Code with a fresh profile; its server and browser are those of all files
 * of the process, if the options allow it. A test that fails leaves pictures of its windows, and one
 * whose windows report an error of ours fails.
 */
export function useVsCode(build: VsCodeBuild, options: StageOptions | (() => StageOptions) = {}): () => Stage {
  let code: VsCode | undefined;
  let windows: VsCodeWindow[] = [];
  let hasFailures = false;
  before(async function () {
    this.timeout(startLimitMs);
    try {
      const chosen = typeof options === "function" ? options() : options;
      code = await acquireVsCode({ build, vsix: await packagedExtension(), ...chosen });
    } catch (error) {
      if (error instanceof NoChromium) skipAllBecause(this, error.message);
      throw error;
    }
  });
  afterEach(async function () {
    const test = this.currentTest;
    const hasFailed = test?.state === "failed";
    const errors = windows.flatMap((window) => window.errors.splice(0));
    for (const [index, window] of windows.entries()) {
      if (hasFailed) await recordFailure(window, `failed-${fileName(test.fullTitle())}-${index}`);
      await window[Symbol.asyncDispose]();
    }
    windows = [];
    hasFailures ||= hasFailed;
    if (errors.length > 0 && !hasFailed) throw new Error(`The window reported: ${errors.join("\n")}`);
  });
  after(async function () {
    this.timeout(endLimitMs);
    if (code !== undefined) await releaseVsCode(code, hasFailures);
  });
  return () => {
    if (code === undefined) throw new Error("VS Code is there only while tests run.");
    return stageOf(code, (window) => windows.push(window));
  };
}

/** A picture, and the same in words, which outlive the machine of a test run. */
async function recordFailure(window: VsCodeWindow, name: string): Promise<void> {
  try {
    await window.screenshot(name);
    process.stderr.write(`${name}: ${await window.inFront()}\n`);
  } catch (error) {
    // A window that is already gone has nothing to show, and must not hide why.
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

function stageOf(code: VsCode, opened: (window: VsCodeWindow) => void): Stage {
  const openWindow = async (options?: WindowOptions) => {
    // Windows of one folder restore each other's tabs.
    const workspace = options?.workspace ?? (await mkdtemp(join(code.folder.workspace, "folder-")));
    const window = await code.openWindow({ ...options, workspace });
    opened(window);
    return window;
  };
  return { code, openWindow, openChat: async (options) => ChatView.open(await openWindow(options)) };
}

/** Settings with which new tabs talk to the scripted agent; `options` are its words. */
export function scriptedAgent(...options: readonly string[]): Readonly<Record<string, unknown>> {
  const [command = "", ...args] = agentWords(...options);
  const scripted = { name: "Scripted", command, args, env: { PATH: pathWith() } };
  return { "symposium.agents": { scripted }, "symposium.currentAgentId": "scripted", "symposium.extensions": [] };
}

async function packagedExtension(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(repositoryRoot, "package.json"), "utf8"));
  const version = typeof manifest === "object" && manifest !== null && "version" in manifest ? manifest.version : "";
  const vsix = join(repositoryRoot, "vscode-extension", "dist", `symposium-${String(version)}.vsix`);
  if (existsSync(vsix)) return vsix;
  throw new Error(`${vsix} does not exist. Make it: node scripts/package-extension.mjs`);
}

function fileName(title: string): string {
  return title.replaceAll(/[^\w]+/g, "-").slice(0, 120);
}
