import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { environmentOfThisMachine } from "../environment.js";
import { runToEnd } from "../child.js";
import { nodeFolder, pathWith, repositoryRoot } from "../repository.js";
import { whileLocked } from "./file-lock.js";
import type { Installation, PinnedPackage } from "./pinned-package.js";

const installLimitMs = 9 * 60_000;
const setupLimitMs = 120_000;

/** Returns the package cache: `SYMPOSIUM_TEST_CACHE`, or `.cache/agents` in the repository. */
export function packageCache(): string {
  return process.env["SYMPOSIUM_TEST_CACHE"] ?? join(repositoryRoot, ".cache", "agents");
}

/** Whether `pinned` can be used without the network. */
function isInstalled(pinned: PinnedPackage): boolean {
  return existsSync(folderOf(pinned));
}

/**
 * Installs `pinned` into the cache unless it is there. A folder appears there only when it is complete, and
 * one process at a time installs a package. Never throws for what a machine may lack: the reason is the value.
 */
export async function installPackage(pinned: PinnedPackage): Promise<Installation> {
  const major = await nodeMajor();
  if (major < pinned.nodeMajor) {
    return unavailable(pinned, `it needs Node ${pinned.nodeMajor} or later and the repository's Node is ${major}`);
  }
  if (!isInstalled(pinned)) {
    const problem = await whileLocked(`${folderOf(pinned)}.lock`, () => installOnce(pinned));
    if (problem !== undefined) return unavailable(pinned, problem);
  }
  return { kind: "installed", binFolder: join(folderOf(pinned), "node_modules", ".bin") };
}

/** Returns the problem, or undefined when the package is there. */
async function installOnce(pinned: PinnedPackage): Promise<string | undefined> {
  if (isInstalled(pinned)) return undefined;
  const folder = folderOf(pinned);
  const staging = `${folder}.staging`;
  await rm(staging, { recursive: true, force: true });
  try {
    const problem = await installInto(staging, pinned);
    if (problem === undefined) await rename(staging, folder);
    return problem;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Install scripts are off, because whether npm runs them depends on its version and on the user's settings;
 * the one script that matters is run by name.
 */
async function installInto(staging: string, pinned: PinnedPackage): Promise<string | undefined> {
  await mkdir(staging, { recursive: true });
  const env = { ...environmentOfThisMachine(), PATH: pathWith() };
  const install = await runToEnd(
    { words: [...npm(), ...npmArguments(staging, pinned)], env, cwd: staging },
    installLimitMs,
  );
  if (install.code !== 0) return `npm install failed: ${lastLines(install.stderr)}`;
  if (!existsSync(join(staging, "node_modules", ".bin", pinned.command)))
    return `it brings no command "${pinned.command}"`;
  if (pinned.setupScript === undefined) return undefined;
  const words = ["node", join(staging, "node_modules", pinned.setupScript)];
  const setup = await runToEnd({ words, env, cwd: staging }, setupLimitMs);
  return setup.code === 0 ? undefined : `its set-up script failed: ${lastLines(setup.stderr)}`;
}

function npmArguments(staging: string, pinned: PinnedPackage): readonly string[] {
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier", "--loglevel=error"];
  // Without a network this gives up in seconds, where npm's defaults take minutes.
  const patience = [
    "--prefer-offline",
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
  ];
  const name = `${pinned.package}@${pinned.version}`;
  return ["install", "--prefix", staging, "--ignore-scripts", ...quiet, ...patience, name];
}

/** The words of the npm that started the test run, else of the one on PATH. */
export function npm(): readonly string[] {
  const script = process.env["npm_execpath"];
  return script?.endsWith(".js") ? ["node", script] : [process.platform === "win32" ? "npm.cmd" : "npm"];
}

async function nodeMajor(): Promise<number> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith() };
  const { stdout } = await runToEnd({ words: ["node", "--version"], env, cwd: nodeFolder }, setupLimitMs);
  return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 0);
}

function folderOf({ package: name, version }: PinnedPackage): string {
  return join(packageCache(), `${name.replace(/^@/, "").replaceAll("/", "-")}-${version}`);
}

function unavailable({ package: name, version }: PinnedPackage, problem: string): Installation {
  return { kind: "unavailable", reason: `${name}@${version} cannot be used: ${problem}` };
}

/** The end of a program's output, on one line. */
export function lastLines(output: string): string {
  return output.trim().split("\n").slice(-6).join(" | ") || "no output";
}
