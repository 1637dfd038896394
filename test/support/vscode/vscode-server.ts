import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Child, runToEnd } from "../child.js";
import type { RunFolder } from "../run-folder.js";
import { poll, scaledMs } from "../until.js";
import type { VsCodeInstallation } from "./install-vscode.js";

const installLimitMs = 180_000;
const loopback = "127.0.0.1";

interface ServerOptions {
  readonly installation: VsCodeInstallation;
  /** Everything the server writes is below it. */
  readonly folder: RunFolder;
  /** The whole environment of the server, and so of the extension host. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether folders are untrusted until the user trusts them. */
  readonly asksForTrust: boolean;
}

/** A running VS Code server. Disposing ends it with its extension hosts, terminals and everything below them. */
export class VsCodeServer implements AsyncDisposable {
  private constructor(
    readonly options: ServerOptions,
    readonly authority: string,
    readonly child: Child,
  ) {}

  /** Starts a server and resolves when it answers. */
  static async start(options: ServerOptions): Promise<VsCodeServer> {
    const { installation, env, folder, asksForTrust } = options;
    const words = [
      ...[installation.node, installation.serverMain, ...folderArguments(folder)],
      ...["--host", loopback, "--port", "0", "--without-connection-token"],
      ...["--telemetry-level", "off", "--disable-experiments", "--enable-smoke-test-driver"],
      ...(asksForTrust ? [] : ["--disable-workspace-trust"]),
    ];
    const child = new Child({ words, env, cwd: folder.root });
    try {
      const server = new VsCodeServer(options, `${loopback}:${await portOf(child)}`, child);
      await server.#answers();
      return server;
    } catch (failure) {
      await child[Symbol.asyncDispose]();
      throw failure;
    }
  }

  /** The address of a file on the server, as its windows write it. */
  remote(path: string): string {
    return `vscode-remote://${this.authority}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.process.kill("SIGTERM");
    await this.child[Symbol.asyncDispose]();
  }

  async #answers(): Promise<void> {
    let exit: string | undefined;
    void this.child.exited.then((sentence) => (exit = sentence));
    const url = `http://${this.authority}/version`;
    const isUp = await poll(
      () => isAnswering(url),
      (is) => is || exit !== undefined,
    );
    if (isUp) return;
    throw new Error(`The VS Code server does not answer (${exit ?? "still running"}): ${this.child.stderrTail}`);
  }
}

/** Installs a packaged extension, as "Install from VSIX" does, for servers of this folder that start later. */
export async function installVsix(
  installation: VsCodeInstallation,
  folder: RunFolder,
  env: Readonly<Record<string, string>>,
  vsix: string,
): Promise<void> {
  const words = [installation.node, installation.serverMain, ...folderArguments(folder), "--install-extension", vsix];
  const { code, stdout, stderr } = await runToEnd({ words, env, cwd: folder.root }, installLimitMs);
  if (code !== 0) throw new Error(`VS Code refuses to install ${vsix}: ${stdout}${stderr}`);
}

/** Has servers of this folder take no container of the secondary side bar from our extension, which is installed. */
export async function hideSecondarySideBar(folder: RunFolder): Promise<void> {
  const installed = join(folder.root, "extensions");
  const names = (await readdir(installed)).filter((name) => name.startsWith("symposium-dev.symposium"));
  for (const path of names.map((name) => join(installed, name, "package.json"))) {
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace('"secondarySidebar"', '"barOfLaterVersions"'));
  }
}

/** The user's settings, and those of the machine, where alone a remote window looks for settings of machine scope. */
function settingsFilesOf(folder: RunFolder): readonly string[] {
  return ["User", "Machine"].map((name) => join(folder.root, "user", name, "settings.json"));
}

/** Writes the user's settings for servers of this folder, before they start: later changes are not always noticed. */
export async function writeSettings(folder: RunFolder, settings: Readonly<Record<string, unknown>>): Promise<void> {
  for (const file of settingsFilesOf(folder)) {
    await mkdir(join(file, ".."), { recursive: true });
    await writeFile(file, JSON.stringify(settings, undefined, 2));
  }
}

function folderArguments(folder: RunFolder): readonly string[] {
  const at = (name: string) => join(folder.root, name);
  return [
    ...["--accept-server-license-terms", "--server-data-dir", at("server")],
    ...["--user-data-dir", at("user"), "--extensions-dir", at("extensions")],
  ];
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** The port that the server says it has chosen. One chosen for it could be another's by the time it listens. */
function portOf(child: Child): Promise<number> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(scaledMs());
    const fail = (reason: string): void =>
      reject(new Error(`The VS Code server names no port (${reason}): ${child.stderrTail}`));
    limit.addEventListener("abort", () => fail("still running"));
    void child.exited.then(fail);
    createInterface({ input: child.process.stdout }).on("line", (line) => {
      const port = /^Extension host agent listening on (\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
