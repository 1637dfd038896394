import { createHash } from "node:crypto";
import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { isInFolder } from "../../trust/trust-record.js";
import { faultOfSkillName, type PackageSkills, shownDescription } from "../package-skills.js";

const mostSkills = 20;
const mostFiles = 200;
const mostBytes = 1024 * 1024;
const mostDepth = 5;

type Inspected = Omit<PackageSkills, "key" | "title">;

interface SkillFile {
  /** From the folder of all skills, with `/` between names. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Reads what `folder`, a package's folder `skills`, has in it; undefined where there is no such folder, or where it leads
 * out of `packageFolder`, which is a real path. What has links in it, or is too large, is left out: nothing of a package may
 * stand for a file elsewhere, and all that is allowed has been read. Never rejects.
 */
export async function inspectSkills(packageFolder: string, folder: string): Promise<Inspected | undefined> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || real === packageFolder || !isInFolder(real, packageFolder)) return undefined;
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const skills: Inspected["skills"][number][] = [];
  const files: (readonly [name: string, digest: string])[] = [];
  const problems: string[] = [];
  let bytes = 0;
  for (const name of names.sort()) {
    const read = await readSkill(real, name, skills.length);
    if (read === undefined) continue;
    if (typeof read === "string") {
      problems.push(`${join(real, name)} is left out: ${read}.`);
      continue;
    }
    skills.push({ name, description: read.description });
    files.push(...read.files);
    bytes += read.bytes;
  }
  if (skills.length + problems.length === 0) return undefined;
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex");
  return { folder: real, skills, fileCount: files.length, bytes, digest, problems };
}

interface ReadSkill {
  readonly description: string;
  readonly files: readonly (readonly [name: string, digest: string])[];
  readonly bytes: number;
}

/** The files of one skill, or why it is left out; undefined for a folder that is no skill. */
async function readSkill(base: string, name: string, count: number): Promise<ReadSkill | string | undefined> {
  const main = await lstat(join(base, name, "SKILL.md")).catch(() => undefined);
  if (!main) return undefined;
  const fault = faultOfSkillName(name);
  if (fault !== undefined) return fault;
  if (count >= mostSkills) return `a package may bring at most ${mostSkills} skills`;
  try {
    const found = await filesIn(base, name);
    if (typeof found === "string") return found;
    const texts = await Promise.all(found.map(({ path }) => readFile(path)));
    const files = found.map((file, index) => [file.name, sha256(texts[index])] as const);
    const own = texts[found.findIndex((file) => file.name === `${name}/SKILL.md`)];
    return {
      description: shownDescription(own?.toString("utf8") ?? ""),
      files,
      bytes: found.reduce((sum, file) => sum + file.bytes, 0),
    };
  } catch {
    return "it cannot be read";
  }
}

function sha256(content: Buffer | undefined): string {
  return createHash("sha256")
    .update(content ?? "")
    .digest("hex");
}

async function filesIn(base: string, skill: string): Promise<readonly SkillFile[] | string> {
  const files: SkillFile[] = [];
  let bytes = 0;
  const waiting = [{ name: skill, depth: 1 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at.depth > mostDepth) return `it is more than ${mostDepth} folders deep`;
    for (const entry of await readdir(join(base, ...at.name.split("/")), { withFileTypes: true })) {
      const name = `${at.name}/${entry.name}`;
      const path = join(base, ...name.split("/"));
      if (entry.isDirectory()) {
        waiting.push({ name, depth: at.depth + 1 });
        continue;
      }
      if (!entry.isFile()) return `${name} is a link, or no file`;
      const { size } = await lstat(path);
      bytes += size;
      files.push({ name, path, bytes: size });
      if (files.length > mostFiles) return `it has more than ${mostFiles} files`;
      if (bytes > mostBytes) return `it has more than ${mostBytes} bytes`;
    }
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}
