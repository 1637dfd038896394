import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { askProgram } from "../../../base/node/ask-program.js";
import { minimalEnvironment, packageClientVariables } from "../../../base/node/minimal-environment.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";
import { readAuthority, type Target, targetText } from "../../network/target.js";

/** Python program that prints the default index addresses from pip's own source. */
const pipDefaults = `
from pip._internal.models.index import PyPI
print(PyPI.simple_url, "https://" + PyPI.file_storage_domain + "/")
`;

/** Default addresses of the crates.io registry, from cargo's source. */
const cargoDefaults = "https://index.crates.io/ https://static.crates.io/";

/**
 * Returns the hosts from which the user's package managers download: runs commands of npm, pip, uv and Go, and reads cargo's files. The
 * commands run outside the sandbox at an agent's request, so nothing is run from `notFrom`, the folders that agents can write. Never
 * rejects.
 */
export async function userRegistries(env: NodeJS.ProcessEnv, notFrom: readonly string[]): Promise<readonly Target[]> {
  const home = homedir();
  // Stop Go from downloading the toolchain that a go.mod or go.work in a parent folder names.
  const outer = { ...minimalEnvironment(env, { more: packageClientVariables, notFrom }), GOTOOLCHAIN: "local" };
  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout } = await askProgram(words, { env: outer });
    return code === 0 ? stdout : "";
  };
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
    // Before the first download, cargo has no file that contains its index address.
    cargo.trim() === "" && cargoVersion !== "" ? cargoDefaults : cargo,
    ...uv,
  ];
  return [...new Map(texts.flatMap(hostsIn).map((target) => [targetText(target), target])).values()];
}

/** Returns the addresses of the default registry and of the registries for scopes, from npm's configuration. */
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

/**
 * Returns the addresses in cargo's index folders. cargo creates a folder per index, with a file that contains the address of the packages.
 */
async function cargoAddresses(folder: string): Promise<string> {
  const index = join(folder, "registry", "index");
  const [config, names] = await Promise.all([
    loadUntrustedText(join(folder, "config.toml")).catch(() => ""),
    readdir(index).catch(() => []),
  ]);
  const told = await Promise.all(
    names.map((name) => loadUntrustedText(join(index, name, "config.json")).catch(() => "")),
  );
  const own = config.split("\n").filter((line) => /^\s*(?:index|registry)\s*=/.test(line));
  return [...own, ...names.map((name) => `https://${name.replace(/-[0-9a-f]{16}$/, "")}/`), ...told].join("\n");
}

/** Returns the hosts of all http and https URLs in the output of package managers. */
export function hostsIn(text: string): readonly Target[] {
  const found = new Map<string, Target>();
  for (const [, scheme = "", authority = ""] of text.matchAll(/\b(https?):\/\/([^\s/"',|?#]+)/gi)) {
    // Remove credentials, which precede the host.
    const target = readAuthority(
      authority.slice(authority.lastIndexOf("@") + 1),
      scheme.toLowerCase() === "http" ? 80 : 443,
    );
    if (target && !target.address) found.set(targetText(target), target);
  }
  return [...found.values()];
}
