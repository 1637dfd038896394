import { access, constants, readdir, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { childOf, childrenOf, parseXml } from "../../../base/xml.js";
import { foldersBelow, mayHaveManifests, readManifestText } from "../../../base/node/project-folders.js";
import type { JvmProject } from "../jvm-runner.js";
import { gradleFiles } from "./markers.js";

const maxReports = 5_000;
const maxReportBytes = 8 * 1024 * 1024;
const maxBytesOfReports = 64 * 1024 * 1024;
const maxSources = 20_000;
const codeFile = /\.(?:java|kts?|groovy|scala)$/;

/** Returns a folder's Maven or Gradle build; undefined if there is none. Prefers Maven if the folder has files of both tools. */
export async function findJvmProject(folder: string): Promise<JvmProject | undefined> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  if (names.includes("pom.xml")) {
    const root = await mavenRoot(folder);
    return { tool: "maven", program: await wrapperOf(root, "mvnw", "mvn"), root, module: modulePath(root, folder) };
  }
  if (!names.some((name) => gradleFiles.includes(name))) return undefined;
  const root = await gradleRoot(folder);
  return {
    tool: "gradle",
    program: await wrapperOf(root, "gradlew", "gradle"),
    root,
    module: modulePath(root, folder),
  };
}

/** Omits modules whose root project is also selected, since the root's build runs them. */
export function withoutModules<Facts extends { readonly folder: string; readonly jvm?: JvmProject }>(
  facts: readonly Facts[],
): readonly Facts[] {
  const roots = new Set(facts.filter(({ folder, jvm }) => jvm?.root === folder).map(({ folder }) => folder));
  return facts.map((one) => {
    if (one.jvm === undefined || one.jvm.root === one.folder || !roots.has(one.jvm.root)) return one;
    const { jvm: _jvm, ...rest } = one;
    return rest as Facts;
  });
}

/**
 * Returns a reader for the files that a build writes below `folder` from now on, as JSON lines. `report` is an XML result file, and
 * `source` is a source file that a report mentions.
 */
export async function newReports(folder: string): Promise<{ read(): Promise<string> }> {
  const before = new Map((await reportFiles(folder)).map(({ path, stamp }) => [path, stamp]));
  return {
    async read() {
      const fresh = (await reportFiles(folder)).filter(({ path, stamp }) => before.get(path) !== stamp);
      const texts: (string | undefined)[] = [];
      let length = 0;
      for (const { path } of fresh) {
        const text = length > maxBytesOfReports ? undefined : await readManifestText(path, maxReportBytes);
        texts.push(text);
        length += text?.length ?? 0;
      }
      // Remove system properties, which aren't part of the tests and may contain secrets.
      const plain = texts.map((text = "") => withoutProperties(text));
      const named = new Set(plain.flatMap(filesNamedIn));
      const sources = named.size === 0 ? [] : (await sourcesBelow(folder)).filter((path) => named.has(nameIn(path)));
      const events = [
        ...plain.map((text) => ({ event: "report", text })),
        ...sources.map((path) => ({ event: "source", path })),
      ];
      return events.map((event) => `${JSON.stringify(event)}\n`).join("");
    },
  };
}

/** Returns the names of source files in a report's stack frames, and the probable file names of its classes. The names have no folders. */
function filesNamedIn(report: string): string[] {
  const ofCalls = [...report.matchAll(/\(([\w$-]+\.(?:java|kts?|groovy|scala))\b/g)].map(([, name = ""]) => name);
  const classes = [...report.matchAll(/classname="([^"]*)"/g)].flatMap(
    ([, name = ""]) => /^(?:[\w$]+\.)*([A-Za-z0-9_]+)/.exec(name)?.[1] ?? [],
  );
  return [...ofCalls, ...classes.flatMap((name) => [`${name}.java`, `${name}.kt`])];
}

