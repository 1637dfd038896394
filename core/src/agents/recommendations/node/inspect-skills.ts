import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isInside, realPlace } from "../../../base/node/folders.js";
import { faultOfSkillName, type PackageSkills, shownDescription } from "../package-skills.js";
import { loadUntrustedBytes } from "../../../base/node/read-untrusted-file.js";

const mostSkills = 20;
const mostFiles = 200;
const mostBytes = 1024 * 1024;
const mostDepth = 5;

type Inspected = Omit<PackageSkills, "key" | "title">;

interface SkillFile {
  /** Path relative to the package's skills folder, with `/` separators. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Reads the `skills` folder of a package. Undefined if the folder has no skills or leads out of `packageFolder`, which must be a real path.
 * The digest covers every file in the folder, because skills may refer to neighboring files; if any entry has links or is too large, no
 * skill is usable. Never rejects.
 */
export async function inspectSkills(packageFolder: string, folder: string): Promise<Inspected | undefined> {
  const real = await realPlace(folder);
  if (real === undefined || real === packageFolder || !isInside(real, packageFolder)) return undefined;
  try {
    const entries = await readdir(real, { withFileTypes: true });
    const names = await skillNames(real, entries);
    if (names.length === 0) return undefined;
    const files = await filesOf(real, entries);
    return typeof files === "string" ? unusable(real, files) : await readSkills(real, names, files);
  } catch {
    return unusable(real, "it cannot be read");
  }
}

function unusable(folder: string, reason: string): Inspected {
  const problems = [`Skipped the skills in ${folder}: ${reason}.`];
  return { folder, skills: [], fileCount: 0, bytes: 0, digest: "", problems };
}

async function skillNames(base: string, entries: readonly Dirent[]): Promise<readonly string[]> {
  const found = entries
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => ((await lstat(join(base, name, "SKILL.md")).catch(() => undefined)) ? [name] : []));
  return (await Promise.all(found)).flat().sort();
}

async function readSkills(base: string, names: readonly string[], files: readonly SkillFile[]): Promise<Inspected> {
  const skills: Inspected["skills"][number][] = [];
  const problems: string[] = [];
  const digests: (readonly [name: string, digest: string])[] = [];
  const descriptions = new Map<string, string>();
  for (const { name, path } of files) {
    const content = await loadUntrustedBytes(path);
    digests.push([name, createHash("sha256").update(content).digest("hex")]);
    const [, skill] = /^([^/]+)\/SKILL\.md$/.exec(name) ?? [];
    if (skill !== undefined) descriptions.set(skill, shownDescription(content.toString("utf8")));
  }
  for (const name of names) {
    const description = descriptions.get(name) ?? "";
    const fault =
      faultOfSkillName(name) ??
      (skills.length >= mostSkills ? `a package may contain at most ${mostSkills} skills` : undefined) ??
      (description === "" ? "its SKILL.md has no description" : undefined);
    if (fault === undefined) skills.push({ name, description });
    else problems.push(`Skipped ${join(base, name)}: ${fault}.`);
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const digest = createHash("sha256").update(JSON.stringify(digests)).digest("hex");
  return { folder: base, skills, fileCount: files.length, bytes, digest, problems };
}

async function filesOf(base: string, entries: readonly Dirent[]): Promise<readonly SkillFile[] | string> {
  const files: SkillFile[] = [];
  for (const entry of entries) {
    const found = await filesIn(base, entry);
    if (typeof found === "string") return `${entry.name}: ${found}`;
    files.push(...found);
    if (files.length > mostSkills * mostFiles) return `they have more than ${mostSkills * mostFiles} files`;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    if (bytes > mostSkills * mostBytes) return `they have more than ${mostSkills * mostBytes} bytes`;
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function filesIn(base: string, top: Dirent): Promise<readonly SkillFile[] | string> {
  const files: SkillFile[] = [];
  let bytes = 0;
  const waiting = [{ entry: top, name: top.name, depth: 1 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { entry, name, depth } = at;
    const path = join(base, ...name.split("/"));
    if (entry.isDirectory()) {
      if (depth > mostDepth) return `its folders are nested more than ${mostDepth} levels deep`;
      for (const below of await readdir(path, { withFileTypes: true }))
        waiting.push({ entry: below, name: `${name}/${below.name}`, depth: depth + 1 });
      continue;
    }
    if (!entry.isFile()) return `${name} is a link or not a regular file`;
    const { size } = await lstat(path);
    bytes += size;
    files.push({ name, path, bytes: size });
    if (files.length > mostFiles) return `it has more than ${mostFiles} files`;
    if (bytes > mostBytes) return `it has more than ${mostBytes} bytes`;
  }
  return files;
}
