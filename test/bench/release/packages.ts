import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../../support/child.js";
import { environmentOfThisMachine } from "../../support/environment.js";
import { lastLines } from "../../support/packages/install-package.js";
import { repositoryRoot } from "../../support/repository.js";
import { benchPath } from "../lanes.js";
import { NotMade } from "./release-lane.js";

const makeLimitMs = 10 * 60_000;
const sources = ["core/dist/bin", "lsp-adapter/src", "vscode-extension/src", "vscode-extension/webview"];

/** Folder for everything that the bench builds to measure. */
export const releaseCache = join(repositoryRoot, ".cache", "bench-release");

/** The packages of a release for this machine, as files. */
export interface ReleasePackages {
  readonly npm: string;
  readonly archive: string;
  readonly vsix: string;
}

/** Returns the packages that `npm run package` makes for this platform. Makes them again if a source is newer. Throws {@link NotMade}. */
export async function releasePackages(): Promise<ReleasePackages> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const platform = `${system}-${process.arch}`;
  const out = join(releaseCache, "packages");
  if ((await timeOf(join(out, "SHA256SUMS"))) < (await newestSource())) {
    const script = join(repositoryRoot, "scripts", "release", "package.mjs");
    const options = ["--only", "npm,archives,vsix", "--platform", platform, "--out", out];
    await must(["node", script, ...options]);
  }
  const names = await readdir(out);
  const find = (what: string, matches: (name: string) => boolean): string => {
    const name = names.find(matches);
    if (name === undefined) throw new NotMade(`npm run package makes no ${what} for ${platform}.`);
    return join(out, name);
  };
  return {
    npm: find("npm package", (name) => name.endsWith(".tgz")),
    archive: find("archive", (name) => name.includes(platform) && /\.(?:tar\.gz|zip)$/.test(name)),
    vsix: find("vsix", (name) => name.includes(process.arch) && name.endsWith(".vsix")),
  };
}

/** Unpacks an archive into the new folder `folder`. */
export async function unpack(archive: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await must(["tar", "-xf", archive, "-C", folder]);
}

/** Runs a program that makes something; throws {@link NotMade} with the end of what it said when it cannot. */
export async function must(words: readonly string[], cwd = repositoryRoot): Promise<void> {
  const env = { ...environmentOfThisMachine(), PATH: benchPath };
  const { code, stderr } = await runToEnd({ words, env, cwd }, makeLimitMs);
  if (code !== 0) throw new NotMade(lastLines(stderr));
}

/** The bytes of a file, or of all files in a folder. */
export async function bytesOf(path: string): Promise<number> {
  const entry = await stat(path);
  if (!entry.isDirectory()) return entry.size;
  const files = (await readdir(path, { withFileTypes: true, recursive: true })).filter((found) => found.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** When a file was last written, in milliseconds since 1970; 0 for none. */
export async function timeOf(file: string): Promise<number> {
  return existsSync(file) ? (await stat(file)).mtimeMs : 0;
}

async function newestSource(): Promise<number> {
  const times = await Promise.all(
    sources.map(async (folder) => {
      const entries = await readdir(join(repositoryRoot, folder), { withFileTypes: true, recursive: true });
      const files = entries.filter((entry) => entry.isFile()).map((file) => timeOf(join(file.parentPath, file.name)));
      return Math.max(...(await Promise.all(files)));
    }),
  );
  return Math.max(...times);
}
