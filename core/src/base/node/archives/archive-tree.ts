import { SymposiumError } from "../../symposium-error.js";
import { nameKey, type NamePlatform, nameProblem } from "./install-name.js";

/** What an archive says of one of its members. Nothing of it is to be believed. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "symlink" | "hardlink" | "device";
  /** UNIX permission bits, where the archive has any. */
  readonly mode?: number;
  /** What a link names. */
  readonly target?: string;
}

/** Where a member belongs, as names below the extraction root. */
type PlacedEntry =
  | { readonly kind: "folder"; readonly path: readonly string[] }
  | { readonly kind: "file"; readonly path: readonly string[]; readonly isExecutable: boolean }
  | { readonly kind: "hardlink"; readonly path: readonly string[]; readonly source: readonly string[] };

/** A symbolic link that leads to a place inside. `target` is relative to its folder and has `/` between its names. */
export interface PlacedLink {
  readonly path: readonly string[];
  readonly target: string;
  /** What it leads to in the end; undefined when the archive has nothing there. */
  readonly leadsTo: readonly string[] | undefined;
}

export interface ArchiveLimits {
  /** Of all files together, in bytes. */
  readonly maxBytes: number;
  /** Members, and folders that only their names imply. */
  readonly maxEntries: number;
}

/** 4 GiB in 200,000 members. */
export const defaultArchiveLimits: ArchiveLimits = { maxBytes: 4 * 1024 ** 3, maxEntries: 200_000 };

/** Programs compress five to one; a bomb thousands to one. Small archives may do as they like. */
const maxRatio = 200;
const freeBytes = 64 * 1024 ** 2;
const maxDepth = 64;
/** Of all names and targets of links together, which are kept in memory: 320 for each of the most members. */
const maxNameLength = 64 * 1024 ** 2;

/**
 * Decides where each member of an archive goes, and refuses, with a {@link SymposiumError} `unsafe-archive`, whatever
 * could reach out of the extraction root or stand for another file than its name says. Links are handed out last,
 * so that nothing is ever written through one.
 */
export class ArchiveTree {
  readonly #nodes = new Map<string, TreeNode>();
  #entries = 0;
  #bytes = 0;
  #read = 0;
  #nameLength = 0;

  /** `archiveBytes` is the size of the archive itself, against which its content is held. */
  constructor(
    private readonly platform: NamePlatform,
    private readonly archiveBytes: number,
    private readonly limits: ArchiveLimits = defaultArchiveLimits,
  ) {}

  /** Where `entry` goes; undefined when there is nothing to write (yet). */
  place(entry: ArchiveEntry): PlacedEntry | undefined {
    if (++this.#entries > this.limits.maxEntries) {
      throw unsafe(`It has more than ${this.limits.maxEntries} members.`);
    }
    this.#nameLength += entry.name.length + (entry.target?.length ?? 0);
    if (this.#nameLength > maxNameLength)
      throw unsafe(`The names of its members take more than ${maxNameLength} bytes.`);
    const path = this.#path(entry.name);
    if (path.length === 0) {
      if (entry.kind === "folder") return undefined;
      throw unsafe(`Its member ${quoted(entry.name)} has no name of its own.`);
    }
    this.#addParents(path, entry.name);
    switch (entry.kind) {
      case "folder":
        this.#addFolder(path, entry.name);
        return { kind: "folder", path };
      case "file":
        this.#add(path, { kind: "file", path }, entry.name);
        return { kind: "file", path, isExecutable: ((entry.mode ?? 0) & 0o111) !== 0 };
      case "hardlink":
        return this.#placeHardLink(path, entry);
      case "symlink":
        this.#add(path, { kind: "symlink", path, target: this.#linkTarget(entry) }, entry.name);
        return undefined;
      case "device":
        throw unsafe(`Its member ${quoted(entry.name)} is a device, a pipe or something else that is no file.`);
    }
  }

  /** To be called with the size of each piece of content before it is written. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.maxBytes) throw unsafe(`Its content is larger than ${this.limits.maxBytes} bytes.`);
    this.#refuseBomb(this.#bytes);
  }

  /** To be called with the size of each piece of the decompressed archive, where there is more in it than content. */
  countRead(bytes: number): void {
    this.#read += bytes;
    if (this.#read > this.limits.maxBytes + freeBytes)
      throw unsafe(`It unpacks to more than ${this.limits.maxBytes} bytes.`);
    this.#refuseBomb(this.#read);
  }

  #refuseBomb(bytes: number): void {
    if (bytes <= freeBytes || bytes <= this.archiveBytes * maxRatio) return;
    throw unsafe(`Its content is more than ${maxRatio} times as large as the archive.`);
  }

  /** The symbolic links, once everything else is placed. */
  links(): readonly PlacedLink[] {
    const links: PlacedLink[] = [];
    for (const node of this.#nodes.values()) {
      if (node.kind !== "symlink") continue;
      const followed = followLink(node, (path) => this.#nodes.get(keyOf(path)));
      if (followed === "outside") {
        throw unsafe(`Its link ${quoted(node.path.join("/"))} leads outside, to ${quoted(node.target)}.`);
      }
      links.push({ path: node.path, target: node.target, leadsTo: followed === "nothing" ? undefined : followed });
    }
    return links;
  }

  #placeHardLink(path: readonly string[], entry: ArchiveEntry): PlacedEntry {
    const source = this.#path(entry.target ?? "");
    const node = this.#nodes.get(keyOf(source));
    if (node?.kind !== "file") {
      throw unsafe(`Its hard link ${quoted(entry.name)} names ${quoted(entry.target ?? "")}, no file of the archive.`);
    }
    this.#add(path, { kind: "file", path }, entry.name);
    return { kind: "hardlink", path, source: node.path };
  }

  /** Backslashes count as separators, as some archivers for Windows write them. */
  #path(name: string): readonly string[] {
    if (/^[/\\]|^[a-z]:/i.test(name)) throw unsafe(`Its member ${quoted(name)} has an absolute path.`);
    const path = name.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
    if (path.includes("..")) throw unsafe(`Its member ${quoted(name)} leads out of its folder.`);
    if (path.length > maxDepth) throw unsafe(`Its member ${quoted(name)} lies more than ${maxDepth} folders deep.`);
    for (const part of path) {
      const problem = nameProblem(part, this.platform);
      if (problem !== undefined) throw unsafe(`In the path of its member ${quoted(name)}, ${quoted(part)} ${problem}.`);
    }
    return path;
  }

