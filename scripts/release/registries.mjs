// Each registry that a release goes to: its files, its credentials and its answers.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { spawnArguments, toolEnvironment } from "../set-up.mjs";
import { product } from "./identity.mjs";
import { npmProgram, ovsxProgram, vsceProgram } from "./release-tools.mjs";

/**
 * The registries by name. `ending` is that of its files. `problems` returns sentences about what would stop publishing:
 * it sends nothing. `publish` returns `{ status, output }`; `isThere` says whether the registry has the file already, and
 * `isThereAnswer` matches its answer if so. Each publishes without a token in a workflow that GitHub vouches for; a token
 * in the environment, `NPM_TOKEN`, `VSCE_PAT` or `OVSX_PAT`, is the fallback.
 */
export const registries = {
  npm: {
    ending: ".tgz",
    problems: async () => {
      const { status, output } = await npm("view", product.npmPackage, "name");
      if (status === 0) return [];
      return /E404/.test(output)
        ? [`npm has no package ${product.npmPackage}: publish its first version by hand, see RELEASING.md.`]
        : [`npm does not answer: ${output}`];
    },
    isThere: async (file, version) => {
      const { stdout } = await npm("view", `${product.npmPackage}@${version}`, "dist.integrity");
      const there = stdout.trim();
      const ours = `sha512-${createHash("sha512")
        .update(await readFile(file))
        .digest("base64")}`;
      if (there !== "" && there !== ours)
        throw new Error(`npm has another ${product.npmPackage}@${version}: ${there}.`);
      return there !== "";
    },
    publish: (file) => npm("publish", file, "--access", "public"),
    isThereAnswer: /cannot publish over|EPUBLISHCONFLICT|previously published/i,
  },
  marketplace: {
    ending: ".vsix",
    problems: async () => [...(await marketplaceAccess()), ...(await takenName())],
    publish: async (file) => vsce("publish", ...marketplaceWords(), "--packagePath", file),
    // A display name that is taken "already exists", too.
    isThereAnswer: / v\d+\.\d+\.\d+ already exists\./,
  },
  "open-vsx": {
    ending: ".vsix",
    problems: async () => {
      const ask = process.env["OVSX_PAT"] ? "verify-pat" : "list";
      const { status, output } = await ovsx(ask, product.publisher);
      return status === 0 ? [] : [`Open VSX has no namespace ${product.publisher} for this release: ${output}`];
    },
    publish: (file) => ovsx("publish", file, ...(process.env["OVSX_PAT"] ? [] : ["--trusted-publishing"])),
    isThereAnswer: /is already published/i,
  },
};

/** Matches answers that stay the same however often one tries. */
export const refusal =
  /\bE?40[0134]\b|\bE(?:NEEDAUTH|OTP)\b|expired|not authorized|unauthorized|Can not acquire|invalid access token/i;

/** Entra's identity comes first, then the token; without either the Marketplace asks GitHub itself. */
function marketplaceWords() {
  if (process.env["AZURE_CLIENT_ID"]) return ["--azure-credential"];
  return process.env["VSCE_PAT"] ? [] : ["--oidc"];
}

async function marketplaceAccess() {
  const words = marketplaceWords();
  // The Marketplace accepts GitHub's word for publishing alone.
  if (words.includes("--oidc")) return [];
  const { status, output } = await vsce("verify-pat", ...words, product.publisher);
  return status === 0 ? [] : [`The Marketplace lets nobody publish as ${product.publisher}: ${output}`];
}

async function takenName() {
  const { status, stdout, output } = await vsce("search", product.name, "--json");
  if (status !== 0) return [`The Marketplace does not answer: ${output}`];
  const found = stdout.trimStart().startsWith("[") ? JSON.parse(stdout) : [];
  const [other] = found.filter(
    ({ displayName, publisher }) =>
      displayName?.toLowerCase() === product.name.toLowerCase() && publisher.publisherName !== product.publisher,
  );
  if (other === undefined) return [];
  const id = `${other.publisher.publisherName}.${other.extensionName}`;
  return [`The Marketplace has a "${product.name}" already, ${id}: choose another name in identity.mjs.`];
}

/** Runs npm, with the registry at `NPM_REGISTRY_URL` if that is set: the tools themselves come from npm's usual one. */
async function npm(...words) {
  const program = [await npmProgram()];
  const registry =
    process.env["NPM_REGISTRY_URL"] ??
    capture(process.execPath, [...program, "config", "get", "registry"]).stdout.trim();
  const token = process.env["NPM_TOKEN"];
  const env = token ? { [`npm_config_${registry.replace(/^https?:/, "")}:_authToken`]: token } : {};
  return capture(process.execPath, [...program, ...words, "--registry", registry], env);
}

async function vsce(...words) {
  const env = marketplaceWords().length === 0 ? {} : { VSCE_PAT: "" };
  return capture(process.execPath, [await vsceProgram(), ...words], env);
}

async function ovsx(...words) {
  return capture(process.execPath, [await ovsxProgram(), ...words]);
}

function capture(program, words, env = {}) {
  const options = { encoding: "utf8", env: { ...toolEnvironment(), ...env }, maxBuffer: 2 ** 26 };
  const { status, stdout, stderr, error } = spawnSync(...spawnArguments(program, words, options));
  if (error) throw new Error(`${program} cannot be started: ${error.message}`);
  return { status, stdout, output: `${stdout}${stderr}` };
}
