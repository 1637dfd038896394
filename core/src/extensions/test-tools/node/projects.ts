import { Glob } from "../../../base/glob.js";
import { parseGoMod } from "../../../base/go-mod.js";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { foldersUp, isThere } from "../../../base/node/folders.js";
import { foldersBelow, readManifestText } from "../../../base/node/project-folders.js";
import { asObject, parsedObject, stringMembersOf } from "../../../base/rpc/json.js";
import type { ProjectFacts, ScriptCommand } from "../test-runner.js";
import { readTestScript, type ScriptWord, type TestScript } from "../test-script.js";
import { checksOf, installedProgram } from "./check-facts.js";
import { findJvmProject, withoutModules } from "./jvm-projects.js";
import { markers, pythonMarkers } from "./markers.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

/** Maximum number of paths that a test script's pattern is expanded to. */
const maxPaths = 5_000;

/** Implements {@link TestServices.projects}. */
export async function projects(
  path: string,
  isWanted: (facts: ProjectFacts) => boolean,
): Promise<readonly ProjectFacts[]> {
  const isFolder = (await stat(path)).isDirectory();
  const folders = isFolder ? await foldersBelow(path) : [];
  const below = folders.flatMap((one) => (one.entries.some(({ name }) => markers.includes(name)) ? [one.path] : []));
  const above = await folderAbove(isFolder ? path : dirname(path));
  // A test folder with its own conftest.py is run as part of the project that contains it.
  const isOfTests = above.length > 0 && !above.includes(path) && below.includes(path);
  const facts = await Promise.all((below.length > 0 && !isOfTests ? below : above).map(factsOf));
  const isRoot = await isThere(join(path, ".git"));
  const hasRunner = isRoot || below.length === 0 || facts.some(isWanted);
  // Skip package.json files of test fixtures, and those that only set the module type.
  const wanted = hasRunner ? facts : await Promise.all((await folderAbove(dirname(path))).map(factsOf));
  return withoutModules(withoutInnerPython(wanted));
}

async function folderAbove(folder: string): Promise<string[]> {
  let tests: string | undefined;
  for (const at of foldersUp(folder)) {
    const names: readonly string[] = await readdir(at).catch(() => []);
    const known: readonly string[] = tests === undefined ? markers : pythonMarkers;
    if (names.some((name) => name !== "conftest.py" && known.includes(name))) return [at];
    if (names.includes("conftest.py")) tests = at;
    if (names.includes(".git")) break;
  }
  return tests === undefined ? [] : [tests];
}

async function factsOf(folder: string): Promise<ProjectFacts> {
  const [manifest, goModule, python, jvm, bunFile] = await Promise.all([
    readManifest(folder),
    readGoModule(folder),
    findPython(folder),
    findJvmProject(folder),
    findBunFile(folder),
  ]);
  const { dependencies, devDependencies } = manifest ?? {};
  const asked = [...Object.keys(asObject(dependencies) ?? {}), ...Object.keys(asObject(devDependencies) ?? {})];
  const scripts = manifest && stringMembersOf(manifest["scripts"]);
  const script = scripts && readTestScript(scripts);
  return {
    folder,
    ...(scripts && { scripts }),
    ...(bunFile !== undefined && { bunFile }),
    isWorkspace: manifest?.["workspaces"] !== undefined || (await isFile(join(folder, "pnpm-workspace.yaml"))),
    ...(script && { testScript: await withPaths(script, folder) }),
    dependencies: asked,
    checks: await checksOf(folder, python?.program, asked),
    installed: manifest ? await installedRunners(folder) : {},
    ...(python && { python }),
    ...(goModule !== undefined && { goModule }),
    ...(jvm && { jvm }),
  };
}

async function withPaths({ nodeWords, words, ...rest }: TestScript, folder: string): Promise<ScriptCommand> {
  const [ofNode, ofRunner] = await Promise.all([pathsOf(nodeWords, folder), pathsOf(words, folder)]);
  return { ...rest, nodeWords: ofNode, words: ofRunner };
}

