import { attempt } from "../../../base/attempt.js";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { askProgram } from "../../../base/node/ask-program.js";
import { readProcessTable } from "../../../base/node/process-table.js";
import type { EscapeTrace } from "../../sandbox/selftest/escape.js";
import { laterFiles } from "../../sandbox/protected-names.js";
import { realPath } from "./machine-paths.js";

const secret = "selftest-secret\n";
/** Maximum milliseconds that a process may take to end after its sandbox. */
const endMs = 10_000;

const files: Readonly<Record<string, string>> = {
  ...Object.fromEntries(laterFiles.map((name) => [`project/${name}`, ""])),
  ...{ "home/.bashrc": secret, "home/.ssh/id_ed25519": secret, "home/.aws/credentials": secret, "home/.npmrc": secret },
  ...{ "home/.symposium/guard.jsonc": secret, "home/.claude/settings.json": "{}", "home/.gitconfig": "" },
  ...{ "outside/file": secret, "outside/linked": "" },
  ...{
    "project/.git/config": "[core]\n[include]\n\tpath = ../shared.gitconfig\n",
    "project/shared.gitconfig": "",
    "project/lib/inner/.git/config": "[core]\n",
    "project/lib/inner/.git/hooks/sample": "",
    "project/tree/.git": "gitdir: ../.git/worktrees/tree\n",
    "project/lib/apart/.git": "gitdir: ../../apart.git\n",
    "project/apart.git/config": "[core]\n",
    "project/apart.git/HEAD": "ref: refs/heads/x\n",
    "project/real.git/config": "[core]\n",
    "project/real.git/HEAD": "ref: refs/heads/x\n",
    "project/lib/link/README": "",
    "project/.git/hooks/sample": "",
    "project/HEAD": "none of git's",
    "project/.vscode/settings.json": "{}",
  },
  ...{ "project/.idea/misc.xml": "", "project/.envrc": "", "project/.zed/keys.json": "{}", "project/.mcp.json": "{}" },
  ...{ "project/.git/modules/third/party/config": "[extensions]\n\tworktreeConfig = true\n" },
  ...{ "project/.git/modules/third/party/config.worktree": "", "project/.agents/skills/a/SKILL.md": "" },
  ...{ "project/.pre-commit-config.yaml": "", "project/mise.toml": "" },
  ...{ "project/.claude/settings.json": "{}", "project/.symposium/guard.jsonc": "{}" },
};

/** Test home folder, project and sockets for the escape attempts. Disposing removes them. */
export class SelftestStage implements AsyncDisposable {
  readonly #folder: string;
  readonly #shared: readonly string[];
  readonly #servers: readonly Server[];
  readonly #before = new Map<string, string>();
  readonly env: Readonly<Record<string, string>>;

  private constructor(folder: string, servers: readonly Server[], names: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#servers = servers;
    this.env = {
      ...names,
      ...{ PROJECT: this.project, STATE: join(this.home, ".claude"), OUTSIDE: join(folder, "outside") },
      ...{ USER_HOME: this.home, CONDUCTOR: String(process.pid), NODE: process.execPath },
    };
    this.#shared = ["/dev/shm", "/tmp"]
      .map((shared) => join(shared, names["MARKER"] ?? ""))
      .filter((path) => existsSync(dirname(path)));
    for (const path of this.#shared) writeFileSync(path, secret, { mode: 0o600 });
    for (const [name, text] of Object.entries(files)) this.#before.set(join(folder, name), text);
  }

  static async open(): Promise<SelftestStage> {
    const made = mkdtempSync(join(tmpdir(), "symposium-selftest-"));
    const folder = realPath(made) ?? made;
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // Include FIFOs, since reading one would block forever.
    for (const name of ["project/piped/.git", "project/lib/pipe/.git/config", "project/.git/modules/pipe/config"]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      await askProgram(["mkfifo", join(folder, name)]);
    }
    symlinkSync("../../real.git", join(folder, "project/lib/link/.git"));
    linkSync(join(folder, "outside/linked"), join(folder, "project/linked-before"));
    const marker = `symposium-selftest-${process.pid}`;
    const socket = join(folder, "outside", "agent.sock");
    const paths = [
      undefined,
      socket,
      join(folder, "project", "in.sock"),
      ...(process.platform === "linux" ? [`\0${marker}`] : []),
    ];
    const servers = await Promise.all(paths.map((path) => listen(path)));
    const address = servers[0]?.address();
    const port = typeof address === "object" ? String(address?.port ?? "") : "";
    return new SelftestStage(folder, servers, { MARKER: marker, SOCKET: socket, ABSTRACT: marker, PORT: port });
  }

  get home(): string {
    return join(this.#folder, "home");
  }

  get project(): string {
    return join(this.#folder, "project");
  }

  get configFolder(): string {
    return join(this.home, ".symposium");
  }

  async has(trace: EscapeTrace): Promise<boolean> {
    if ("process" in trace) return this.#outlives(`${trace.process}${process.pid}`);
    if ("made" in trace) return existsSync(this.#path(trace.made));
    return [trace.changed].flat().some((name) => {
      const path = this.#path(name);
      return !existsSync(path) || readFileSync(path, "utf8") !== this.#before.get(path);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
    for (const path of [this.#folder, ...this.#shared]) rmSync(path, { recursive: true, force: true });
  }

  /**
   * Wait for the process to end: the system ends a sandbox's processes after the first one has ended, which can be slow on a busy machine.
   */
  async #outlives(command: string): Promise<boolean> {
    const isRunning = async (): Promise<boolean> =>
      (await readProcessTable()).some(({ pid }) => commandLine(pid).trim() === command);
    const deadline = performance.now() + endMs;
    while (await isRunning()) {
      if (performance.now() > deadline) return true;
      await delay(100);
    }
    return false;
  }

  #path(name: string): string {
    if (name === "~" || name.startsWith("~/")) return join(this.home, name.slice(1));
    return name.startsWith("state/") ? join(this.home, ".claude", name.slice(6)) : join(this.#folder, name);
  }
}

async function listen(path: string | undefined): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => undefined).end(secret));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (path === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(path, resolve);
  });
  return server;
}

function commandLine(pid: number): string {
  return attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")) ?? "";
}