function withoutProperties(report: string): string {
  const [opening, closing] = ["<properties>", "</properties>"];
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const begin = report.indexOf(opening, at);
    const end = begin === -1 ? -1 : report.indexOf(closing, begin);
    if (end === -1) return [...kept, report.slice(at)].join("");
    kept.push(report.slice(at, begin));
    at = end + closing.length;
  }
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

interface ReportFile {
  readonly path: string;
  readonly stamp: string;
}

async function reportFiles(root: string): Promise<readonly ReportFile[]> {
  const folders = await foldersBelow(root);
  const places = folders.flatMap(({ path, entries }) =>
    entries.some(({ name }) => name === "target" || name === "build") ? [path] : [],
  );
  const found: ReportFile[] = [];
  for (const place of places) {
    const results = join(place, "build", "test-results");
    const tasks = (await readdir(results).catch(() => [])).map((name) => join(results, name));
    const kinds = ["surefire-reports", "failsafe-reports"].map((name) => join(place, "target", name));
    for (const folder of [...kinds, ...tasks]) {
      for (const name of await readdir(folder).catch(() => [])) {
        if (!/^TEST-.*\.xml$/.test(name) || found.length >= maxReports) continue;
        const path = join(folder, name);
        const facts = await stat(path).catch(() => undefined);
        if (facts?.isFile() === true) found.push({ path, stamp: `${facts.mtimeMs} ${facts.size} ${facts.ino}` });
      }
    }
  }
  return found;
}

/** Returns the paths of source files below `root`, relative to it and with `/`. */
async function sourcesBelow(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (prefix: string): Promise<void> => {
    const entries = await readdir(join(root, prefix), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (found.length >= maxSources) return;
      if (entry.isFile() && codeFile.test(entry.name)) found.push(prefix + entry.name);
      else if (mayHaveManifests(entry)) await visit(`${prefix}${entry.name}/`);
    }
  };
  await visit("");
  return found;
}

/** Returns the outermost parent folder whose Maven build includes this folder as a direct or indirect module. */
async function mavenRoot(folder: string): Promise<string> {
  let root = folder;
  for (const at of foldersUp(folder)) {
    const names: readonly string[] = await readdir(at).catch(() => []);
    if (at !== root && names.includes("pom.xml") && (await modulesOf(at)).includes(root)) root = at;
    if (names.includes(".git")) break;
  }
  return root;
}

/** Returns the absolute folders of a Maven project's modules. */
async function modulesOf(folder: string): Promise<readonly string[]> {
  const project = parseXml((await readManifestText(join(folder, "pom.xml"))) ?? "");
  const profiles = childrenOf(childOf(project, "profiles"), "profile");
  const modules = [project, ...profiles].flatMap((one) => childrenOf(childOf(one, "modules"), "module"));
  return modules.map(({ text }) => join(folder, text.trim().replace(/\/pom\.xml$/, "")));
}

async function gradleRoot(folder: string): Promise<string> {
  for (const at of foldersUp(folder)) {
    const names: readonly string[] = await readdir(at).catch(() => []);
    if (names.some((name) => /^settings\.gradle(?:\.kts)?$/.test(name))) return at;
    if (names.includes(".git")) break;
  }
  return folder;
}

function modulePath(root: string, folder: string): string {
  return relative(root, folder).replaceAll("\\", "/");
}

/**
 * Returns the path of the project's wrapper script, which runs the required version, or the installed tool's name if there is no wrapper.
 */
async function wrapperOf(root: string, wrapper: string, otherwise: string): Promise<string> {
  const isWindows = process.platform === "win32";
  const path = join(root, isWindows ? `${wrapper}${wrapper === "mvnw" ? ".cmd" : ".bat"}` : wrapper);
  const mode = isWindows ? constants.F_OK : constants.X_OK;
  const isThere = await access(path, mode).then(
    () => true,
    () => false,
  );
  return isThere ? path : otherwise;
}
