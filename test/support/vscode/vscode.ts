import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { pathWith } from "../repository.js";
import { createRunFolder, type RunFolder } from "../run-folder.js";
import { survivingProcesses } from "../surviving-processes.js";
import { scaledMs, until } from "../until.js";
import { findChromium, launchChromium } from "./chromium.js";
import { installVsCode } from "./install-vscode.js";
import type { VsCodeBuild } from "./vscode-build.js";
import { hideSecondarySideBar, installVsix, VsCodeServer, writeSettings } from "./vscode-server.js";
import { VsCodeWindow, type WindowOptions } from "./vscode-window.js";

/** How long processes may take to end after the server. */
const endLimitMs = 40_000;
const extensionHost = /--type=extensionHost/;
/** An extension host or a program on Node that one starts: a command, an agent or an MCP server. */
const hostOrProgram = /--type=extensionHost|^(?!.*code-server)\S*\bnode /;
/** Folders below that of the run that the running server needs. */
const serverFolders = ["server", "user", "extensions", "tmp"];

export interface VsCodeOptions {
  readonly build: VsCodeBuild;
  /** A packaged extension to install. */
  readonly vsix?: string;
  /** Settings of the user beside those that keep VS Code quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Added to the environment that the extension host and all below it get. */
  readonly env?: (folder: RunFolder) => Readonly<Record<string, string>>;
  readonly asksForTrust?: boolean;
  /** As an editor made of VS Code that has no place for extensions in its secondary side bar. */
  readonly hidesSecondarySideBar?: boolean;
}

/**
 * A VS Code server with its own extensions, settings and home folder, and its windows in a headless Chromium. Disposing
 * ends the server, and the browser unless `start` was given one. It throws when a process survives.
 */
export class VsCode implements AsyncDisposable {
  private constructor(
    readonly folder: RunFolder,
    readonly server: VsCodeServer,
    readonly browser: Browser,
    readonly ownsBrowser: boolean,
  ) {}

  /** Starts a server, and a browser unless `browser` is given, which the caller then closes. */
  static async start(options: VsCodeOptions, browser?: Browser): Promise<VsCode> {
    await using stack = new AsyncDisposableStack();
    const program = browser === undefined ? await findChromium() : "";
    const installation = await installVsCode(options.build);
    const folder = stack.use(await createRunFolder("vscode"));
    const env = { ...folder.env, PATH: pathWith(join(folder.root, "bin")), ...options.env?.(folder) };
    await writeSettings(folder, settingsOf(options));
    if (options.vsix !== undefined) {
      await installVsix(installation, folder, env, options.vsix);
      if (options.hidesSecondarySideBar === true) await hideSecondarySideBar(folder);
    }
    const asksForTrust = options.asksForTrust === true;
    const server = stack.use(await VsCodeServer.start({ installation, folder, env, asksForTrust }));
    const windows = browser ?? (await launchChromium(program, env));
    stack.move();
    return new VsCode(folder, server, windows, browser === undefined);
  }

  /**
   * Resets the profile. Closes all windows and waits for their extension hosts to end. Then deletes the user, workspace and extension
   * data, and writes the settings.
   */
  async renew(options: Pick<VsCodeOptions, "settings">): Promise<void> {
    await this.closeWindows();
    for (const name of await readdir(this.folder.root)) {
      if (!serverFolders.includes(name)) await rm(join(this.folder.root, name), { recursive: true, force: true });
    }
    await rm(join(this.folder.root, "user", "User"), { recursive: true, force: true });
    for (const name of [this.folder.workspace, this.folder.home]) await mkdir(name);
    await writeSettings(this.folder, settingsOf(options));
  }

  /** Closes all windows, ends their extension hosts, and resolves when neither these nor their programs run. */
  async closeWindows(): Promise<void> {
    for (const context of this.browser.contexts()) await context.close();
    // A host whose page closed without a goodbye waits hours for it to come back.
    for (const pid of await this.processes(extensionHost)) signal(pid, "SIGTERM");
    // A program that ends after its host may still write into the home folder.
    await until(
      () => this.processes(hostOrProgram),
      (running) => running.length === 0,
    );
  }

  /** Opens a window whose layout starts as VS Code's own; `workspace` is the run's own one unless it is given. */
  async openWindow(options: WindowOptions = {}): Promise<VsCodeWindow> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(scaledMs());
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    return VsCodeWindow.open(context, this.server, { workspace: this.folder.workspace, ...options });
  }

  /** The processes below this VS Code whose command line matches. Linux only: elsewhere always empty. */
  async processes(commandLine: RegExp): Promise<readonly number[]> {
    const all = await survivingProcesses(this.folder.root, 0);
    return [...all].filter(([, words]) => commandLine.test(words)).map(([pid]) => pid);
  }

  /** Kills these processes at once. One may have ended with the one before, or by itself. */
  async kill(commandLine: RegExp): Promise<void> {
    const found = await this.processes(commandLine);
    if (found.length === 0) throw new Error(`Nothing that is called ${String(commandLine)} runs.`);
    for (const pid of found) signal(pid, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A browser that cannot be closed any more leaves no server behind.
    try {
      if (this.ownsBrowser) await this.browser.close();
      else await this.closeWindows();
    } finally {
      await this.server[Symbol.asyncDispose]();
    }
    const survivors = await survivingProcesses(this.folder.root, endLimitMs);
    await this.folder[Symbol.asyncDispose]();
    if (survivors.size > 0) throw new Error(`Processes outlive VS Code: ${[...survivors.values()].join("; ")}`);
  }
}

/** Signals a process, which may be gone already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

function settingsOf(options: Pick<VsCodeOptions, "settings">): Readonly<Record<string, unknown>> {
  return { ...quietSettings, ...options.settings };
}

/** Only such as no VS Code rewrites: in the window that does so, the settings of extensions do not arrive. */
const quietSettings: Readonly<Record<string, unknown>> = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "telemetry.telemetryLevel": "off",
  "chat.commandCenter.enabled": false,
  "window.dialogStyle": "custom",
};
