import { createHash } from "node:crypto";
import { lstat, readdir, readlink, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { isInside, realPlace } from "../../../base/node/folders.js";
import { openUntrusted } from "../../../base/node/read-untrusted-file.js";
import { asObject } from "../../../base/rpc/json.js";
import { parseShellWords } from "../../../base/shell-words.js";
import { type ApprovedContent, type ApprovedEntry, canonicalJson, fileMark, textsIn } from "../approved-content.js";
import { shownPath, stampOf } from "./find-project.js";
import { isResolved, withProjectFolder } from "./resolved-entry.js";

/** Project files that tools run, by tool name, relative to their working folder. */
const runnerFiles: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  deno: ["deno.json", "deno.jsonc", "package.json"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  uv: ["pyproject.toml"],
  cargo: ["Cargo.toml"],
  docker: ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "Dockerfile"],
};

/** Files that a runner starts in a given folder. */
const mainFiles = ["package.json", "index.js", "index.mjs", "index.cjs", "__main__.py", "pyproject.toml", "Cargo.toml"];

const maxFiles = 2_000;
/** Maximum number of files if a whole project is approved. */
const mostOfProject = 10_000;
const maxBytes = 256 * 1024 * 1024;

/** Digests of files by stamp, so that unchanged files aren't reread. */
export type KnownDigests = Map<string, string>;

/**
 * Returns the content to approve: each entry with the project files that it names, or all project files if it runs others. Undefined if the
 * files are too many or too large.
 */
