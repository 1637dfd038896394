import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { runToEnd } from "../child.js";
import { environmentOfThisMachine } from "../environment.js";
import { pathWith, repositoryRoot } from "../repository.js";
import { whileLocked } from "./file-lock.js";
import { lastLines, packageCache } from "./install-package.js";

const installLimitMs = 5 * 60_000;

/** The Python of an environment in which `name` is installed in exactly this version, or why there is none. */
export async function pythonWith(
  name: string,
  version: string,
): Promise<{ readonly python: string } | { readonly missing: string }> {
  const folder = join(packageCache(), `python-${name}-${version}`);
  const problem = existsSync(folder)
    ? undefined
    : await whileLocked(`${folder}.lock`, () => install(folder, `${name}==${version}`));
  return problem === undefined ? { python: join(folder, "bin", "python") } : { missing: problem };
}

/** Returns the problem, or undefined when it is there. */
async function install(folder: string, requirement: string): Promise<string | undefined> {
  if (existsSync(folder)) return undefined;
  const staging = `${folder}.staging`;
  await rm(staging, { recursive: true, force: true });
  const env = { ...environmentOfThisMachine(), PATH: pathWith() };
  const run = (...words: readonly string[]) => runToEnd({ words, env, cwd: repositoryRoot }, installLimitMs);
  try {
    const made = await run("python3", "-m", "venv", staging);
    if (made.code !== 0) return `Python makes no environment here: ${lastLines(made.stderr)}`;
    const python = join(staging, "bin", "python");
    const installed = await run(python, "-m", "pip", "install", "--quiet", "--retries", "1", requirement);
    if (installed.code !== 0) return `${requirement} cannot be installed: ${lastLines(installed.stderr)}`;
    await rename(staging, folder);
    return undefined;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
