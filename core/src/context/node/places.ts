import { readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isInside, foldersUp } from "../../base/node/folders.js";
import type { NamedFolder } from "../../agents/registry/agent-files.js";

export interface ContextPlaces {
  /** Absolute paths of the session's folders; the session's working folder is first. */
  readonly roots: readonly string[];
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Absolute paths of rule files named by the project's settings. */
  readonly instructionFiles: readonly string[];
  /** Skill folders that the project's settings name and the user has allowed. Absolute real paths. */
  readonly skillFolders?: readonly string[];
  readonly packageSkills?: readonly PackageSkillFolder[];
}

/** Skills of a package that the user has allowed. */
export interface PackageSkillFolder {
  readonly title: string;
  /** Absolute real path of the folder that contains one subfolder per skill. */
  readonly folder: string;
  /** Skills that the user has allowed, with the descriptions that the user saw. */
  readonly skills: readonly { readonly name: string; readonly description: string }[];
}

/** Location of rules, skills or commands: a file or folder below a project folder or the home folder. */
type Form = Pick<NamedFolder, "path" | "folderIn">;

export interface FormPlace<F> {
  readonly form: F;
  /** Absolute path of the file or folder, which may not exist. */
  readonly base: string;
  /** Absolute folder that the globs are relative to. */
  readonly folder: string;
  /** The repository's root as a real path; undefined for the user's own files. Links that lead out of this folder aren't followed. */
  readonly within?: string;
  readonly shown: (path: string) => string;
}

interface FormPlaces<F> {
  /** Places in the project, starting with the nearest folder. */
  readonly ofProject: readonly FormPlace<F>[];
  readonly ofUser: readonly FormPlace<F>[];
  /** Repository root of the session as a real path; undefined if the session has no folder of its own. */
  readonly within: string | undefined;
  /** Returns a project path relative to the session's folder, for users and models. */
  readonly shownInProject: (path: string) => string;
}

/** Lists the places of all forms in the project and the home folder, in order of precedence. Never rejects. */
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
  const shown = (path: string): string =>
    isInside(path, places.home) ? `~/${relative(places.home, path).split(sep).join("/")}` : path;
  const ofUser = user.map((form) => ({ form, base: pathInHome(form, places), folder: root, shown }));
  return { ofProject, ofUser, within: folders[0]?.within, shownInProject };
}

interface LookedFolder {
  readonly path: string;
  readonly within: string;
  readonly names: ReadonlySet<string>;
}

/** Lists the folders from each session folder up to its repository root, nearest first, without duplicates. */
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
 * Lists a folder and its parents up to the repository root; outside a repository, ignores the parents, because the owner of their files is
 * unknown. Files in the home folder are the user's. Follows links upward from their target as Git and agents do, but returns other paths
 * unchanged.
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

/** Returns the absolute path of a form in the home folder. An environment variable may replace the first folder of the path. */
function pathInHome({ path, folderIn }: Form, { env, home }: ContextPlaces): string {
  const named = folderIn === undefined ? undefined : env[folderIn];
  const parts = path.split("/");
  return named !== undefined && isAbsolute(named) ? join(named, ...parts.slice(1)) : join(home, ...parts);
}
