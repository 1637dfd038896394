import { attempt } from "../../../base/attempt.js";
import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { matchesStars } from "../../../base/star-pattern.js";
import { namedSubmodules } from "./submodules.js";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { isWithin, type SandboxPaths } from "../../sandbox/sandbox-plan.js";

/** Resolves all links in a path; undefined if the path doesn't exist. */
export function realPath(path: string): string | undefined {
  try {
    // On macOS, the native call returns the spelling on disk, which matters since most disks there ignore case.
    return process.platform === "darwin" ? realpathSync.native(path) : realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Resolves the links in a path even if the path doesn't exist. A dangling link resolves to the path that it points to. */
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
 * Parts of `/proc` that root can write even without capabilities; `/proc/sys`, for example, can name programs for the kernel to start.
 * Bubblewrap doesn't protect them if the folders themselves aren't writable.
 */
const kernelFolders = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "pressure"].map(
  (name) => `/proc/${name}`,
);

/** Returns the system paths that programs may read. Links such as `/bin` remain links. */
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

/** Returns files that only root can read and an agent's programs don't need. */
export function systemSecrets(): readonly string[] {
  const keys = listed("/etc/ssh").filter((name) => /^ssh_host_.*_key$/.test(name));
  return [
    ...["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "krb5.keytab"].map((name) => join("/etc", name)),
    ...keys.map((name) => join("/etc/ssh", name)),
  ].filter((path) => realPath(path) === path);
}

/** Returns the folders that a command needs to read when it starts: those of the program, its script, Node and PATH. */
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

/**
 * Returns a function that finds a program's installation folder. If the program's file is directly in the home folder or one level below,
 * the function returns only the file.
 */
function installationOf(home: string): (file: string) => string {
  return (file) => {
    const [packages] = /^.*?\/node_modules(?=\/)/.exec(file) ?? [];
    if (packages !== undefined) return packages;
    const folder = dirname(file);
    const top = foldersUp(folder).findLast((at) => !isWithin(home, at) && isFile(join(at, "package.json")));
    if (top !== undefined) return top;
    const above = dirname(folder);
    const isEnvironment =
      basename(folder) === "bin" && (isFile(join(above, "pyvenv.cfg")) || isFolder(join(above, "lib")));
    if (isEnvironment && !isWithin(home, above)) return above;
    return isWithin(home, dirname(folder)) ? file : folder;
  };
}

function isSystem(path: string): boolean {
  return ["/usr", "/etc", "/opt", "/bin", "/sbin", "/lib", "/nix/store", "/snap"].some((folder) =>
    isWithin(path, folder),
  );
}

/**
 * Returns the existing paths below `folder` that match a pattern, in which `*` is any part of a name and `**` one or more names. Skips
 * links, since they lead elsewhere.
 */
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

/** Expands `*` in the last name of a path. A path without `*` is returned even if it doesn't exist. */
export function pathsLike(path: string, namesIn: typeof listed = listed): readonly string[] {
  const [folder, name] = [dirname(path), basename(path)];
  if (!name.includes("*")) return [path];
  return namesIn(folder).flatMap((one) => (matchesStars(name, one) ? [join(folder, one)] : []));
}

/** Names of folders in a git folder that can't be submodules. */
const insidesOfGit = new Set([
  ...["objects", "refs", "logs", "info", "hooks", "branches", "worktrees"],
  ...["lfs", "rr-cache", "annex", "svn"],
]);
const mostFolders = 5_000;
/** Maximum bytes of a file that contains a single path. */
const maxLinkBytes = 65_536;

/**
 * Returns the folders below a folder that contains repositories, except the folders inside the repositories; doesn't follow links. Throws
 * if there are too many folders, since an agent could create them to hide files from protection.
 */
function foldersBelow(folder: string): readonly string[] {
  const found: string[] = [];
  const left = [folder];
  // Submodules may have names such as `objects`, and a `HEAD` file created by an agent could hide them.
  const named = new Set<string>();
  for (let at = left.shift(); at !== undefined; at = left.shift()) {
    if (found.length >= mostFolders) {
      const remedy = "Remove folders there that don't belong to a submodule.";
      throw new Error(
        `"${folder}" has more than ${mostFolders} folders, so the files in it that run code can't be protected. ${remedy}`,
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

function foldersBetween(folder: string, path: string): readonly string[] {
  const found: string[] = [];
  for (let above = dirname(path); isWithin(above, folder) && above !== folder; above = dirname(above))
    found.push(above);
  return found;
}

/** Returns the git folders of submodules in a repository and its linked worktrees. `folder` is the repository's git folder. */
export function submodulesIn(folder: string): readonly string[] {
  return ["modules", "worktrees/*/modules"]
    .flatMap((modules) => existing(folder, `${modules}/**/config`))
    .map((path) => dirname(path));
}

/**
 * Returns the folder that contains a linked worktree's history. Git's files in that folder must name this worktree, since anyone who can
 * write to the worktree could make it name any folder.
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

/** Returns the entry at a path without following links; undefined if there is none or a parent is a file. */
export function entryAt(path: string): Stats | undefined {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}

/** Returns a function that lists folders and caches each list, since many patterns are about the same folder. */
export function listedOnce(): typeof listed {
  const known = new Map<string, readonly string[]>();
  return (folder) => {
    const names = known.get(folder) ?? listed(folder);
    known.set(folder, names);
    return names;
  };
}

function listed(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder)) ?? [];
}
