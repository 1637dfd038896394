import { carry, editsBetween, type LineEdit, piecesOf, takeOver } from "./transfer-edits.js";
import { differences, type Hunk, hunksBetween, type Range, splitLines } from "./hunks.js";

export type FileText = string | null;

/** Number of earlier texts to remember, so that changes are under review again after the editor's undo. */
const maxRemembered = 50;

/** Maximum length in characters for a review by lines. The review treats longer texts as one change. */
const maxReviewedChars = 4_000_000;

/** Change under review. A mixed change includes lines by others and is undone only on explicit request. */
interface ReviewedHunk extends Hunk {
  readonly isMixed: boolean;
}

/** Result of an undo. If `undone` and `refused` are both 0, the change no longer exists. */
export interface Undo {
  readonly text: FileText;
  readonly undone: number;
  readonly refused: number;
  /** Reverts the review to its state before the undo. Call if the undo could not be written. */
  readonly takeBack: () => void;
}

interface Texts {
  readonly baseline: FileText;
  readonly written: FileText;
  readonly current: FileText;
}

interface Lines {
  readonly baseline: readonly string[];
  readonly written: readonly string[];
  readonly current: readonly string[];
}

/**
 * Unanswered agent changes in one file, tracked with three texts. Changes by others go into all three texts if they don't overlap the
 * agent's changes; otherwise only into the current text. Has no file access: the owner reports every new text and writes the result of
 * `undo`.
 */
export class FileReview {
  #texts: Texts;
  #hunks: readonly ReviewedHunk[] | undefined;
  readonly #remembered = new Map<string, Texts>();
  /** State before the user deleted the file, which may come back. */
  #beforeRemoval: Texts | undefined;

  constructor(baseline: FileText, current: FileText = baseline, written: FileText = current) {
    this.#texts = { baseline, written, current };
  }

  get baseline(): FileText {
    return this.#texts.baseline;
  }

  get written(): FileText {
    return this.#texts.written;
  }

  get current(): FileText {
    return this.#texts.current;
  }

  get isReviewed(): boolean {
    return this.baseline === this.current;
  }

  get state(): "created" | "modified" | "deleted" {
    if (this.baseline === null) return "created";
    return this.current === null ? "deleted" : "modified";
  }

  /** Changes in file order. A created, deleted or very large file is a single hunk. */
  get hunks(): readonly ReviewedHunk[] {
    return this.compare();
  }

  /** Compares the texts now, so that a later access doesn't have to. */
  compare(): readonly ReviewedHunk[] {
    this.#hunks ??= this.isReviewed ? [] : reviewedHunks(this.#texts);
    return this.#hunks;
  }

