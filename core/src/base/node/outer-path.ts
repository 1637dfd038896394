import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "./folders.js";
import { type CommandLookup, systemLookup } from "./resolve-command.js";
import { windowsProgram } from "./windows-program.js";

/**
 * The PATH `path` for a program that we start by its name and nobody asks about: without folders in `roots`, where agents write, such as
 * `.venv/bin` and `node_modules/.bin`, and without those that depend on the folder it starts in. A root that holds the user's whole
 * folder counts for nothing, since the user's own programs lie there. Where no folder is left, it is the system's.
 */
export function outerPath(path: string, roots: readonly string[]): string {
  const places = placesOf(roots);
  const outer = path.split(delimiter).filter((entry) => {
    const folder = folderOf(entry);
    // An empty one means the working folder.
    return isAbsolute(folder) && !leads(folder, places);
  });
  return (outer.length > 0 ? outer : systemFolders()).join(delimiter);
}

/** Whether the absolute path `path` or what it links to lies in one of `roots`, except those that hold the user's whole folder. */
export function leadsInto(path: string, roots: readonly string[]): boolean {
  return isAbsolute(path) && leads(path, placesOf(roots));
}

function leads(path: string, places: readonly string[]): boolean {
  const isIn = (one: string): boolean => places.some((place) => isInside(one, place));
  if (isIn(path)) return true;
  const real = realPath(path);
  return real !== path && isIn(real);
}

function placesOf(roots: readonly string[]): readonly string[] {
  const home = realPath(homedir());
  // Each once: every start of a program asks for all of its PATH, and most folders are no links.
  return [...new Set(roots.flatMap((root) => [root, realPath(root)]))].filter((root) => !isInside(home, root));
}

/** `env` with the PATH that {@link outerPath} makes of its own. */
export function outerEnvironment(env: NodeJS.ProcessEnv, roots: readonly string[]): NodeJS.ProcessEnv {
  const isPath = (name: string): boolean => (process.platform === "win32" ? name.toUpperCase() : name) === "PATH";
  const entries = Object.entries(env).map(([name, value]): [string, string | undefined] =>
    isPath(name) ? [name, outerPath(value ?? "", roots)] : [name, value],
  );
  return Object.fromEntries(entries);
}

/** A lookup on this machine that finds no program in `roots`, where agents write. */
export function outerLookup(roots: readonly string[]): CommandLookup {
  return systemLookup(outerEnvironment(process.env, roots));
}

function systemFolders(): readonly string[] {
  return process.platform === "win32" ? [windowsProgram()] : ["/usr/bin", "/bin"];
}

/** Windows allows quotes around an entry. */
function folderOf(entry: string): string {
  return process.platform === "win32" ? entry.trim().replace(/^"(.*)"$/, "$1") : entry;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