/** Expands patterns to sorted paths as a POSIX shell does. A pattern that matches nothing is kept unmodified. */
async function pathsOf(words: readonly ScriptWord[], folder: string): Promise<string[]> {
  const lists = words.map(async ({ text, isPattern }) => {
    if (!isPattern || process.platform === "win32") return [text];
    let paths = [text.startsWith("/") ? "/" : ""];
    for (const part of text.split("/").filter((one) => one !== "")) {
      const next = paths.map(async (path) =>
        (await namesOf(part, resolve(folder, path))).map((name) => join(path, name)),
      );
      paths = (await Promise.all(next)).flat().slice(0, maxPaths);
    }
    return paths.length === 0 ? [text] : paths.sort();
  });
  return (await Promise.all(lists)).flat();
}

/** Returns the names in a folder that match. `**` has the same meaning as `*`, as in a POSIX shell. */
async function namesOf(part: string, folder: string): Promise<readonly string[]> {
  if (part === "." || part === "..") return [part];
  const names = await readdir(folder).catch(() => []);
  const pattern = new Glob(part.replace(/[[\]{},\\]/g, "\\$&").replace(/\*+/g, "*"));
  return names.filter((name) => pattern.matches(name) && (!name.startsWith(".") || part.startsWith(".")));
}

/** Omits test folders inside a Python project, since running the project runs their tests. */
function withoutInnerPython(facts: readonly ProjectFacts[]): readonly ProjectFacts[] {
  const pythons = facts.filter(({ python }) => python).map(({ folder }) => folder);
  return facts.map((one) => {
    const isInner = pythons.some((folder) => one.folder !== folder && one.folder.startsWith(join(folder, "/")));
    if (!isInner) return one;
    const { python: _python, ...rest } = one;
    return rest;
  });
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

async function readManifest(folder: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readManifestText(join(folder, "package.json"));
  return text === undefined ? undefined : parsedObject(text);
}

async function findBunFile(folder: string): Promise<string | undefined> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return ["bun.lock", "bun.lockb", "bunfig.toml"].find((name) => names.includes(name));
}

async function readGoModule(folder: string): Promise<string | undefined> {
  const text = await loadUntrustedText(join(folder, "go.mod")).catch(() => "");
  return parseGoMod(text).module || undefined;
}

/** Returns the installed test runners and coverage tools, found as Node does for an import in the folder. */
async function installedRunners(folder: string): Promise<ProjectFacts["installed"]> {
  const names = ["vitest", "jest", "mocha", "playwright", "c8", "nyc"] as const;
  const programs = await Promise.all(
    names.map((name) => installedProgram(folder, name === "playwright" ? "@playwright/test" : name, name)),
  );
  return Object.fromEntries(
    names.flatMap((name, index) => (programs[index] === undefined ? [] : [[name, programs[index]]])),
  );
}

/**
 * Returns a Python project's interpreter: that of its own virtual environment, the active environment, or a parent folder's environment, or
 * else the default interpreter.
 */
async function findPython(folder: string): Promise<ProjectFacts["python"]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  if (!names.some((name) => pythonMarkers.includes(name))) return undefined;
  const inside = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  for (const at of foldersUp(folder)) {
    for (const name of [".venv", "venv"]) {
      const program = join(at, name, ...inside);
      if (await isThere(program)) return { program, why: join(at, name) };
    }
    if (await isThere(join(at, ".git"))) break;
  }
  const active = process.env["VIRTUAL_ENV"];
  if (active !== undefined)
    return { program: join(active, ...inside), why: `the active environment ${basename(active)}` };
  const program = process.platform === "win32" ? "python" : "python3";
  return { program, why: `${program} on the PATH, because ${folder} has no environment`, isGuess: true };
}

/** Implements {@link TestServices.nodeTests}. */
export async function nodeTests(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true })).filter((name) => !/(?:^|[\\/])node_modules[\\/]/.test(name));
  const files = names.map((name) => join(path, name));
  const pattern = /(?:[\\/]test[\\/].*|[\\/](?:test|test-[^\\/]+|[^\\/]+[._-]test))\.[cm]?([jt])s$/;
  const found = ["j", "t"].map((kind) => files.filter((file) => pattern.exec(file)?.[1] === kind).sort());
  // If a folder has TypeScript and JavaScript tests, the JavaScript is compiled from the TypeScript.
  return found.find((some) => some.length > 0) ?? [path];
}
