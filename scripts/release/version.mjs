// The one version of everything that is released: that of the root package.json.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Folders of the packages that have to say the same version as the root. */
export const packageFolders = ["core", "lsp-adapter", "vscode-extension"];
const scope = "@symposium-dev/";

/** Returns a sentence for each version in the repository at `root` that differs from the root package.json. */
export async function versionProblems(root) {
  const { version } = await json(join(root, "package.json"));
  const lock = await json(join(root, "package-lock.json"));
  const problems = [];
  const expect = (where, found) => {
    if (found !== undefined && found !== version) problems.push(`${where} says ${found}, and package.json ${version}.`);
  };
  expect("package-lock.json", lock.version);
  for (const folder of ["", ...packageFolders]) {
    const name = join(folder, "package.json");
    const manifests = [
      [name, await json(join(root, name))],
      [`package-lock.json (${folder || "the root"})`, lock.packages[folder] ?? {}],
    ];
    for (const [where, manifest] of manifests) {
      expect(where, manifest.version);
      for (const [dependency, asked] of ownDependencies(manifest)) expect(`${where}, ${dependency}`, asked);
    }
  }
  return problems;
}

/** Writes `version` wherever the version stands. */
export async function writeVersion(root, version) {
  for (const folder of ["", ...packageFolders]) {
    await edit(join(root, folder, "package.json"), (manifest) => withVersion(manifest, version));
  }
  await edit(join(root, "package-lock.json"), (lock) => {
    lock.version = version;
    for (const folder of ["", ...packageFolders]) withVersion(lock.packages[folder] ?? {}, version);
  });
}

/** The text of a changelog whose unreleased changes are those of `version`; throws where there are none. */
export function withReleasedChanges(changelog, version, date) {
  const heading = "## Unreleased\n";
  const at = changelog.indexOf(heading);
  if (at === -1) throw new Error('CHANGELOG.md has no "## Unreleased".');
  const body = changelog.slice(at + heading.length).split(/^## /m)[0] ?? "";
  if (!/^- /m.test(body)) throw new Error("CHANGELOG.md says nothing under Unreleased: what changes for users?");
  return changelog.replace(heading, `${heading}\n## ${version} - ${date}\n`);
}

/** Returns a changelog's section for `version` without the heading; undefined if there is none. */
export function changesOf(changelog, version) {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} - `));
  return section?.slice(section.indexOf("\n")).trim();
}

/** Whether `next` is a version and a later one than `current`. */
export function isLater(next, current) {
  const numbers = (text) => (/^\d+\.\d+\.\d+$/.test(text) ? text.split(".").map(Number) : undefined);
  const [a, b] = [numbers(next), numbers(current)];
  if (!a || !b) return false;
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && a[at] > b[at];
}

function withVersion(manifest, version) {
  if (manifest.version !== undefined) manifest.version = version;
  for (const [name, , list] of ownDependencies(manifest)) list[name] = version;
}

/** The packages of this repository that a manifest asks for: name, version, and the list that has it. */
function ownDependencies(manifest) {
  const lists = [manifest.dependencies, manifest.devDependencies].filter((list) => list !== undefined);
  return lists.flatMap((list) =>
    Object.entries(list).flatMap(([name, asked]) => (name.startsWith(scope) ? [[name, asked, list]] : [])),
  );
}

async function edit(file, change) {
  const content = await json(file);
  change(content);
  await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`);
}

async function json(file) {
  return JSON.parse(await readFile(file, "utf8"));
}
