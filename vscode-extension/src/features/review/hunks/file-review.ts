import { carry, editsBetween, type LineEdit, piecesOf, takeOver } from "./carry.js";
import { differences, type Hunk, hunksBetween, type Range, splitLines } from "./hunks.js";

/** The text of a file, or null where there is no file. */
export type FileText = string | null;

/** How many earlier texts are remembered, so that the editor's own undo brings their changes back for review. */
const maxRemembered = 50;

/** Larger texts are kept or undone as a whole. In characters. */
const maxReviewedChars = 4_000_000;

/** One change under review. A mixed one holds words that are not the agent's: it can be kept, and no undo touches it. */
interface ReviewedHunk extends Hunk {
  readonly isMixed: boolean;
}

/** What an undo comes to. Nothing undone and nothing refused: there is no such change any more. */
export interface Undo {
  /** The file's text from now on. */
  readonly text: FileText;
  readonly undone: number;
  /** Changes that stay, since they are mixed. */
  readonly refused: number;
  /** The undo could not be written: all is as it was before it. */
  readonly takeBack: () => void;
}

/** The text without the agent's changes, the text with nothing but these, and the text as it is. */
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
 * What an agent changed in one file and nobody has answered yet, by three texts: what others change apart from the
 * agent's changes goes into all of them, what they change within these only into the current one, and is never undone.
 * Knows no editor and no disk: the owner tells it every new text and writes what `undo` returns.
 */
export class FileReview {
  #texts: Texts;
  #hunks: readonly ReviewedHunk[] | undefined;
  /** By the current text. */
  readonly #remembered = new Map<string, Texts>();
  /** What was under review when the user removed the file: it may come back. */
  #beforeRemoval: Texts | undefined;

  constructor(baseline: FileText, current: FileText = baseline, written: FileText = current) {
    this.#texts = { baseline, written, current };
  }

  get baseline(): FileText {
    return this.#texts.baseline;
  }

  /** The text as it would be had only the agent changed what is under review. */
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

  /** The changes in file order. A created, deleted or very large file is one hunk. */
  get hunks(): readonly ReviewedHunk[] {
    return this.compare();
  }

  /** Compares the texts now, so that who asks for the changes later need not wait for it. */
  compare(): readonly ReviewedHunk[] {
    this.#hunks ??= this.isReviewed ? [] : reviewedHunks(this.#texts);
    return this.#hunks;
  }

  /** Whether this is the file's text, or was it lately. */
  knows(text: FileText): boolean {
    return text === this.current || (text !== null && this.#remembered.has(text));
  }

  /** The agent wrote the file: what differs from the baseline is for review. */
  agentChanged(text: FileText): void {
    if (text === this.current) return;
    this.#remember();
    this.#beforeRemoval = undefined;
    const { baseline, written, current } = this.#texts;
    if (written === current) {
      // Nobody else's words are in it.
      this.#set({ baseline, written: text, current: text });
      return;
    }
    const lines = textsByLine(this.#texts);
    if (!lines || !isComparable(text)) {
      // Words of others that the agent overwrites are what an undo of it brings back.
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

  /** The user, or a tool of the user's, changed the file: outside the agent's changes that is nothing to review. */
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

  /** Somebody changed the file, the agent or another: what differs stays for review, and is never undone. */
  unknownChanged(text: FileText): void {
    if (text === this.current) return;
    if (this.isReviewed) {
      this.userChanged(text);
      return;
    }
    this.#remember();
    this.#set({ ...this.#texts, current: text });
  }

  /** Takes one change into the baseline. False where there is no such change any more. */
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

  /** Undoes one change, or all: each that is the agent's alone, `withOthers` also those that hold others' words. */
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

  /** Lines added and removed by all changes. */
  get counts(): { readonly added: number; readonly removed: number } {
    let added = 0;
    let removed = 0;
    for (const hunk of this.hunks) {
      added += hunk.added.length;
      removed += hunk.removed.length;
    }
    return { added, removed };
  }

  /** A new text of the user's, while something is under review. */
  #takeIn(text: FileText): void {
    const lines = textsByLine(this.#texts);
    if (!lines || !isComparable(text)) {
      // No lines to carry over: the file as a whole is mixed.
      this.#set({ ...this.#texts, current: text });
      return;
    }
    const spots = spotsOf(lines.baseline, lines.written, lines.current);
    const edits = editsBetween(lines.current, splitLines(text)).flatMap((edit) => piecesOf(edit, spots));
    const apart = edits.filter((edit) => !spots.some((spot) => reachesInto(edit, spot)));
    // Lines of the agent's that the user only deleted leave nothing that an undo could take away.
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

/** Where nothing differs from the baseline any more, nothing is the agent's or anybody's. */
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

/** Undefined where one of the texts is none, or too large to compare by lines. */
function textsByLine({ baseline, written, current }: Texts): Lines | undefined {
  if (!isComparable(baseline) || !isComparable(written) || !isComparable(current)) return undefined;
  const lines = splitLines(current);
  return { baseline: splitLines(baseline), written: written === current ? lines : splitLines(written), current: lines };
}

function isComparable(text: FileText): text is string {
  return text !== null && text.length <= maxReviewedChars;
}

/** A text that is too large to compare by lines counts as one line. */
function wholeText(text: FileText): string[] {
  if (text === null || text === "") return [];
  return isComparable(text) ? splitLines(text) : [text];
}

/**
 * A place in a text that an agent changed: `[start, end)` are its lines. `hunks` are differences from the baseline,
 * `foreign` those from what the agent wrote. Where there are foreign lines, the spot is mixed: what is whose in it
 * cannot be told apart.
 */
interface Spot {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Range[];
  readonly foreign: readonly Range[];
}

/** The spots of `current`, in order. Differences that touch each other are one. */
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
 * Whether an edit reaches into a spot, so that it cannot be told from the agent's change. Lines right beside a change
 * can; not so lines that are put where the agent only deleted, nor what is right beside a mixed spot.
 */
function reachesInto(edit: LineEdit, spot: Spot): boolean {
  const isBeside = edit.start <= spot.end && edit.end >= spot.start;
  if (!isBeside || isMixed(spot)) return isBeside;
  const isSamePoint = spot.start === spot.end && edit.start === edit.end;
  return isSamePoint || (edit.start < spot.end && edit.end > spot.start);
}
