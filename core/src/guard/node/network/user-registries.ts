import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { minimalEnvironment, packageClientVariables } from "../../../node/minimal-environment.js";
import { hostsIn } from "../../network/registry-hosts.js";
import { type Target, targetText } from "../../network/target.js";

/** Python may have to start from a cold disk. */
const timeoutMs = 10_000;

/** What pip's own files say that it fetches from where nothing is configured. */
const pipDefaults = `
from pip._internal.models.index import PyPI
print(PyPI.simple_url, "https://" + PyPI.file_storage_domain + "/")
`;

/** Addresses in cargo's own source. */
const cargoDefaults = "https://index.crates.io/ https://static.crates.io/";

/**
 * Returns the hosts that the user's own package managers fetch from: npm, pip, uv and Go by their own commands, cargo by its files.
 * The commands run outside of the sandbox because an agent connects to a host. So they get a minimal environment and an empty
 * folder: nothing that a project or a variable names is loaded. `env` has the PATH to use. Never rejects.
 */
export async function userRegistries(env: NodeJS.ProcessEnv): Promise<readonly Target[]> {
  const folder = await mkdtemp(join(tmpdir(), "symposium-registries-")).catch(() => undefined);
  if (folder === undefined) return [];
  try {
    return await registriesFrom(folder, env);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function registriesFrom(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Target[]> {
  const home = homedir();
  // Go would else download the toolchain that a file above the folder names.
  const outer = { ...minimalEnvironment(env, { more: packageClientVariables }), GOTOOLCHAIN: "local" };
  const run = (file: string, ...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: outer, timeout: timeoutMs, encoding: "utf8", windowsHide: true } as const;
      execFile(file, args, options, (error, stdout) => resolve(error ? "" : stdout)).on("error", () => resolve(""));
    });
  const python = "python3";
  const [npm, pip, defaults, go, cargo, cargoVersion] = await Promise.all([
    run("npm", "config", "list", "--json").then(npmAddresses),
    run(python, "-m", "pip", "config", "list").then(pipAddresses),
    run(python, "-c", pipDefaults),
    run("go", "env", "GOPROXY", "GOSUMDB"),
    cargoAddresses(env["CARGO_HOME"] ?? join(home, ".cargo")),
    run("cargo", "--version"),
  ]);
  const uv = ["UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_EXTRA_INDEX_URL"].map((name) => env[name] ?? "");
  const texts = [
    npm,
    pip === "" ? defaults : pip,
    go.replace(/^(?!https?:)([\w.-]+\.\w+)$/m, "https://$1/"),
    // Before its first download cargo has no file that names its index.
    cargo.trim() === "" && cargoVersion !== "" ? cargoDefaults : cargo,
    ...uv,
  ];
  return [...new Map(texts.flatMap(hostsIn).map((target) => [targetText(target), target])).values()];
}

/** The registry, and those of single scopes. */
function npmAddresses(text: string): string {
  try {
    const settings = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const names = Object.keys(settings).filter((name) => /(?:^|:)registry$/.test(name));
    return names.map((name) => String(settings[name])).join("\n");
  } catch {
    return "";
  }
}

function pipAddresses(text: string): string {
  return text
    .split("\n")
    .filter((line) => /index-url|find-links/.test(line))
    .join("\n");
}

/** Each index that cargo has used has a folder with its name, and says in there where its packages are. */
async function cargoAddresses(folder: string): Promise<string> {
  const index = join(folder, "registry", "index");
  const [config, names] = await Promise.all([
    readFile(join(folder, "config.toml"), "utf8").catch(() => ""),
    readdir(index).catch(() => []),
  ]);
  const told = await Promise.all(
    names.map((name) => readFile(join(index, name, "config.json"), "utf8").catch(() => "")),
  );
  const own = config.split("\n").filter((line) => /^\s*(?:index|registry)\s*=/.test(line));
  return [...own, ...names.map((name) => `https://${name.replace(/-[0-9a-f]{16}$/, "")}/`), ...told].join("\n");
}