  #linkTarget({ name, target = "" }: ArchiveEntry): string {
    const parts = target.replaceAll("\\", "/");
    if (parts === "" || /^\/|^[a-z]:|\0/i.test(parts)) {
      throw unsafe(`Its link ${quoted(name)} leads outside, to ${quoted(target)}.`);
    }
    return parts;
  }

  #addParents(path: readonly string[], name: string): void {
    for (let depth = 1; depth < path.length; depth++) this.#addFolder(path.slice(0, depth), name);
  }

  /** A folder may be named again, also in another case: what is in it still has to differ. */
  #addFolder(path: readonly string[], name: string): void {
    const known = this.#nodes.get(keyOf(path));
    if (known === undefined) this.#keep({ kind: "folder", path });
    else if (known.kind !== "folder") throw this.#clash(name, known);
  }

  #add(path: readonly string[], node: TreeNode, name: string): void {
    const known = this.#nodes.get(keyOf(path));
    if (known !== undefined) throw this.#clash(name, known);
    this.#keep(node);
  }

  #keep(node: TreeNode): void {
    if (this.#nodes.size >= this.limits.maxEntries) throw unsafe(`It has more than ${this.limits.maxEntries} members.`);
    this.#nodes.set(keyOf(node.path), node);
  }

  #clash(name: string, known: TreeNode): SymposiumError {
    return unsafe(`Its member ${quoted(name)} clashes with the ${known.kind} ${quoted(known.path.join("/"))}.`);
  }
}

function keyOf(path: readonly string[]): string {
  return nameKey(path.join("/"));
}

function unsafe(reason: string): SymposiumError {
  return new SymposiumError(
    "unsafe-archive",
    `The archive was refused. ${reason}`,
    "Nothing of it was kept: report this to its publisher.",
  );
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 199)}…` : name);
}

/** What a place in an archive holds. */
type TreeNode =
  | { readonly kind: "folder" | "file"; readonly path: readonly string[] }
  | { readonly kind: "symlink"; readonly path: readonly string[]; readonly target: string };

type SymlinkNode = Extract<TreeNode, { kind: "symlink" }>;

/** As many as Linux follows. */
const maxHops = 40;

/**
 * Where a symbolic link leads, the way a system would walk it, through other links too: a path below the root,
 * `nothing` where the tree holds nothing, or `outside`. A circle leads to nothing.
 */
function followLink(
  link: SymlinkNode,
  nodeAt: (path: readonly string[]) => TreeNode | undefined,
): readonly string[] | "nothing" | "outside" {
  let hops = 0;
  const walk = (from: readonly string[], target: string): readonly string[] | "nothing" | "outside" => {
    if (++hops > maxHops) return "nothing";
    let place: readonly string[] | "nothing" = from;
    for (const part of target.split("/")) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        // Beyond something that does not exist yet, a later link could stand.
        if (place === "nothing" || place.length === 0) return "outside";
        place = place.slice(0, -1);
        continue;
      }
      if (place === "nothing") continue;
      const next: readonly string[] = [...place, part];
      const node = nodeAt(next);
      if (node?.kind === "symlink") {
        const end = walk(place, node.target);
        if (end === "outside") return end;
        place = end;
      } else {
        place = node === undefined ? "nothing" : next;
      }
    }
    return place;
  };
  return walk(link.path.slice(0, -1), link.target);
}