  knows(text: FileText): boolean {
    return text === this.current || (text !== null && this.#remembered.has(text));
  }

  agentChanged(text: FileText): void {
    if (text === this.current) return;
    this.#remember();
    this.#beforeRemoval = undefined;
    const { baseline, written, current } = this.#texts;
    if (written === current) {
      // Only the agent has changed the file.
      this.#set({ baseline, written: text, current: text });
      return;
    }
    const lines = textsByLine(this.#texts);
    if (!lines || !isComparable(text)) {
      // The agent overwrote others' changes, so an undo restores those.
      this.#set({ baseline: current, written: text, current: text });
      return;
    }
    const edits = editsBetween(lines.current, splitLines(text));
    const spots = spotsOf(lines.baseline, lines.written, lines.current);
    const overwritten = spots.filter((spot) => isMixed(spot) && edits.some((edit) => reachesInto(edit, spot)));
    const before = takeOver(
      lines.baseline,
      lines.current,
      overwritten.flatMap(({ hunks }) => hunks),
    );
    const agents = takeOver(
      lines.written,
      lines.current,
      overwritten.flatMap(({ foreign }) => foreign),
    );
    this.#set({ baseline: before.join(""), written: carry(agents, lines.current, edits).join(""), current: text });
  }

  /** Records a change by the user or a user's tool. The review changes only if the change overlaps the agent's changes. */
  userChanged(text: FileText): void {
    if (text === this.current) return;
    const earlier = text === null ? undefined : this.#remembered.get(text);
    this.#remember();
    if (earlier !== undefined) {
      this.#beforeRemoval = undefined;
      this.#set(earlier);
      return;
    }
    if (this.#beforeRemoval !== undefined) {
      this.#set(this.#beforeRemoval);
      this.#beforeRemoval = undefined;
      this.userChanged(text);
      return;
    }
    if (this.isReviewed) this.#set({ baseline: text, written: text, current: text });
    else if (text === null && this.written !== null) {
      this.#beforeRemoval = this.#texts;
      this.#set({ baseline: null, written: null, current: null });
    } else this.#takeIn(text);
  }

  /** Records a change by an unknown author. Its lines are under review as a mixed change. */
  unknownChanged(text: FileText): void {
    if (text === this.current) return;
    if (this.isReviewed) {
      this.userChanged(text);
      return;
    }
    this.#remember();
    this.#set({ ...this.#texts, current: text });
  }

  /** Keeps one change by adding it to the baseline. Returns false if the change no longer exists. */
  keep(hunkId: string): boolean {
    const hunk = this.hunks.find(({ id }) => id === hunkId);
    if (!hunk) return false;
    const lines = textsByLine(this.#texts);
    if (!lines) this.keepAll();
    else this.#set({ ...this.#texts, baseline: takeOver(lines.baseline, lines.current, [hunk]).join("") });
    return true;
  }

  keepAll(): void {
    this.#set({ baseline: this.current, written: this.current, current: this.current });
  }

  /** Undoes one change or all changes. Refuses mixed changes unless `withOthers` is set. */
  undo(hunkId?: string, withOthers = false): Undo {
    const texts = this.#texts;
    const { baseline, current } = texts;
    const takeBack = (): void => this.#set(texts);
    const lines = textsByLine(texts);
    if (!lines || this.isReviewed) {
      const isThere = !this.isReviewed && (hunkId === undefined || this.hunks.some(({ id }) => id === hunkId));
      const isRefused = isThere && texts.written !== current && !withOthers;
      if (!isThere || isRefused) return { text: current, undone: 0, refused: isRefused ? 1 : 0, takeBack };
      this.#remember();
      this.#set({ baseline, written: baseline, current: baseline });
      return { text: baseline, undone: 1, refused: 0, takeBack };
    }
    const wanted = this.hunks.filter(({ id }) => hunkId === undefined || id === hunkId);
    const edits = wanted
      .filter((hunk) => withOthers || !hunk.isMixed)
      .map(({ start, end, removed }): LineEdit => ({ start, end, lines: removed }));
    const refused = wanted.length - edits.length;
    if (edits.length === 0) return { text: current, undone: 0, refused, takeBack };
    this.#remember();
    const text = carry(lines.current, lines.current, edits).join("");
    this.#set({ baseline, written: carry(lines.written, lines.current, edits).join(""), current: text });
    return { text, undone: edits.length, refused, takeBack };
  }

  get counts(): { readonly added: number; readonly removed: number } {
    let added = 0;
    let removed = 0;
    for (const hunk of this.hunks) {
      added += hunk.added.length;
      removed += hunk.removed.length;
    }
    return { added, removed };
  }

  #takeIn(text: FileText): void {
    const lines = textsByLine(this.#texts);
    if (!lines || !isComparable(text)) {
      // Lines can't be compared, so the whole file becomes a mixed change.
      this.#set({ ...this.#texts, current: text });
      return;
    }
    const spots = spotsOf(lines.baseline, lines.written, lines.current);
    const edits = editsBetween(lines.current, splitLines(text)).flatMap((edit) => piecesOf(edit, spots));
    const apart = edits.filter((edit) => !spots.some((spot) => reachesInto(edit, spot)));
    // If the user only deletes lines of the agent, nothing of the user's is in the spot, so it isn't mixed.
    const plain = edits.filter(
      (edit) => edit.lines.length === 0 && !spots.some((spot) => isMixed(spot) && reachesInto(edit, spot)),
    );
    const own = edits.filter((edit) => apart.includes(edit) || plain.includes(edit));
    this.#set({
      baseline: carry(lines.baseline, lines.current, apart).join(""),
      written: carry(lines.written, lines.current, own).join(""),
      current: text,
    });
  }

  #set(texts: Texts): void {
    this.#texts = settled(texts);
    this.#hunks = undefined;
  }

