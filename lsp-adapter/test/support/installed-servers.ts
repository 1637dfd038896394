import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { skipBecause } from "./test-scope.js";

/** A language server that tests can use, by a PATH on which it is found, or the reason why they cannot. */
type InstalledServer = { readonly path: string } | { readonly reason: string };

type Install = () => Promise<InstalledServer>;

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const cache = process.env["SYMPOSIUM_TEST_LANGUAGE_SERVERS"] ?? join(repository, ".cache", "language-servers");
const installMs = 9 * 60_000;
const run = promisify(execFile);

/** The language servers of the tests: what is missing is installed, in exactly this version where that can be chosen. */
const installers = {
  "rust-analyzer": installRustAnalyzer,
  "typescript 7": () => fromNpm("typescript-7.0.2", ["typescript@7.0.2"], "tsc"),
  "typescript-language-server": () =>
    fromNpm(
      "typescript-language-server-5.3.0",
      ["typescript-language-server@5.3.0", "typescript@6.0.3"],
      "typescript-language-server",
    ),
  pyright: () => fromNpm("pyright-1.1.414", ["pyright@1.1.414"], "pyright-langserver"),
  gopls: installGopls,
  clangd: installClangd,
} as const satisfies Readonly<Record<string, Install>>;

export type ServerName = keyof typeof installers;

/** Installs a server before the tests of the enclosing suite; gives a test its PATH, or skips the test with the reason. */
export function useServer(name: ServerName): (context: Mocha.Context) => string {
  let server: InstalledServer = { reason: "not installed yet" };
  before(async function () {
    this.timeout(installMs);
    server = await whileLocked(join(cache, `${name}.lock`), installers[name]);
  });
  return (context) => ("path" in server ? server.path : skipBecause(context, server.reason));
}

async function fromNpm(name: string, packages: readonly string[], command: string): Promise<InstalledServer> {
  const folder = join(cache, name);
  const bin = join(folder, "node_modules", ".bin");
  if (existsSync(join(bin, command))) return found(bin);
  const staging = `${folder}.staging`;
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { recursive: true });
  const quiet = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--prefer-offline",
    "--fetch-retries=1",
  ];
  const problem = await attempt("npm", ["install", "--prefix", staging, ...quiet, ...packages], staging);
  if (problem !== undefined) return { reason: `${packages.join(" ")} cannot be installed: ${problem}` };
  await rename(staging, folder);
  return found(bin);
}

async function installRustAnalyzer(): Promise<InstalledServer> {
  const isThere = async (): Promise<boolean> => (await attempt("rust-analyzer", ["--version"])) === undefined;
  if (await isThere()) return found();
  const problem = await attempt("rustup", ["component", "add", "rust-analyzer", "rust-src"]);
  return (await isThere()) ? found() : { reason: `rust-analyzer cannot be installed: ${problem ?? "no reason given"}` };
}

async function installGopls(): Promise<InstalledServer> {
  const bin = join(cache, "gopls", "bin");
  if (existsSync(join(bin, "gopls"))) return found(bin);
  const go = ["install", "golang.org/x/tools/gopls@v0.23.0"];
  const problem =
    process.platform === "win32"
      ? "its build is left out on Windows"
      : await attempt("nice", ["-n", "19", "env", `GOBIN=${bin}`, "go", ...go]);
  return problem === undefined ? found(bin) : { reason: `gopls cannot be built: ${problem}` };
}

async function installClangd(): Promise<InstalledServer> {
  const isThere = async (): Promise<boolean> => {
    for (const name of ["clangd", "clangd-19"]) if ((await attempt(name, ["--version"])) === undefined) return true;
    return false;
  };
  if (await isThere()) return found();
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return { reason: "clangd is not installed, and only root can by apt" };
  await attempt("apt-get", ["update"]);
  const problems = [
    await attempt("apt-get", ["install", "-y", "--no-install-recommends", "clangd-19"]),
    await attempt("apt-get", ["install", "-y", "--no-install-recommends", "clangd"]),
  ];
  return (await isThere()) ? found() : { reason: `clangd cannot be installed: ${problems.join(" ")}` };
}

/** Undefined when the program ended well, else why not. */
async function attempt(program: string, args: readonly string[], cwd = "/"): Promise<string | undefined> {
  try {
    await run(program, args, {
      cwd: process.platform === "win32" ? repository : cwd,
      timeout: installMs,
      maxBuffer: 16 * 1024 * 1024,
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.message.trim().split("\n").at(-1) ?? error.message) : String(error);
  }
}

function found(...folders: readonly string[]): InstalledServer {
  return { path: [...folders, process.env["PATH"] ?? ""].join(delimiter) };
}

/** Runs `action` while no other test run installs a server. Removes locks of exited processes. */
async function whileLocked<T>(file: string, action: () => Promise<T>): Promise<T> {
  await mkdir(cache, { recursive: true });
  while (!(await lock(file))) {
    const holder = Number(await readFile(file, "utf8").catch(() => ""));
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
    else await pause(200);
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function lock(file: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx");
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
