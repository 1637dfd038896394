import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { matchesStars } from "../../../base/star-pattern.js";
import { namedSubmodules } from "./submodules.js";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";

/** The folder or file with all links followed; undefined where there is none. */
export function realPath(path: string): string | undefined {
  try {
    // On macOS the system's own gives names in the spelling of the disk, which most disks there take in any other, too.
    return process.platform === "darwin" ? realpathSync.native(path) : realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Where a path leads, links followed, also where nothing is there yet: a link that leads nowhere leads to where it says. */
export function placeOf(path: string): string {
  let [at, rest] = [resolve(path), ""];
  for (let steps = 0; steps < 100; steps++) {
    const real = realPath(at);
    if (real !== undefined) return join(real, rest);
    const target = entryAt(at)?.isSymbolicLink() ? readlinkSync(at) : undefined;
    if (target === undefined) [at, rest] = [dirname(at), join(basename(at), rest)];
    else at = resolve(dirname(at), target);
  }
  return "/";
}

/**
 * What of `/proc` root owns, and could write without any capability: `/proc/sys` has programs that the kernel starts. Bubblewrap
 * leaves these alone where the folders themselves are not writable.
 */
const kernelFolders = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "pressure"].map(
  (name) => `/proc/${name}`,
);

/** What of the system programs may read. `/bin` and the like are links on most systems, and stay links. */
export function systemPaths(): SandboxPaths["system"] {
  const merged = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
  const folders = ["/usr", "/etc", "/opt", "/sys", "/nix/store", "/gnu/store", "/snap", "/var/lib/ca-certificates"];
  return [
    ...[...folders, ...kernelFolders].filter((path) => realPath(path) === path),
    ...merged.flatMap((path): SandboxPaths["system"] => {
      const stats = entryAt(path);
      if (stats?.isSymbolicLink()) return [{ path, target: readlinkSync(path) }];
      return stats ? [path] : [];
    }),
    { path: "/var/run", target: "../run" },
  ];
}

/** What root could read in there, and programs of an agent need not. */
export function systemSecrets(): readonly string[] {
  const keys = listed("/etc/ssh").filter((name) => /^ssh_host_.*_key$/.test(name));
  return [
    ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "krb5.keytab"].map((name) => join("/etc", name)),
    ...keys.map((name) => join("/etc/ssh", name)),
  ].filter((path) => realPath(path) === path);
}

/** The folders that have to be readable for a command to start: its program's, its script's, Node's, and those of PATH. */
export function programPaths(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  home: string,
): readonly string[] {
  const [program = "", ...args] = words;
  const found = resolveCommand(program, systemLookup(env, cwd));
  const files = [found, process.execPath, ...args.filter((word) => isAbsolute(word)).filter(isFile)];
  const folders = (env["PATH"] ?? "").split(delimiter).filter((path) => isAbsolute(path));
  return [
    ...files.flatMap((file) => (file === undefined ? [] : [file, realPath(file) ?? file])).map(installationOf(home)),
    ...folders.map((path) => (basename(path) === ".bin" ? dirname(path) : path)),
  ].flatMap((path) => {
    const real = realPath(path);
    if (real === undefined || isWithin(home, real) || isSystem(real)) return [];
    return real === path ? [real] : [real, path];
  });
}

/** The folder that a program was installed into: it alone where it lies directly in the user's folder, or one below. */
function installationOf(home: string): (file: string) => string {
  return (file) => {
    const [packages] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [];
    if (packages !== undefined) return packages;
    const folder = dirname(file);
    const top = topmostPackage(folder, home);
    if (top !== undefined) return top;
    const above = dirname(folder);
    const isEnvironment =
      basename(folder) === "bin" && (isFile(join(above, "pyvenv.cfg")) || isFolder(join(above, "lib")));
    if (isEnvironment && !isWithin(home, above)) return above;
    return isWithin(home, dirname(folder)) ? file : folder;
  };
}

/** The highest folder with a package.json, below the user's folder. */
function topmostPackage(folder: string, home: string): string | undefined {
  return foldersUp(folder).findLast((at) => !isWithin(home, at) && isFile(join(at, "package.json")));
}

function isSystem(path: string): boolean {
  return ["/usr", "/etc", "/opt", "/bin", "/sbin", "/lib", "/nix/store", "/snap"].some((folder) =>
    isWithin(path, folder),
  );
}

