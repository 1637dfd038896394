import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../set-up.mjs";

/** Files that list each bundle's inputs. */
export const bundles = {
  command: "core/dist/bundled-inputs.json",
  extension: "vscode-extension/dist/bundled-inputs.json",
};

/** Files of ours that are made of a package's data, and where its manifest and licence are kept. */
export const dataPackages = { "core/src/sessions/usage/model-prices.ts": "scripts/release/data/genai-prices" };

/** Licences of packages that ship without them, from their repositories. */
const keptLicenses = { "node_modules/@vscode/l10n": "scripts/release/data/licenses/vscode-l10n.txt" };

/** The packages of others whose code is in these bundles: folder, name, version, licence and its text, sorted by name. */
export async function bundledPackages(...files) {
  const inputs = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(root, file), "utf8"))));
  const folders = new Set(inputs.flat().flatMap((input) => packageFolder(input) ?? []));
  const packages = await Promise.all([...folders].map((folder) => describe(folder)));
  return packages.sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
}

/** One text with every licence that has to go with the bundles; packages with the same one stand above it together. */
export function thirdPartyNotices(packages) {
  const byText = new Map();
  for (const { name, version, license, text } of packages) {
    const names = byText.get(text.trim()) ?? [];
    byText.set(text.trim(), [...names, `${name} ${version} (${license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.join("\n")}\n\n${text}\n`);
  return [`This product contains the following packages.\n`, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

/** `node_modules/a/b.js` is of `node_modules/a`; what is nested deepest counts. */
function packageFolder(input) {
  const path = input.replaceAll("\\", "/");
  return dataPackages[path] ?? /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0];
}

async function describe(path) {
  const folder = join(root, path);
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  if (typeof license !== "string")
    throw new Error(`${name} ${version} does not say its licence: find out before it is released.`);
  return { path, name, version, license, text: await licenseText(path, license) };
}

/** The licence and what has to go with it: notices, as Apache's asks for them, and those of code of others inside. */
async function licenseText(path, license) {
  const folder = join(root, path);
  if (keptLicenses[path] !== undefined) return readFile(join(root, keptLicenses[path]), "utf8");
  const names = await readdir(folder);
  const isLicense = (file) => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(file);
  const isNotice = (file) => /^(?:notice|third-?party-?notices?)(?:[.-].*)?$/i.test(file);
  const files = [...names.filter(isLicense).sort(), ...names.filter(isNotice).sort()];
  if (!files.some(isLicense))
    throw new Error(`${folder} says ${license} and has no text of it: find it before it is released.`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.join("\n").replaceAll("\r\n", "\n");
}

function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
