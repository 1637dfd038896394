// Writes the tables of platforms and names and the root version into the manifests, the registry's entry and the crates, and
// the names into every other text. `--check` only lists differences; `--checksums FILE` adds those of released archives.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseChecksums } from "./checksums.mjs";
import { contextServerManifest, withCrateVersion } from "./context-server-manifest.mjs";
import { extensionManifest } from "./extension-manifest.mjs";
import { identityMentions } from "./identity-mentions.mjs";
import { extensionId, product } from "./identity.mjs";
import { languageModelsManifest } from "./language-models-manifest.mjs";
import { registryEntry } from "./registry-entry.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({ options: { check: { type: "boolean" }, checksums: { type: "string" } } });
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const checksums = values.checksums === undefined ? {} : parseChecksums(await readFile(values.checksums, "utf8"));
const folder = join(root, "zed-extension");
const tools = join(folder, "context-server");
const models = join(folder, "language-models");
const files = {
  [join(folder, "registry", "agent.json")]: () =>
    `${JSON.stringify(registryEntry(version, checksums), undefined, 2)}\n`,
  [join(folder, "extension.toml")]: () => extensionManifest(version, checksums),
  [join(root, "vscode-extension/package.json")]: (old) => withExtensionIdentity(old),
  [join(tools, "extension.toml")]: () => contextServerManifest(version),
  [join(models, "extension.toml")]: () => languageModelsManifest(version),
  ...Object.fromEntries([tools, models].flatMap((crate) => crateFiles(crate))),
};

function crateFiles(folder) {
  return [
    ...["Cargo.toml", "Cargo.lock"].map((name) => [join(folder, name), (old) => withCrateVersion(old, version)]),
    [join(folder, "LICENSE"), () => readFile(join(root, "LICENSE"), "utf8")],
  ];
}

/** The text of the extension's package.json with the table's names and addresses. */
function withExtensionIdentity(text) {
  const manifest = JSON.parse(text);
  const { configurationDefaults: defaults } = manifest.contributes;
  const setting = "chat.tools.eligibleForAutoApproval";
  const tools = Object.entries(defaults[setting]).map(([name, value]) => [
    name.replace(/^.*\//, `${extensionId}/`),
    value,
  ]);
  defaults[setting] = Object.fromEntries(tools);
  Object.assign(manifest, { name: product.id, displayName: product.name, publisher: product.publisher });
  manifest.repository.url = `${product.repository}.git`;
  const addresses = { homepage: product.site, qna: `${product.repository}/issues` };
  return `${JSON.stringify({ ...manifest, ...addresses, bugs: { url: addresses.qna } }, undefined, 2)}\n`;
}

const mentions = await identityMentions(root);
let differing = 0;
for (const { file, text, next } of mentions) await settle(join(root, file), text, next);
for (const [file, contentOf] of Object.entries(files)) {
  const old = await readFile(file, "utf8").catch(() => "");
  await settle(file, old, await contentOf(old));
}
process.exitCode = values.check === true && differing > 0 ? 1 : 0;

async function settle(file, old, content) {
  if (content === old) return;
  differing++;
  if (values.check !== true) return writeFile(file, content);
  const lines = content.split("\n");
  const line = old.split("\n").findIndex((text, index) => text !== lines[index]) + 1;
  console.error(`${file}:${line} is not what the table says: run node scripts/release/manifests.mjs`);
}
