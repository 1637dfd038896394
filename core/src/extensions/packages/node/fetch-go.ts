import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import { matchesStars } from "../../../base/star-pattern.js";
import { parsedObject } from "../../../base/rpc/json.js";
import { isImportPath } from "../../../base/go-mod.js";
import { packageFault } from "../package-reader.js";
import { checkVersion, type Fetched, type FetchOptions, type FetchWish, runClient } from "./fetch-client.js";

/**
 * Settings that stop `go` from downloading toolchains, using project files, and letting version control programs connect to a module's
 * host.
 */
const settings = { GOTOOLCHAIN: "local", GOWORK: "off", GOFLAGS: "-mod=mod", GOVCS: "*:off" };

/**
 * Downloads a module to `go`'s cache, only from the user's configured proxies: the agent chooses the name, and `go` would connect to the
 * host in it. Runs in an empty module, since a download in the project would change go.sum. Rejects ambiguous names and versions before the
 * download.
 */
export async function fetchFromGo(
  { name, version = "latest" }: FetchWish,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  if (!isImportPath(name) || name.startsWith("-")) {
    const shown = JSON.stringify(name.slice(0, 200));
    throw packageFault(`${shown} isn't a module path.`, 'Give one such as "golang.org/x/net".');
  }
  checkVersion(version);
  await using temporary = await temporaryFolder("symposium-go-");
  const cwd = temporary.path;
  // Without this go.mod, `go` would use one in a parent folder.
  await writeFile(join(cwd, "go.mod"), "module symposium.invalid/fetch\n");
  const run = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runClient({ command: "go", args, cwd, env }, options, signal);
  const asked = `${name}@${/^\d/.test(version) ? `v${version}` : version}`;
  const configured = await run(["env", "-json", "GOPROXY", "GONOPROXY"], settings);
  const { GOPROXY: proxies, GONOPROXY: direct } = parsedObject(configured.stdout) ?? {};
  if (configured.failure !== undefined || typeof proxies !== "string") {
    throw packageFault(
      `go cannot name its proxies: ${configured.failure ?? "`go env GOPROXY` printed nothing"}`,
      "Check that `go env GOPROXY` works in a terminal.",
    );
  }
  const only = proxiesIn(proxies);
  if (only === "" || isDirect(name, typeof direct === "string" ? direct : "")) {
    throw packageFault(
      `go would download ${asked} from the host in its name, without a proxy (GOPROXY, GOPRIVATE, GONOPROXY).`,
      `Run \`go mod download ${asked}\` in a terminal, or in the project: a sandbox asks the user about the host there.`,
    );
  }
  const { stdout, failure } = await run(["mod", "download", "-json", asked], { ...settings, GOPROXY: only });
  const { Version: got, Dir: folder, Error: error } = parsedObject(stdout) ?? {};
  if (typeof got === "string" && typeof folder === "string" && failure === undefined) {
    return {
      version: got,
      folder: folder.replaceAll("\\", "/"),
      command: `go mod download ${asked} (in an empty folder)`,
    };
  }
  throw packageFault(
    `go cannot download ${asked}: ${typeof error === "string" ? error : (failure ?? "it named no folder")}`,
    "Check the module path and version, and that go can reach its proxy. Packages are downloaded by their module's path.",
  );
}

/** Returns the part of GOPROXY before `direct` or `off`, which end the list. */
function proxiesIn(list: string): string {
  const end = /(?:^|[,|])\s*(?:direct|off)\s*(?:[,|]|$)/.exec(list);
  return list.slice(0, end?.index).trim();
}

/** Whether a GONOPROXY pattern matches a prefix of `name`. Assumes a match for pattern parts with special characters other than `*`. */
function isDirect(name: string, patterns: string): boolean {
  const parts = name.split("/");
  return patterns.split(",").some((pattern) => {
    const wanted = pattern.trim().replace(/\/$/, "").split("/");
    if (wanted.length > parts.length || pattern.trim() === "") return false;
    return wanted.every((part, index) => /[?[\\]/.test(part) || matchesStars(part, parts[index] ?? ""));
  });
}
