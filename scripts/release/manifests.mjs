// Writes what the table of platforms and the root version say into zed-extension/: the registry's entry, the manifests and
// the version of the crate. `--check` only compares; `--checksums FILE` adds the checksums of released archives.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseChecksums } from "./checksums.mjs";
import { contextServerManifest, withCrateVersion } from "./context-server-manifest.mjs";
import { extensionManifest } from "./extension-manifest.mjs";
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

let differing = 0;
for (const [file, contentOf] of Object.entries(files)) {
  const old = await readFile(file, "utf8").catch(() => "");
  const content = await contentOf(old);
  if (content === old) continue;
  differing++;
  if (values.check === true)
    console.error(`${file} is not what the table says: run node scripts/release/manifests.mjs`);
  else await writeFile(file, content);
}
process.exitCode = values.check === true && differing > 0 ? 1 : 0;
