import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../child.js";
import { environmentOfThisMachine } from "../environment.js";
import { whileLocked } from "../packages/file-lock.js";
import { lastLines, npm } from "../packages/install-package.js";
import { nodeFolder, pathWith, repositoryRoot } from "../repository.js";
import type { VsCodeBuild } from "./vscode-build.js";

const installLimitMs = 9 * 60_000;
/** Needed by parts of VS Code that no test uses, and more than half of the disk space. */
const unused = ["@github/copilot-sdk", "@github/copilot-sdk-linux-x64", "@microsoft/mxc-sdk"];

/** A VS Code server on this machine. */
export interface VsCodeInstallation {
  readonly version: string;
  /** The program that runs `serverMain`. */
  readonly node: string;
  readonly serverMain: string;
}

function vsCodeCache(): string {
  return process.env["SYMPOSIUM_VSCODE_CACHE"] ?? join(repositoryRoot, ".cache", "vscode");
}

/**
 * Installs a build into the cache unless it is there. Its folder appears there only when it is complete, one process
 * at a time installs it, and what a failed attempt got is used by the next one. Throws where it cannot be installed.
 */
export async function installVsCode(build: VsCodeBuild): Promise<VsCodeInstallation> {
  const folder = join(vsCodeCache(), build.version);
  if (!existsSync(folder)) {
    await whileLocked(`${folder}.lock`, async () => {
      if (existsSync(folder)) return;
      const staging = `${folder}.staging`;
      await installInto(staging, build);
      await rename(staging, folder);
    });
  }
  return {
    version: build.version,
    node: join(build.node === undefined ? nodeFolder : binFolderOf(folder), "node"),
    serverMain: join(vsCodeFolderOf(folder), "out", "server-main.js"),
  };
}

async function installInto(staging: string, build: VsCodeBuild): Promise<void> {
  await mkdir(staging, { recursive: true });
  await writeFile(join(staging, "package.json"), JSON.stringify({ private: true }));
  const packages = [
    `code-server@${build.codeServer}`,
    ...(build.node === undefined ? [] : [`${nodePackage()}@${build.node}`]),
    ...(build.ripgrep === undefined ? [] : [`@vscode/ripgrep-universal@${build.ripgrep}`]),
  ];
  await npmInstall(staging, build, packages);
  // The wrapper's install script would do the same, and compile native parts that the server does not need.
  const vsCode = vsCodeFolderOf(staging);
  await chooseVersions(vsCode, build.fromNpm ?? {});
  await npmInstall(vsCode, build, ["--omit=dev"]);
  await npmInstall(join(vsCode, "extensions"), build, ["--omit=dev"]);
  if (build.ripgrep !== undefined) await placeRipgrep(staging);
  await prune(vsCode);
}

/** Writes versions of npm into the build's own list of packages, and what its lock file says of them out of that. */
async function chooseVersions(vsCode: string, versions: Readonly<Record<string, string>>): Promise<void> {
  interface Manifest {
    dependencies: Record<string, string>;
    packages?: Record<string, { dependencies?: Record<string, string> }>;
  }
  for (const name of ["package.json", "npm-shrinkwrap.json"]) {
    const path = join(vsCode, name);
    const manifest = JSON.parse(await readFile(path, "utf8")) as Manifest;
    for (const [chosen, version] of Object.entries(versions)) {
      const { packages } = manifest;
      const dependencies = packages === undefined ? manifest.dependencies : packages[""]?.dependencies;
      if (dependencies?.[chosen] === undefined) throw new Error(`${path} asks for no ${chosen}.`);
      dependencies[chosen] = version;
      if (packages !== undefined) Reflect.deleteProperty(packages, `node_modules/${chosen}`);
    }
    await writeFile(path, JSON.stringify(manifest, undefined, 2));
  }
}

async function npmInstall(folder: string, build: VsCodeBuild, args: readonly string[]): Promise<void> {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
  // Packages that check their engine ask for the Node that runs them, which is not the one that installs them.
  const words = [...npm(), "install", "--engine-strict=false", ...quiet, ...args];
  const env = { ...environmentOfThisMachine(), PATH: pathWith() };
  const { code, stderr } = await runToEnd({ words, env, cwd: folder }, installLimitMs);
  if (code === 0) return;
  throw new Error(
    `VS Code ${build.version} cannot be installed: npm install ${args.join(" ")} failed in ${folder}: ` +
      `${lastLines(stderr)}. Run this again where npm's registry can be reached: it is needed once.`,
  );
}

/** VS Code's own script would download it from a place that is no package registry. */
async function placeRipgrep(staging: string): Promise<void> {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  const modules = join(staging, "node_modules", "@vscode", "ripgrep-universal", "bin");
  const target = join(vsCodeFolderOf(staging), "node_modules", "@vscode", "ripgrep", "bin");
  await mkdir(target, { recursive: true });
  await copyFile(join(modules, `${process.platform}-${process.arch}`, program), join(target, program));
  await rm(join(staging, "node_modules", "@vscode"), { recursive: true });
}

async function prune(vsCode: string): Promise<void> {
  const modules = join(vsCode, "node_modules");
  for (const name of unused) await rm(join(modules, name), { recursive: true, force: true });
  const ripgrep = join(modules, "@vscode", "ripgrep-universal", "bin");
  const platforms = existsSync(ripgrep) ? await readdir(ripgrep) : [];
  for (const platform of platforms.filter((name) => name !== `${process.platform}-${process.arch}`)) {
    await rm(join(ripgrep, platform), { recursive: true });
  }
  const files = await readdir(vsCode, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile() && entry.name.endsWith(".map"))) {
    await rm(join(file.parentPath, file.name));
  }
}

/** The package that has Node's program for this machine; the package `node` would run a script to choose it. */
function nodePackage(): string {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `${prefix}-${platform}-${process.arch}`;
}

function vsCodeFolderOf(folder: string): string {
  return join(folder, "node_modules", "code-server", "lib", "vscode");
}

function binFolderOf(folder: string): string {
  return join(folder, "node_modules", ".bin");
}
