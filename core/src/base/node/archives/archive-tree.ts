import { SymposiumError } from "../../symposium-error.js";
import { nameKey, type NamePlatform, nameProblem } from "./name-rules.js";

export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "symlink" | "hardlink" | "device";
  readonly mode?: number;
  readonly target?: string;
}

type PlacedEntry =
  | { readonly kind: "folder"; readonly path: readonly string[] }
  | { readonly kind: "file"; readonly path: readonly string[]; readonly isExecutable: boolean }
  | { readonly kind: "hardlink"; readonly path: readonly string[]; readonly source: readonly string[] };

/** Symbolic link to a target inside the archive. `target` is relative to the link's folder and uses `/`. */
export interface PlacedLink {
  readonly path: readonly string[];
  readonly target: string;
  /** Final target after following other links; undefined if it doesn't exist. */
  readonly leadsTo: readonly string[] | undefined;
}

export interface ArchiveLimits {
  /** Limit for the total size of all files, in bytes. */
  readonly maxBytes: number;
  /** Limit for the number of members, including folders implied by members' names. */
  readonly maxEntries: number;
}

/** Default limits: 4 GiB and 200,000 members. */
export const defaultArchiveLimits: ArchiveLimits = { maxBytes: 4 * 1024 ** 3, maxEntries: 200_000 };

/** Maximum compression ratio: programs reach about 5, decompression bombs thousands. Not checked below `freeBytes`. */
const maxRatio = 200;
const freeBytes = 64 * 1024 ** 2;
const maxDepth = 64;
/** Limit for the total length of names and link targets, which stay in memory. */
const maxNameLength = 64 * 1024 ** 2;

/**
 * Places archive members and throws `unsafe-archive` for anything that could escape the extraction root or refer to another file than its
 * name says. Links come last, so that nothing is written through a link.
 */
export class ArchiveTree {
  readonly #nodes = new Map<string, TreeNode>();
  #entries = 0;
  #bytes = 0;
  #read = 0;
  #nameLength = 0;

  /** `archiveBytes` is the archive's size, for the compression ratio. */
  constructor(
    private readonly platform: NamePlatform,
    private readonly archiveBytes: number,
    private readonly limits: ArchiveLimits = defaultArchiveLimits,
  ) {}

  /** Returns the place of `entry`. Undefined if there is nothing to write yet. */
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
      throw unsafe(`Its member ${quoted(entry.name)} has no usable name.`);
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
        throw unsafe(`Its member ${quoted(entry.name)} is a device, a pipe or another special file.`);
    }
  }

  /** Counts the size of each piece of content. Call before writing the piece. */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.limits.maxBytes) throw unsafe(`Its content is larger than ${this.limits.maxBytes} bytes.`);
    this.#refuseBomb(this.#bytes);
  }

  /** Counts the size of each decompressed piece. Needed for archives whose data contains more than the members' content. */
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
      throw unsafe(
        `Its hard link ${quoted(entry.name)} points to ${quoted(entry.target ?? "")}, which isn't a file in the archive.`,
      );
    }
    this.#add(path, { kind: "file", path }, entry.name);
    return { kind: "hardlink", path, source: node.path };
  }

  /** Splits a name at slashes and backslashes, because some Windows archivers write backslashes. */
  #path(name: string): readonly string[] {
    if (/^[/\\]|^[a-z]:/i.test(name)) throw unsafe(`Its member ${quoted(name)} has an absolute path.`);
    const path = name.split(/[/\\]/).filter((part) => part !== "" && part !== ".");
    if (path.includes("..")) throw unsafe(`Its member ${quoted(name)} leads out of its folder.`);
    if (path.length > maxDepth) throw unsafe(`Its member ${quoted(name)} is more than ${maxDepth} folders deep.`);
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

  /** Folders may be repeated, even with different case; their members must still differ. */
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
    "Its files were discarded. Report this to the publisher.",
  );
}

function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 199)}…` : name);
}

type TreeNode =
  | { readonly kind: "folder" | "file"; readonly path: readonly string[] }
  | { readonly kind: "symlink"; readonly path: readonly string[]; readonly target: string };

type SymlinkNode = Extract<TreeNode, { kind: "symlink" }>;

/** Maximum number of links to follow, as in Linux. */
const maxHops = 40;

/**
 * Resolves a symbolic link as a system would, through other links. Returns a path below the root, `nothing` for a missing target or a
 * cycle, or `outside`.
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
        // A later link could be placed at a path that doesn't exist yet, so `..` after such a path is outside.
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
