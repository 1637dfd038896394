import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pythonNameKey } from "../../../base/python-name-key.js";
import { isDistributionName } from "../python/python-name.js";
import { packageFault } from "../package-reader.js";
import { checkVersion, type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";
import { FetchedFolder, fetchedName, movedTo } from "./fetched-folder.js";

/**
 * Downloads and unpacks a distribution's wheel with pip, or with uv if pip is missing. Accepts only wheels, since a source build would run
 * the package's code; rejects names and versions that could lead elsewhere before it starts a client.
 */
export async function fetchFromPython(
  { name, version }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isDistributionName(name)) {
    const shown = JSON.stringify(name.slice(0, 200));
    throw packageFault(`${shown} isn't a distribution name.`, 'Give one such as "requests".');
  }
  checkVersion(version);
  // Python indexes have no tags, so pip would read a tag as part of the name.
  if (version !== undefined && !/^(?:v?\d|[=<>!~]=|[<>])/.test(version)) {
    throw packageFault(
      `version: ${JSON.stringify(version)} isn't a version or range.`,
      'Give one such as "2.32" or ">=2".',
    );
  }
  const asked = name + (version === undefined ? "" : /^v?\d/.test(version) ? `==${version}` : version);
  const home = join(new FetchedFolder(options.env).root, "python");
  await mkdir(home, { recursive: true });
  await using temporary = await temporaryFolder(".fetch-", home);
  const work = temporary.path;
  const root = join(work, "unpacked");
  await mkdir(root);
  const command = await download(asked, work, root, options, signal);
  const info = (await readdir(root)).find((one) => one.endsWith(".dist-info"));
  const [, got] = /^.+?-([\w.!+]+)\.dist-info$/.exec(info ?? "") ?? [];
  if (got === undefined) throw packageFault(`The wheel of ${name} has no metadata.`, "Report it to its publisher.");
  const target = join(home, fetchedName(pythonNameKey(name), got));
  return { version: got, folder: await movedTo(target, root), command };
}

/** Downloads the wheel, unpacks it into `root` and returns the executed command. */
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
  // Run pip in a folder without project files.
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
    `Couldn't fetch a wheel of ${asked}: ${failure}`,
    "Check the name and version, and that pip can reach its index. Packages without a wheel aren't supported, because they would " +
      "have to be built.",
  );
}