  #remember(): void {
    const { current } = this.#texts;
    if (!isComparable(current)) return;
    this.#remembered.delete(current);
    this.#remembered.set(current, this.#texts);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > maxRemembered && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

/** Drops others' changes at places that no longer differ from the baseline. */
function settled(texts: Texts): Texts {
  const { baseline, written, current } = texts;
  if (baseline === current) return { baseline, written: current, current };
  const lines = written === current ? undefined : textsByLine(texts);
  if (!lines) return texts;
  const done = spotsOf(lines.baseline, lines.written, lines.current).filter(({ hunks }) => hunks.length === 0);
  if (done.length === 0) return texts;
  const agents = takeOver(
    lines.written,
    lines.current,
    done.flatMap(({ foreign }) => foreign),
  );
  return { baseline, written: agents.join(""), current };
}

function reviewedHunks(texts: Texts): ReviewedHunk[] {
  const { baseline, written, current } = texts;
  const lines = textsByLine(texts);
  if (!lines) {
    const hunks = hunksBetween(wholeText(baseline), wholeText(current));
    return hunks.map((hunk) => ({ ...hunk, isMixed: written !== current }));
  }
  const mixed = written === current ? [] : spotsOf(lines.baseline, lines.written, lines.current).filter(isMixed);
  return hunksBetween(lines.baseline, lines.current).map((hunk) => ({
    ...hunk,
    isMixed: mixed.some(({ start, end }) => hunk.start >= start && hunk.end <= end),
  }));
}

/** Splits the three texts into lines. Returns undefined if a text is null or too large for a comparison by lines. */
function textsByLine({ baseline, written, current }: Texts): Lines | undefined {
  if (!isComparable(baseline) || !isComparable(written) || !isComparable(current)) return undefined;
  const lines = splitLines(current);
  return { baseline: splitLines(baseline), written: written === current ? lines : splitLines(written), current: lines };
}

function isComparable(text: FileText): text is string {
  return text !== null && text.length <= maxReviewedChars;
}

function wholeText(text: FileText): string[] {
  if (text === null || text === "") return [];
  return isComparable(text) ? splitLines(text) : [text];
}

/**
 * Changed place with lines `[start, end)` of the current text. `hunks` are differences from the baseline, `foreign` differences from the
 * agent's text. A spot with foreign ranges is mixed, because its authors can't be separated.
 */
interface Spot {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Range[];
  readonly foreign: readonly Range[];
}

/** Returns the spots of `current` in order. Touching differences form one spot. */
function spotsOf(baseline: readonly string[], written: readonly string[], current: readonly string[]): Spot[] {
  const all = [
    ...differences(baseline, current).map((range) => ({ range, isForeign: false })),
    ...(written === current ? [] : differences(written, current)).map((range) => ({ range, isForeign: true })),
  ].sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end);
  const spots: { start: number; end: number; hunks: Range[]; foreign: Range[] }[] = [];
  for (const { range, isForeign } of all) {
    let spot = spots.at(-1);
    if (!spot || range.start > spot.end) {
      spot = { start: range.start, end: range.end, hunks: [], foreign: [] };
      spots.push(spot);
    }
    spot.end = Math.max(spot.end, range.end);
    (isForeign ? spot.foreign : spot.hunks).push(range);
  }
  return spots;
}

function isMixed({ foreign }: Spot): boolean {
  return foreign.length > 0;
}

/**
 * Returns whether an edit overlaps a spot and can't be separated from the agent's change. Adjacent edits can be separated, unless they
 * insert at a pure deletion or touch a mixed spot.
 */
function reachesInto(edit: LineEdit, spot: Spot): boolean {
  const isBeside = edit.start <= spot.end && edit.end >= spot.start;
  if (!isBeside || isMixed(spot)) return isBeside;
  const isSamePoint = spot.start === spot.end && edit.start === edit.end;
  return isSamePoint || (edit.start < spot.end && edit.end > spot.start);
}
