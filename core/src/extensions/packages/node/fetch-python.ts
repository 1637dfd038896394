import { isThere } from "../../../base/node/folders.js";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pythonNameKey } from "../../../base/python-name-key.js";
import { isDistributionName } from "../python/python-name.js";
import { packageFault } from "../package-reader.js";
import { checkVersion, type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";
import { FetchedFolder, fetchedName } from "./fetched-folder.js";

/**
 * Has pip download the wheel of a distribution, or uv where there is no pip, and unpacks it. Only wheels: what is built from
 * sources would run them. Rejects before it starts when name or version could lead anywhere else.
 */
export async function fetchFromPython(
  { name, version }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isDistributionName(name)) {
    const shown = JSON.stringify(name.slice(0, 200));
    throw packageFault(`${shown} is no name of a distribution.`, 'Give one such as "requests".');
  }
  checkVersion(version);
  // A tag, which indexes of Python do not have, would make another name of it.
  if (version !== undefined && !/^(?:v?\d|[=<>!~]=|[<>])/.test(version)) {
    throw packageFault(
      `version: ${JSON.stringify(version)} is no version or range.`,
      'Give one such as "2.32" or ">=2".',
    );
  }
  const asked = name + (version === undefined ? "" : /^v?\d/.test(version) ? `==${version}` : version);
  const home = join(new FetchedFolder(options.env).root, "python");
  await mkdir(home, { recursive: true });
  const work = await mkdtemp(join(home, ".fetch-"));
  try {
    const root = join(work, "unpacked");
    await mkdir(root);
    const command = await download(asked, work, root, options, signal);
    const info = (await readdir(root)).find((one) => one.endsWith(".dist-info"));
    const [, got] = /^.+?-([\w.!+]+)\.dist-info$/.exec(info ?? "") ?? [];
    if (got === undefined) throw packageFault(`The wheel of ${name} has no metadata.`, "Report it to its publisher.");
    const target = join(home, fetchedName(pythonNameKey(name), got));
    // Whoever fetched the same meanwhile has the same.
    await rename(root, target).catch(async (error: unknown) => {
      if (!(await isThere(target))) throw error;
    });
    return { version: got, folder: target.replaceAll("\\", "/"), command };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Puts the unpacked wheel into `root`, and says what ran. */
async function download(
  asked: string,
  work: string,
  root: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<string> {
  const only = ["--no-deps", "--only-binary", ":all:"];
  const pip = [
    "download",
    ...only,
    "--no-input",
    "--disable-pip-version-check",
    "--quiet",
    "--dest",
    work,
    "--",
    asked,
  ];
  // It runs where no project's file is read.
  const run = await runClient({ command: "pip", args: pip, cwd: work }, options, signal);
  let { failure } = run;
  if (failure === undefined) {
    const wheel = (await readdir(work)).find((file) => file.endsWith(".whl"));
    if (wheel !== undefined) {
      const { extract } = await import("../../../base/node/archives/unpack.js");
      await extract("zip", { file: join(work, wheel), url: wheel, root, signal });
      return `pip download ${only.join(" ")} ${asked}`;
    }
    failure = "pip wrote no wheel";
  } else if (run.isMissing) {
    const uv = ["pip", "install", ...only, "--no-config", "--quiet", "--target", root, "--", asked];
    const second = await runClient({ command: "uv", args: uv, cwd: work }, options, signal);
    if (second.failure === undefined) return `uv pip install ${only.join(" ")} --target FOLDER ${asked}`;
    failure = second.isMissing ? "neither pip nor uv is on the PATH" : second.failure;
  }
  throw packageFault(
    `No wheel of ${asked} was fetched: ${failure}`,
    "Check name and version, and that pip can reach its index. What has no wheel would have to be built, which is not done.",
  );
}
