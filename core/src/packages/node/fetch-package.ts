import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFault } from "../package-reader.js";
import { checkVersion, type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";
import { fetchFromPython } from "./fetch-python.js";
import { fetchFromMaven } from "./fetch-maven.js";
import { fetchFromNpm } from "./fetch-npm.js";
import { parsedObject } from "../../rpc/json.js";
import { isImportPath } from "../go/module-path.js";

type Fetch = (wish: FetchWish, options: FetchOptions, signal: AbortSignal) => Promise<Fetched>;

/** By ecosystem. */
const fetchers: Readonly<Record<string, Fetch | undefined>> = {
  npm: fetchFromNpm,
  go: fetchFromGo,
  python: fetchFromPython,
  jvm: fetchFromMaven,
};

/** Has the user's own client fetch a package for reading; nothing of it runs, and nothing is installed. */
export function fetchPackage(
  ecosystem: string,
  wish: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const fetch = fetchers[ecosystem];
  if (fetch) return fetch(wish, options, signal);
  throw packageFault(`Packages of ${ecosystem} are not fetched.`, "Install it by the project's own means.");
}

/**
 * Has `go` download a module into its own cache. It runs in an empty folder: in a module, the download would write go.sum.
 * Rejects before it starts when name or version could mean anything else.
 */
async function fetchFromGo(
  { name, version = "latest" }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isImportPath(name) || name.startsWith("-")) {
    const shown = JSON.stringify(name.slice(0, 200));
    throw packageFault(`${shown} is no module path.`, 'Give one such as "golang.org/x/net".');
  }
  checkVersion(version);
  const work = await mkdtemp(join(tmpdir(), "symposium-go-"));
  try {
    const asked = `${name}@${/^\d/.test(version) ? `v${version}` : version}`;
    // No other toolchain is downloaded for it, and no file of a project is read.
    const env = { GOTOOLCHAIN: "local", GOWORK: "off", GOFLAGS: "-mod=mod" };
    const run = { command: "go", args: ["mod", "download", "-json", asked], cwd: work, env };
    const { stdout, failure } = await runClient(run, options, signal);
    const said = parsedObject(stdout);
    const { Version: got, Dir: folder, Error: error } = said ?? {};
    if (typeof got === "string" && typeof folder === "string" && failure === undefined) {
      return {
        version: got,
        folder: folder.replaceAll("\\", "/"),
        command: `go mod download ${asked} (in an empty folder)`,
      };
    }
    throw packageFault(
      `go cannot download ${asked}: ${typeof error === "string" ? error : (failure ?? "it named no folder")}`,
      "Check module path and version, and that go can reach its proxy. Packages are downloaded by the path of their module.",
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
