import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { redactText } from "../../base/redact.js";
import { configFolder } from "../../node/own-program.js";
import type { Watchdog } from "../../node/watchdog.js";
import { asObject, parsedValue } from "../../rpc/json.js";
import { runProgram } from "../../runs/node/run-program.js";
import { packageFault } from "../package-reader.js";
import type { FetchedPackages } from "../package-library.js";
import { isPackageName } from "../npm/import-name.js";

interface FetchOptions {
  readonly watchdog: Watchdog | undefined;
  readonly env: NodeJS.ProcessEnv;
}

interface NpmWish {
  readonly name: string;
  /** A version, a range or a tag; the newest when absent. */
  readonly version: string | undefined;
  /** Where npm runs: its configuration there counts. Absent for the user's own alone. */
  readonly project: string | undefined;
}

const timeoutMs = 120_000;
/** What can be no version, range or tag of a registry is no wish of ours: folders and addresses would run scripts. */
const versionForm = /^(?!-)[\w.+~^<>=*| -]{1,100}$/;

/** Packages that were fetched for reading, in a folder of this user: one folder for each version, made whole or not at all. */
export class FetchedFolder implements FetchedPackages {
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  get root(): string {
    return join(configFolder(this.env, homedir()), "cache", "packages");
  }

  async folderOf(ecosystem: string, name: string, version: string): Promise<string | undefined> {
    if (!isPackageName(name)) return undefined;
    const folder = join(this.root, ecosystem, `${name.replaceAll("/", "+")}@${version}`);
    return (await stat(folder).catch(() => undefined))?.isDirectory() === true
      ? folder.replaceAll("\\", "/")
      : undefined;
  }
}

/**
 * Has npm fetch the archive of a package and unpacks it. No script of it runs: npm is told so, and what comes from a registry
 * has none that packing would run. Rejects before npm starts when name or version could lead anywhere else.
 */
export async function fetchFromNpm(
  { name, version, project }: NpmWish,
  { watchdog, env }: FetchOptions,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly folder: string; readonly command: string }> {
  if (!isPackageName(name)) {
    throw packageFault(`${JSON.stringify(name.slice(0, 214))} is no name of a package.`, 'Give one such as "zod".');
  }
  if (version !== undefined && !versionForm.test(version)) {
    throw packageFault(
      `version: ${JSON.stringify(version)} is no version, range or tag.`,
      'Give one such as "4.1.0" or "^4".',
    );
  }
  const home = new FetchedFolder(env).root;
  await mkdir(join(home, "npm"), { recursive: true });
  const work = await mkdtemp(join(home, "npm", ".fetch-"));
  try {
    const asked = version === undefined ? name : `${name}@${version}`;
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", work, "--", asked];
    const output = { stdout: "", stderr: "" };
    const run = { command: "npm", args, cwd: project ?? work, env: { npm_config_ignore_scripts: "true" } };
    const limits = {
      signal,
      timeoutMs,
      output: (text: string) => (output.stdout += text),
      errors: (text: string) => (output.stderr += text),
    };
    const exit = await runProgram(run, limits, {
      watchdog,
      env,
      terminationMs: 2_000,
      maxOutputBytes: 8 * 1024 * 1024,
    });
    signal.throwIfAborted();
    const archive = (await readdir(work)).find((file) => file.endsWith(".tgz"));
    if (exit.code !== 0 || archive === undefined) {
      const said = redactText(output.stderr.trim().slice(-1_500)) || (exit.startError ?? `exit code ${exit.code}`);
      throw packageFault(
        `npm cannot fetch ${asked}: ${said}`,
        "Check name and version, and that npm can reach its registry.",
      );
    }
    const folder = await unpackInto(work, archive, name, parsedValue(output.stdout), signal);
    return { ...folder, command: `npm pack ${asked} --ignore-scripts` };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function unpackInto(
  work: string,
  archive: string,
  name: string,
  said: unknown,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly folder: string }> {
  const { extract } = await import("../../install/unpack.js");
  const root = join(work, "unpacked");
  await mkdir(root);
  await extract("tar.gz", { file: join(work, archive), url: archive, root, signal });
  // Archives of npm have one folder, mostly named "package".
  const [inside = ""] = await readdir(root);
  const manifest = asObject(parsedValue(await readFile(join(root, inside, "package.json"), "utf8").catch(() => "")));
  const told = asObject((Array.isArray(said) ? said : Object.values(asObject(said) ?? {}))[0]);
  const version = manifest?.["version"] ?? told?.["version"];
  if (typeof version !== "string" || !/^[\w.+-]+$/.test(version)) {
    throw packageFault(`The archive of ${name} has no package.json with a version.`, "Report it to its publisher.");
  }
  const target = join(work, "..", `${name.replaceAll("/", "+")}@${version}`);
  // Whoever fetched the same meanwhile has the same.
  await rename(join(root, inside), target).catch(async (error: unknown) => {
    if ((await stat(target).catch(() => undefined)) === undefined) throw error;
  });
  return { version, folder: join(target).replaceAll("\\", "/") };
}