export async function approvedContent(
  entries: readonly ApprovedEntry[],
  { folder, root }: { readonly folder: string; readonly root: string },
  known: KnownDigests,
): Promise<ApprovedContent | undefined> {
  const content = new Map<string, string>();
  const files = new Set<string>();
  for (const { key, value } of entries) {
    content.set(freeKey(key, content), canonicalJson(value));
    for (const base of foldersOf(value, folder)) {
      for (const word of wordsOf(value, folder))
        await addNamed(resolve(base, word), { root, files, isWhole: key.startsWith("skills.") });
      for (const name of runnersOf(value).flatMap((runner) => runnerFiles[runner] ?? []))
        await addFile(join(base, name), { root, files });
    }
  }
  if (files.size > maxFiles) return undefined;
  const digests = await digestsOf(files, root, known);
  if (!digests) return undefined;
  for (const [path, digest] of digests) content.set(`file ${path}`, digest);
  const unresolved: string[] = [];
  for (const entry of entries) if (!(await isResolved(entry, { folder, root }))) unresolved.push(entry.key);
  if (unresolved.length > 0) {
    const whole = await wholeProject(root, known);
    if (whole === undefined) return undefined;
    for (const key of unresolved) content.set(freeKey(`all files of the project, for ${key}`, content), whole);
  }
  return Object.fromEntries([...content].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns the digest of all files in a repository, except those of git and of installed packages; undefined if there are too many files or
 * they are too large.
 */
async function wholeProject(root: string, known: KnownDigests): Promise<string | undefined> {
  const files = new Set<string>();
  await addFolder(root, { root, files, most: mostOfProject, skipped: new Set([".git", "node_modules"]) });
  const digests = files.size > mostOfProject ? undefined : await digestsOf(files, root, known);
  return digests && `${fileMark}${createHash("sha256").update(JSON.stringify(digests)).digest("hex")}`;
}

/** Returns the digests of files by displayed path, sorted; undefined if too large. */
async function digestsOf(
  files: ReadonlySet<string>,
  root: string,
  known: KnownDigests,
): Promise<readonly (readonly [path: string, digest: string])[] | undefined> {
  const digests: (readonly [string, string])[] = [];
  let bytes = 0;
  for (const file of [...files].sort()) {
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() !== true) continue;
    bytes += found.size;
    if (bytes > maxBytes) return undefined;
    const stamp = stampOf(file, found);
    const digest = known.get(stamp) ?? (await digestOf(file));
    known.set(stamp, digest);
    digests.push([shownPath(file, root), await withLink(file, digest)]);
  }
  return digests;
}

export function digestOfContent(content: ApprovedContent): string {
  return createHash("sha256").update(canonicalJson(content)).digest("hex");
}

/** Returns an unused key for an entry. Of entries with equal keys, each needs approval, since any of them may apply. */
function freeKey(key: string, taken: ReadonlyMap<string, string>): string {
  let free = key;
  for (let count = 2; taken.has(free); count++) free = `${key} (${count})`;
  return free;
}

/** Returns the folders to which an entry's relative paths may refer. Other products write `workingDirectory` instead of `cwd`. */
function foldersOf(value: unknown, folder: string): readonly string[] {
  const { cwd, workingDirectory } = asObject(value) ?? {};
  const named = [cwd, workingDirectory].filter((one) => typeof one === "string");
  return [folder, ...named.map((one) => resolve(folder, inFolder(withoutVariables(one, folder), folder)))];
}

/** Returns which tools of {@link runnerFiles} an entry starts, regardless of where the entry contains the command. */
function runnersOf(value: unknown): readonly string[] {
  const commands = typeof value === "string" ? [value.split(/\s/)[0] ?? ""] : commandsIn(value);
  return commands
    .map((command) => basename(command).replace(/\.(?:exe|cmd|bat)$/i, ""))
    .filter((name) => Object.hasOwn(runnerFiles, name));
}

function commandsIn(value: unknown): readonly string[] {
  return textsIn(value).flatMap(([text, key]) => (key === "command" || key === "path" ? [text] : []));
}

/** Replaces variables with the project's defaults, which apply if the user sets none. */
function withoutVariables(text: string, folder: string): string {
  return withProjectFolder(text, folder)
    .replaceAll("${pathSeparator}", () => sep)
    .replaceAll("${workspaceFolderBasename}", () => basename(folder))
    .replace(/\$\{[^{}]*?:-([^{}]*)\}/g, (_whole, fallback: string) => fallback);
}

/** Returns the texts in an entry, and the words in these texts, since each may be a file path. */
function wordsOf(value: unknown, folder: string): ReadonlySet<string> {
  const words = textsIn(value).flatMap(([given]) => {
    const text = withoutVariables(given, folder);
    const shell = parseShellWords(text);
    const split = shell.kind === "problem" ? [] : [shell.command.command, ...shell.command.args];
    // Include words of shell lines, which aren't parsed as commands.
    const loose = text.split(/[\s"'`|&;<>()]+/);
    return [given, text, ...split, ...loose].flatMap((word) => [word, ...word.split(/[=,;:]/)]);
  });
  return new Set(words.map((word) => inFolder(word, ".")).filter((word) => word !== "" && !word.includes("\0")));
}

export function inFolder(text: string, folder: string): string {
  return text.replaceAll("${workspaceFolder}", () => folder);
}

interface Adding {
  readonly root: string;
  readonly files: Set<string>;
  /** Maximum number of files; default: {@link maxFiles}. */
  readonly most?: number;
  readonly skipped?: ReadonlySet<string>;
}

/**
 * Adds the files for a path that an entry names: a file itself, the files that a runner uses in a folder, or all files of a skill folder.
 */
async function addNamed(path: string, { isWhole, ...adding }: Adding & { readonly isWhole: boolean }): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) await addFile(path, adding);
  else if (found?.isDirectory() === true && isWhole) await addFolder(path, adding);
  else if (found?.isDirectory() === true) for (const name of mainFiles) await addFile(join(path, name), adding);
}

async function addFile(path: string, { root, files }: Adding): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found || found.isDirectory()) return;
  // A symbolic link belongs to the project even if it leads outside. The file it points to needs approval.
  if (isInside(path, root)) files.add(path);
  const real = await realPlace(path);
  if (real !== undefined && isInside(real, root)) files.add(real);
}

async function addFolder(path: string, adding: Adding): Promise<void> {
  const real = await realPlace(path);
  if (real === undefined || !isInside(real, adding.root)) return;
  for (const entry of await readdir(real, { withFileTypes: true }).catch(() => [])) {
    if (adding.files.size > (adding.most ?? maxFiles)) return;
    if (adding.skipped?.has(entry.name) === true) continue;
    const child = join(real, entry.name);
    if (entry.isDirectory()) await addFolder(child, adding);
    else await addFile(child, adding);
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await using handle = await openUntrusted(file, { maxBytes: Infinity, links: "follow" });
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  return `${fileMark}${hash.digest("hex")}`;
}

async function withLink(file: string, digest: string): Promise<string> {
  const target = await readlink(file).catch(() => undefined);
  return target === undefined ? digest : `${digest} link to ${JSON.stringify(target)}`;
}
