import { readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside, foldersUp } from "../../base/node/folders.js";
import type { NamedFolder } from "../../agents/registry/agent-files.js";

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
  readonly packageSkills?: readonly PackageSkillFolder[];
}

/** Skills that a package brings, as the user has allowed them. */
export interface PackageSkillFolder {
  /** The package for people. */
  readonly title: string;
  /** Absolute, links followed; each skill is a folder in it. */
  readonly folder: string;
  /** The skills that count, with what the user was shown of each. */
  readonly skills: readonly { readonly name: string; readonly description: string }[];
}

/** A form of rules, skills or commands: the file or folder that has them, below a folder of the project or the home folder. */
type Form = Pick<NamedFolder, "path" | "folderIn">;

/** Where something of a form may be. */
export interface FormPlace<F> {
  readonly form: F;
  /** The form's file or folder, absolute; nobody knows whether it is there. */
  readonly base: string;
  /** The folder whose relative paths globs in it are, absolute. */
  readonly folder: string;
  /** Links out of it are not followed: the repository's root, as a real path. Absent for the user's own. */
  readonly within?: string;
  /** A path below `base` for people and models. */
  readonly shown: (path: string) => string;
}

interface FormPlaces<F> {
  /** The nearest folder's first. */
  readonly ofProject: readonly FormPlace<F>[];
  readonly ofUser: readonly FormPlace<F>[];
  /** The root of the session's repository, as a real path; undefined where the session has no folder of its own. */
  readonly within: string | undefined;
  /** A path of the project for people and models: from the session's folder. */
  readonly shownInProject: (path: string) => string;
}

/** Where the forms of a project and of its user may be: the places to look into, in the order of their weight. Never rejects. */
export async function formPlaces<F extends Form>(
  places: ContextPlaces,
  { project, user }: { readonly project: readonly F[]; readonly user: readonly F[] },
): Promise<FormPlaces<F>> {
  const root = places.roots[0] ?? places.home;
  const [folders, realRoot] = await Promise.all([projectFolders(places), realPathOf(root)]);
  const shownInProject = (path: string): string => {
    const below = relative(isInside(path, root) ? root : realRoot, path)
      .split(sep)
      .join("/");
    return below.startsWith("~") ? `./${below}` : below;
  };
  const ofProject = folders.flatMap(({ path: folder, within, names }) =>
    project.flatMap((form) => {
      const parts = form.path.split("/");
      if (!names.has(parts[0] ?? "")) return [];
      return [{ form, base: join(folder, ...parts), folder, within, shown: shownInProject }];
    }),
  );
  const shown = (path: string): string => shownInHome(path, places.home);
  const ofUser = user.map((form) => ({ form, base: pathInHome(form, places), folder: root, shown }));
  return { ofProject, ofUser, within: folders[0]?.within, shownInProject };
}

/** A folder of a project in which files are looked for. */
interface LookedFolder {
  readonly path: string;
  readonly within: string;
  /** What stands in it. */
  readonly names: ReadonlySet<string>;
}

/** The folders of a project from the session's up to the repository's root, and those beside it, the nearest first. */
async function projectFolders({ roots, home }: ContextPlaces): Promise<readonly LookedFolder[]> {
  const folders = new Map<string, LookedFolder>();
  for (const root of roots) {
    for (const folder of await foldersUpwards(root, home)) {
      if (!folders.has(folder.path)) folders.set(folder.path, folder);
    }
  }
  return [...folders.values()];
}

/**
 * Outside of a repository, files of the folders above are nobody's; what lies in the home folder itself is the user's. What
 * is above a folder that is reached by a link is above its target, as for git and for agents; else paths stay as they are given.
 */
async function foldersUpwards(start: string, home: string): Promise<readonly LookedFolder[]> {
  const passed: Omit<LookedFolder, "within">[] = [];
  const realHome = await realPathOf(home);
  const first = await realPathOf(start);
  let path = resolve(start);
  for (const real of foldersUp(first)) {
    if (real === realHome) break;
    if (passed.length > 0) path = (await realPathOf(dirname(path))) === real ? dirname(path) : real;
    const names = new Set(await readdir(real).catch(() => []));
    passed.push({ path, names });
    if (names.has(".git")) return passed.map((folder) => ({ ...folder, within: real }));
  }
  return passed.slice(0, 1).map((folder) => ({ ...folder, within: first }));
}

async function realPathOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

/** Where `path` of a form is in the user's home, or in the folder that a variable names in place of its first one. */
function pathInHome({ path, folderIn }: Form, { env, home }: ContextPlaces): string {
  const named = folderIn === undefined ? undefined : env[folderIn];
  const parts = path.split("/");
  return named !== undefined && isAbsolute(named) ? join(named, ...parts.slice(1)) : join(home, ...parts);
}

/** A file of the user for people and models: with `~` for the home folder. */
function shownInHome(path: string, home: string): string {
  return isInside(path, home) ? `~/${relative(home, path).split(sep).join("/")}` : path;
}
