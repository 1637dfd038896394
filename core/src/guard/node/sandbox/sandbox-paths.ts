import { homedir } from "node:os";
import { join } from "node:path";
import type { HomeFolder, SandboxNeeds } from "../../../registry/sandbox-needs.js";
import { hiddenInHome, protectedInWorkspace, toolchainsInHome } from "../../sandbox/protected-names.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";
import {
  existing,
  gitFolderOf,
  isFolder,
  programPaths,
  realPath,
  systemPaths,
  systemSecrets,
} from "./machine-paths.js";
import { openPrivateHome } from "./private-home.js";

/** What a sandbox is for. */
export interface SandboxSubject {
  /** Names the private folder, such as `claude-code`. */
  readonly id: string;
  readonly needs: SandboxNeeds | undefined;
  /** Workspace roots: absolute paths. */
  readonly roots: readonly string[];
  /** Whether it writes temporary folders of ours that its command names: for our own tools. */
  readonly sharesTemporary?: boolean;
  /** Files and folders of ours that its programs start. */
  readonly ownPrograms: readonly string[];
  /** The folder of our own configuration. */
  readonly configFolder: string;
  /** The user's own folder; that of this process by default. */
  readonly home?: string;
}

/** What is known of a program's sandbox on this machine, and what of the protected names is not there yet. */
interface FoundPaths {
  readonly paths: SandboxPaths;
  /** Paths that would run code later, if they were made: to be watched. */
  readonly missing: readonly string[];
}

/** Why a folder can be no workspace of a sandbox, with the remedy; undefined where it can. */
export function refusedRoot(root: string, configFolder: string, home = homedir()): string | undefined {
  const [real, own] = [realPath(root), realPath(home) ?? home];
  const remedy = "Open a folder of your project.";
  if (real === undefined || !isFolder(real)) return `"${root}" is not a folder. ${remedy}`;
  if (isWithin(own, real)) return `"${root}" holds your whole home folder, which a sandbox cannot open. ${remedy}`;
  const system = ["/usr", "/etc", "/bin", "/sbin", "/lib", "/boot", "/dev", "/proc", "/sys", "/run"];
  const closed = [...system, realPath(configFolder) ?? configFolder, ...hiddenInHome.map((name) => join(own, name))];
  const lies = closed.find((folder) => isWithin(real, folder));
  if (lies !== undefined) return `"${root}" lies in "${lies}", which no sandbox opens. ${remedy}`;
  return undefined;
}

/** Looks at this machine for a program's sandbox, and makes what has to be there. Throws where the private folder is no folder of ours. */
export function findPaths(
  { id, needs, roots, ownPrograms, configFolder, home: given = homedir() }: SandboxSubject,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): FoundPaths {
  const home = realPath(given) ?? given;
  const real = [...new Set(roots.flatMap((root) => realPath(root) ?? []))];
  const histories = real.flatMap((root) => gitFolderOf(root) ?? []);
  const state = (needs?.state ?? []).map((folder) => homeFolder(folder, home, env));
  const readable = (needs?.readable ?? []).map((folder) => homeFolder(folder, home, env));
  const toolchains = toolchainsInHome.map((name) => join(home, name));
  const privateHome = openPrivateHome({
    folder: join(configFolder, "guard", "home", id),
    home,
    copied: needs?.copied ?? [],
    state,
  });
  const programs = [...toolchains, ...readable, ...programPaths(words, env, cwd, home), ...ownPrograms];
  const owned = [
    ...real.map((folder) => ({
      folder,
      names: [...protectedInWorkspace, ...(isFolder(join(folder, ".git")) ? [] : [".git"])],
    })),
    ...histories.map((folder) => ({
      folder,
      names: ["config", "config.worktree", "hooks", "modules/*/config", "modules/*/hooks"],
    })),
    ...state.map((folder) => ({ folder, names: needs?.runsLater ?? [] })),
  ];
  const found = owned.flatMap(({ folder, names }) =>
    names.map((name) => ({ folder, name, paths: existing(folder, name) })),
  );
  return {
    paths: {
      home,
      privateHome,
      system: systemPaths(),
      secrets: process.getuid?.() === 0 ? systemSecrets() : [],
      programs: [...new Set(programs.flatMap((path) => visible(path)))].filter((path) => !isWithin(home, path)),
      state: state.flatMap((path) => visible(path)),
      roots: [...new Set([...real, ...histories])],
      runsLater: [...new Set(found.flatMap(({ paths }) => paths))],
      hidden: [realPath(configFolder) ?? configFolder],
    },
    missing: found.flatMap(({ folder, name, paths }) =>
      paths.length === 0 && !name.includes("*") ? [join(folder, name)] : [],
    ),
  };
}

/** The path, and where it leads to when it is a link. */
function visible(path: string): readonly string[] {
  const real = realPath(path);
  return real === undefined ? [] : [real];
}

function homeFolder(
  { folderIn, folder, name = "" }: HomeFolder,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const moved = folderIn === undefined ? undefined : env[folderIn];
  return join(moved === undefined || moved === "" ? join(home, folder) : moved, name);
}
