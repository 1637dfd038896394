import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { agentWords } from "../support/scripted-programs.js";
import { ChatView } from "../support/vscode/chat-view.js";
import type { VsCodeBuild } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { VsCode, type VsCodeOptions } from "../support/vscode/vscode.js";

const startLimitMs = 10 * 60_000;

/** A VS Code in which the packaged extension is installed, shared by the tests of a suite; each opens its own window. */
export interface Stage {
  readonly code: VsCode;
  /** A new window, closed after the test. */
  openWindow(options?: Parameters<VsCode["openWindow"]>[0]): Promise<VsCodeWindow>;
  /** The chat view of a new window. */
  openChat(options?: Parameters<VsCode["openWindow"]>[0]): Promise<ChatView>;
}

export type StageOptions = Omit<VsCodeOptions, "build" | "vsix">;

/**
 * Starts a VS Code before the tests of the enclosing suite. A test that fails leaves pictures of its windows, and one
 * whose windows report an error of ours fails.
 */
export function useVsCode(build: VsCodeBuild, options: StageOptions | (() => StageOptions) = {}): () => Stage {
  let code: VsCode | undefined;
  let windows: VsCodeWindow[] = [];
  before(async function () {
    this.timeout(startLimitMs);
    code = await VsCode.start({
      build,
      vsix: await packagedExtension(),
      ...(typeof options === "function" ? options() : options),
    });
  });
  afterEach(async function () {
    const opened = windows;
    windows = [];
    const test = this.currentTest;
    const errors = opened.flatMap((window) => window.errors);
    for (const [index, window] of opened.entries()) {
      if (test?.state === "failed") await window.screenshot(`failed-${fileName(test.fullTitle())}-${index}`);
      await window[Symbol.asyncDispose]();
    }
    if (errors.length > 0 && test?.state === "passed") throw new Error(`The window reported: ${errors.join("\n")}`);
  });
  after(async function () {
    this.timeout(60_000);
    await code?.[Symbol.asyncDispose]();
  });
  return () => {
    if (code === undefined) throw new Error("VS Code is there only while tests run.");
    const running = code;
    const openWindow: Stage["openWindow"] = async (windowOptions) => {
      const window = await running.openWindow(windowOptions);
      windows.push(window);
      return window;
    };
    return {
      code: running,
      openWindow,
      openChat: async (windowOptions) => ChatView.open(await openWindow(windowOptions)),
    };
  };
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
