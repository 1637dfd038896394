import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { asObject, parsedValue } from "../../../base/rpc/json.js";
import { isPackageName } from "../npm/import-name.js";
import { packageFault } from "../package-reader.js";
import { checkVersion, type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";
import { FetchedFolder, fetchedName, movedTo } from "./fetched-folder.js";

/**
 * Downloads a package's archive with npm and unpacks it. Runs no scripts: npm gets `--ignore-scripts`, and packing a registry package runs
 * none. Rejects names and versions that could lead elsewhere before npm starts.
 */
export async function fetchFromNpm(
  { name, version, project }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isPackageName(name)) {
    throw packageFault(`${JSON.stringify(name.slice(0, 214))} isn't a package name.`, 'Give one such as "zod".');
  }
  checkVersion(version);
  const home = new FetchedFolder(options.env).root;
  await mkdir(join(home, "npm"), { recursive: true });
  await using temporary = await temporaryFolder(".fetch-", join(home, "npm"));
  const work = temporary.path;
  const asked = version === undefined ? name : `${name}@${version}`;
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", work, "--", asked];
  const run = { command: "npm", args, cwd: project ?? work, env: { npm_config_ignore_scripts: "true" } };
  const { stdout, failure } = await runClient(run, options, signal);
  const archive = (await readdir(work)).find((file) => file.endsWith(".tgz"));
  if (failure !== undefined || archive === undefined) {
    throw packageFault(
      `npm cannot fetch ${asked}: ${failure ?? "it wrote no archive"}`,
      "Check the name and version, and that npm can reach its registry.",
    );
  }
  const folder = await unpackInto(work, archive, name, parsedValue(stdout), signal);
  return { ...folder, command: `npm pack ${asked} --ignore-scripts` };
}

async function unpackInto(
  work: string,
  archive: string,
  name: string,
  said: unknown,
  signal: AbortSignal,
): Promise<{ readonly version: string; readonly folder: string }> {
  const { extract } = await import("../../../base/node/archives/unpack.js");
  const root = join(work, "unpacked");
  await mkdir(root);
  await extract("tar.gz", { file: join(work, archive), url: archive, root, signal });
  // npm archives contain one folder, usually named "package".
  const [inside = ""] = await readdir(root);
  const manifest = asObject(parsedValue(await readFile(join(root, inside, "package.json"), "utf8").catch(() => "")));
  const told = asObject((Array.isArray(said) ? said : Object.values(asObject(said) ?? {}))[0]);
  const version = manifest?.["version"] ?? told?.["version"];
  if (typeof version !== "string" || !/^[\w.+-]+$/.test(version)) {
    throw packageFault(`The archive of ${name} has no package.json with a version.`, "Report it to its publisher.");
  }
  const target = join(work, "..", fetchedName(name, version));
  return { version, folder: await movedTo(target, join(root, inside)) };
}
