import { join } from "node:path";
import type { FolderSnapshot } from "../../snapshots/snapshots.js";
import type { TreeChange, TreeEntry } from "../../snapshots/tree.js";
import type { OnDisk } from "../files/disk-files.js";
import type { SeenAttributeChange } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { decodedText, isMarked, opaqueFile, opaqueLink, parseOpaque } from "../hunks/opaque-text.js";

/** A change that no tool call announced: a formatter, a script, a command of the agent's. */
export interface FoundChange {
  /** Absolute. */
  readonly path: string;
  readonly before: FileText;
  readonly after: FileText;
  /** When the file had become so; undefined where there is none any more. */
  readonly writtenAtMs?: number | undefined;
  /** Where something else than the text is different. */
  readonly attributes?: SeenAttributeChange;
}

/** What a turn wants of snapshots. */
interface TurnSnapshots {
  take(root: string): Promise<FolderSnapshot | undefined>;
  changesSince(snapshot: FolderSnapshot): Promise<readonly TreeChange[] | undefined>;
  content(hash: string): Promise<Uint8Array | undefined>;
}

interface TurnFiles {
  look(path: string): Promise<OnDisk>;
  /** From now on a link at this path is a thing of its own, and not what it leads to. */
  asLink(path: string): void;
  /** The file had a byte order mark before this text. */
  wasMarked(path: string, text: string): void;
}

/** More changed files than this, or with more text in all, are not for review by eye. */
const maxFound = 5_000;
const maxChars = 60_000_000;
/** Read at a time. */
const batch = 20;

interface FoundChanges {
  readonly found: readonly FoundChange[];
  /** So many more files are different, which were too many to look at. */
  readonly unseen: number;
}

/**
 * One turn as snapshots see it: what its folders were when it began, to find at its end what the agent changed without
 * saying so. Ignored files are none of its business, unless the user wants them.
 */
export class SnapshotTurn {
  private constructor(
    private readonly snapshots: TurnSnapshots,
    private readonly files: TurnFiles,
    readonly begun: readonly FolderSnapshot[],
  ) {}

  /** `roots` are absolute, none within another. */
  static async begin(roots: readonly string[], snapshots: TurnSnapshots, files: TurnFiles): Promise<SnapshotTurn> {
    const begun = await Promise.all(roots.map((root) => snapshots.take(root)));
    return new SnapshotTurn(
      snapshots,
      files,
      begun.filter((one) => one !== undefined),
    );
  }

  /** A turn that a window before this one began. */
  static resumed(begun: readonly FolderSnapshot[], snapshots: TurnSnapshots, files: TurnFiles): SnapshotTurn {
    return new SnapshotTurn(snapshots, files, begun);
  }

  /**
   * What is different now, but for the texts that `isKnown` knows about already. Of those that are `isOfOthers`, a byte order
   * mark is somebody else's, too.
   */
  async end(
    isKnown: (path: string) => boolean,
    isOfOthers: (path: string) => boolean = () => false,
  ): Promise<FoundChanges> {
    const isDone = (change: TreeChange, path: string): boolean =>
      isKnown(path) && !isLinked(change) && !isOtherMode(change) && isOfOthers(path);
    const found: FoundChange[] = [];
    let unseen = 0;
    let chars = 0;
    for (const begun of this.begun) {
      await this.snapshots.take(begun.root);
      const changes = ((await this.snapshots.changesSince(begun)) ?? [])
        .map((change) => ({ ...change, file: join(begun.root, change.path) }))
        .filter((change) => !isDone(change, change.file));
      let at = 0;
      for (; at < changes.length && found.length < maxFound && chars < maxChars; at += batch) {
        const part = await Promise.all(
          changes
            .slice(at, at + batch)
            .map((change) => this.#found(change.file, change, isKnown(change.file), isOfOthers(change.file))),
        );
        for (const one of part) {
          if (!one) continue;
          found.push(one);
          chars += (one.before?.length ?? 0) + (one.after?.length ?? 0);
        }
      }
      unseen += Math.max(changes.length - at, 0);
    }
    return { found, unseen };
  }

  async #found(
    path: string,
    change: TreeChange,
    isKnown: boolean,
    isOfOthers: boolean,
  ): Promise<FoundChange | undefined> {
    const { before, after } = change;
    if (isLinked(change)) this.files.asLink(path);
    const marks = { before: false, after: false };
    const was = await this.#textOf(before, (text) => {
      marks.before = true;
      this.files.wasMarked(path, text);
    });
    const now = await this.files.look(path);
    marks.after = now.attributes?.hasMark === true;
    const is = now.text ?? (after === "absent" ? null : await this.#textOf(after, () => (marks.after = true)));
    // Of what others wrote, the mark is theirs, too.
    if (isOfOthers) marks.before = marks.after;
    const attributes = changeOf(
      seenOf(before, was, marks.before),
      is === null ? undefined : seenOf(after, is, marks.after),
    );
    // What knows of a file knows its text, and would follow a link to somebody else's.
    const isOtherText = was !== is && (isLinked(change) || !isKnown);
    if (!isOtherText && !attributes) return undefined;
    return {
      path,
      before: isOtherText ? was : is,
      after: is,
      writtenAtMs: now.writtenAtMs,
      ...(attributes && { attributes: { ...attributes, changedAtMs: now.changedAtMs } }),
    };
  }

  async #textOf(state: TreeEntry | "absent", wasMarked?: (text: string) => void): Promise<FileText> {
    if (state === "absent") return null;
    if (state.kind === "link") return opaqueLink(state.target);
    const content = state.isKept ? await this.snapshots.content(state.hash) : undefined;
    const text = content && decodedText(content);
    if (content && text !== undefined && isMarked(content)) wasMarked?.(text);
    return text ?? opaqueFile(state.hash);
  }
}

function isLink(state: TreeEntry | "absent"): boolean {
  return typeof state === "object" && state.kind === "link";
}

function isLinked({ before, after }: TreeChange): boolean {
  return isLink(before) || isLink(after);
}

function isOtherMode({ before, after }: TreeChange): boolean {
  return changeOf(seenOf(before, null, false), seenOf(after, null, false)) !== undefined;
}

type Seen = SeenAttributeChange["before"];

function seenOf(state: TreeEntry | "absent", text: FileText, hasMark: boolean): Seen {
  if (state === "absent" || state.kind === "link") return undefined;
  return { mode: state.mode, hasMark: isText(text) ? hasMark : undefined };
}

function changeOf(before: Seen, after: Seen): SeenAttributeChange | undefined {
  const isSame = before?.mode === after?.mode && before?.hasMark === after?.hasMark;
  return isSame ? undefined : { before, after };
}

function isText(text: FileText): boolean {
  return text !== null && !parseOpaque(text);
}