/** Paths for a pattern below `folder`, whose `*` is any part of a name, and `**` one or more names, that exist. A link is left out: what it leads to is another place. */
export function existing(folder: string, pattern: string): readonly string[] {
  let found = [folder];
  for (const name of pattern.split("/")) {
    found = found
      .flatMap((at) => (name === "**" ? foldersBelow(at) : pathsLike(join(at, name))))
      .filter((path) => {
        const stats = entryAt(path);
        return stats !== undefined && !stats.isSymbolicLink();
      });
  }
  return found;
}

/** The paths that a path stands for whose last name may have stars. Without one, that path alone, which may be missing. */
export function pathsLike(path: string, namesIn: typeof listed = listed): readonly string[] {
  const [folder, name] = [dirname(path), basename(path)];
  if (!name.includes("*")) return [path];
  return namesIn(folder).flatMap((one) => (matchesStars(name, one) ? [join(folder, one)] : []));
}

/** What a repository's own folder has that is none of a submodule's. */
const insidesOfGit = new Set([
  ...["objects", "refs", "logs", "info", "hooks", "branches", "worktrees"],
  ...["lfs", "rr-cache", "annex", "svn"],
]);
const mostFolders = 5_000;
/** Of a file that holds one path. */
const maxLinkBytes = 65_536;

/**
 * The folders below a folder of repositories, without what these are made of; links are not followed. Throws where there are too many: an
 * agent could have made them, to hide in them what has to be held.
 */
function foldersBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const left = [folder];
  // A planted HEAD would hide submodules that are called as the insides of a repository.
  const named = new Set<string>();
  for (let at = left.shift(); at !== undefined; at = left.shift()) {
    if (found.length >= mostFolders) {
      const remedy = "Remove there what is no submodule's.";
      throw new Error(
        `"${folder}" has more than ${mostFolders} folders, so what runs code there cannot be held. ${remedy}`,
      );
    }
    const names = listed(at);
    const isRepository = names.includes("HEAD") && names.includes("objects");
    for (const path of basename(at) === "modules" ? namedSubmodules(at) : []) {
      for (const one of [path, ...foldersBetween(at, path)]) named.add(one);
    }
    const inside = names
      .filter((name) => !(isRepository && insidesOfGit.has(name)) || named.has(join(at, name)))
      .map((name) => join(at, name))
      .filter((path) => entryAt(path)?.isDirectory() === true);
    found.push(...inside);
    left.push(...inside);
  }
  return found;
}

/** Those that lie above `path` and in `folder`. */
function foldersBetween(folder: string, path: string): readonly string[] {
  const found: string[] = [];
  for (let above = dirname(path); isWithin(above, folder) && above !== folder; above = dirname(above))
    found.push(above);
  return found;
}

/** Git's own folders of the submodules of a repository, of which `folder` is git's own, and of its linked work trees. */
export function submodulesIn(folder: string): readonly string[] {
  return ["modules", "worktrees/*/modules"]
    .flatMap((modules) => existing(folder, `${modules}/**/config`))
    .map((path) => dirname(path));
}

/**
 * The folder with the history of a linked work tree, which lies outside of it. Whoever may write the work tree could name any
 * folder, so it counts only where git's own files there name this work tree.
 */
export function gitFolderOf(root: string): string | undefined {
  try {
    const textOf = (...parts: readonly string[]) => readUntrustedFile(join(...parts), { maxBytes: maxLinkBytes });
    const [, named] = /^gitdir: (.+)\n?$/.exec(textOf(root, ".git")) ?? [];
    if (named === undefined) return undefined;
    const own = realpathSync(resolve(root, named));
    if (realPath(resolve(own, textOf(own, "gitdir").trim())) !== join(root, ".git")) return undefined;
    const common = realpathSync(resolve(own, textOf(own, "commondir").trim()));
    return basename(common) === ".git" && dirname(own) === join(common, "worktrees") ? common : undefined;
  } catch {
    return undefined;
  }
}

export function isFolder(path: string): boolean {
  const real = realPath(path);
  return real !== undefined && (entryAt(real)?.isDirectory() ?? false);
}

function isFile(path: string): boolean {
  const real = realPath(path);
  return real !== undefined && (entryAt(real)?.isFile() ?? false);
}

/** What stands at a path, links not followed; undefined where nothing does, also since a file is where a folder should be. */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Lists each folder once: many patterns are for the same one. */
export function listedOnce(): typeof listed {
  const known = new Map<string, readonly string[]>();
  return (folder) => {
    const names = known.get(folder) ?? listed(folder);
    known.set(folder, names);
    return names;
  };
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
