import { attempt } from "../attempt.js";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute } from "node:path";
import { isInside } from "./folders.js";
import { type CommandLookup, systemLookup } from "./resolve-command.js";
import { windowsProgram } from "./windows-program.js";

/**
 * Filters PATH for programs that Symposium starts by name without asking. Removes relative folders and folders in `roots`, which agents can
 * write, such as `.venv/bin` and `node_modules/.bin`. Ignores roots that contain the user's home, since the user's programs are there.
 * Falls back to the system's PATH.
 */
export function outerPath(path: string, roots: readonly string[]): string {
  const places = placesOf(roots);
  const outer = path.split(delimiter).filter((entry) => {
    const folder = folderOf(entry);
    // An empty PATH entry means the working folder.
    return isAbsolute(folder) && !leads(folder, places);
  });
  return (outer.length > 0 ? outer : systemFolders()).join(delimiter);
}

/** Whether `path`, which is absolute, or its link target is in one of `roots`. Ignores roots that contain the user's home. */
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
  // Remove duplicates, since this check runs for each PATH folder at each program start and few roots are links.
  return [...new Set(roots.flatMap((root) => [root, realPath(root)]))].filter((root) => !isInside(home, root));
}

export function outerEnvironment(env: NodeJS.ProcessEnv, roots: readonly string[]): NodeJS.ProcessEnv {
  const isPath = (name: string): boolean => (process.platform === "win32" ? name.toUpperCase() : name) === "PATH";
  const entries = Object.entries(env).map(([name, value]): [string, string | undefined] =>
    isPath(name) ? [name, outerPath(value ?? "", roots)] : [name, value],
  );
  return Object.fromEntries(entries);
}

/** Returns a lookup that finds no programs in `roots`, which agents can write to. */
export function outerLookup(roots: readonly string[]): CommandLookup {
  return systemLookup(outerEnvironment(process.env, roots));
}

function systemFolders(): readonly string[] {
  return process.platform === "win32" ? [windowsProgram()] : ["/usr/bin", "/bin"];
}

/** Returns the folder that a PATH entry names. Windows allows quotes around an entry. */
function folderOf(entry: string): string {
  return process.platform === "win32" ? entry.trim().replace(/^"(.*)"$/, "$1") : entry;
}

function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? path;
}
