import { readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { NamedFolder } from "../../registry/agent-files.js";

/** Where rules, skills and commands are looked for. */
export interface ContextPlaces {
  /** The session's folder first; absolute. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Files with rules that the project's own settings name, absolute. */
  readonly instructionFiles: readonly string[];
  /** Folders with skills that the project's own settings name and the user has allowed, absolute, links followed. */
  readonly skillFolders?: readonly string[];
}

/** A folder of a project, or of the user, in which files are looked for. */
interface LookedFolder {
  readonly path: string;
  /** Links out of it are not followed: the repository's root, as a real path. Absent for the user's own folders. */
  readonly within?: string;
  /** What stands in it; undefined where nobody has looked. */
  readonly names?: ReadonlySet<string>;
}

/** The folders of a project from the session's up to the repository's root, and those beside it, the nearest first. */
export async function projectFolders({ roots, home }: ContextPlaces): Promise<readonly LookedFolder[]> {
  const folders = new Map<string, LookedFolder>();
  for (const root of roots) {
    for (const folder of await foldersUpwards(root, home)) {
      if (!folders.has(folder.path)) folders.set(folder.path, folder);
    }
  }
  return [...folders.values()];
}

/** Outside of a repository, files of the folders above are nobody's; what lies in the home folder itself is the user's. */
async function foldersUpwards(start: string, home: string): Promise<readonly LookedFolder[]> {
  const passed: LookedFolder[] = [];
  for (let path = resolve(start); path !== home; path = dirname(path)) {
    const names = new Set(await readdir(path).catch(() => []));
    passed.push({ path, names });
    if (names.has(".git")) return inside(passed, path);
    if (path === dirname(path)) break;
  }
  return inside(passed.slice(0, 1), start);
}

async function inside(folders: readonly LookedFolder[], root: string): Promise<readonly LookedFolder[]> {
  const within = await realpath(root).catch(() => root);
  return folders.map((folder) => ({ ...folder, within }));
}

/** Where `path` of a form is below a folder of a project; undefined where it cannot be there. */
export function pathInProject({ path, names }: LookedFolder, form: Pick<NamedFolder, "path">): string | undefined {
  const parts = form.path.split("/");
  return names?.has(parts[0] ?? "") === false ? undefined : join(path, ...parts);
}

/** Where `path` of a form is in the user's home, or in the folder that a variable names in place of its first one. */
export function pathInHome({ path, folderIn }: Pick<NamedFolder, "path" | "folderIn">, places: ContextPlaces): string {
  const named = folderIn === undefined ? undefined : places.env[folderIn];
  const parts = path.split("/");
  return named !== undefined && isAbsolute(named) ? join(named, ...parts.slice(1)) : join(places.home, ...parts);
}

/** A file of a project for people and models: its path from the session's folder. */
export function shownInProject(path: string, { roots }: ContextPlaces): string {
  return relative(roots[0] ?? "", path)
    .split(sep)
    .join("/");
}

/** A file of the user for people and models: with `~` for the home folder. */
export function shownInHome(path: string, { home }: ContextPlaces): string {
  const below = relative(home, path);
  return below.startsWith("..") || isAbsolute(below) ? path : `~/${below.split(sep).join("/")}`;
}
