import { join } from "node:path";
import type { FolderSnapshot } from "../../snapshots/snapshots.js";
import type { TreeChange, TreeEntry } from "../../snapshots/tree.js";
import type { OnDisk } from "../files/disk-files.js";
import type { SeenAttributeChange } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { decodedText, isMarked, opaqueFile, opaqueLink, parseOpaque } from "../hunks/opaque-text.js";

/** Change without a tool call, for example by a formatter, a script or a command. */
export interface FoundChange {
  readonly path: string;
  readonly before: FileText;
  readonly after: FileText;
  /** Time of the last write; undefined for a deleted file. */
  readonly writtenAtMs?: number | undefined;
  readonly attributes?: SeenAttributeChange;
}

interface TurnSnapshots {
  take(root: string): Promise<FolderSnapshot | undefined>;
  changesSince(snapshot: FolderSnapshot): Promise<readonly TreeChange[] | undefined>;
  content(hash: string): Promise<Uint8Array | undefined>;
}

interface TurnFiles {
  look(path: string): Promise<OnDisk>;
  asLink(path: string): void;
  wasMarked(path: string, text: string): void;
}

/** Maximum number of changed files to review, and maximum characters of their texts. Files beyond these limits are only counted. */
const maxFound = 5_000;
const maxChars = 60_000_000;
const batch = 20;

interface FoundChanges {
  readonly found: readonly FoundChange[];
  readonly unseen: number;
}

/**
 * Finds a turn's unreported changes by comparing folders at the turn's start and end. Skips ignored files, unless the user includes them.
 */
export class SnapshotTurn {
  private constructor(
    private readonly snapshots: TurnSnapshots,
    private readonly files: TurnFiles,
    readonly begun: readonly FolderSnapshot[],
  ) {}

  /** Starts tracking a turn. `roots` are absolute paths of folders that aren't nested in each other. */
  static async begin(roots: readonly string[], snapshots: TurnSnapshots, files: TurnFiles): Promise<SnapshotTurn> {
    const begun = await Promise.all(roots.map((root) => snapshots.take(root)));
    return new SnapshotTurn(
      snapshots,
      files,
      begun.filter((one) => one !== undefined),
    );
  }

  static resumed(begun: readonly FolderSnapshot[], snapshots: TurnSnapshots, files: TurnFiles): SnapshotTurn {
    return new SnapshotTurn(snapshots, files, begun);
  }

  /**
   * Returns the changes since the start. Skips texts of paths for which `isKnown` is true, and byte order mark changes of paths for which
   * `isOfOthers` is true.
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
    // If others changed a file, its byte order mark was also changed by others.
    if (isOfOthers) marks.before = marks.after;
    const attributes = changeOf(
      seenOf(before, was, marks.before),
      is === null ? undefined : seenOf(after, is, marks.after),
    );
    // Skip a known file, whose text is already recorded. Compare links even if known, because reading a link elsewhere follows it to
    // another file.
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
