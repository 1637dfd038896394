import { BoundedLines, cutLine } from "../runs/bounded-lines.js";
import type { Diagnostic, Edit, Help, DiagnosticPlace } from "./diagnostic.js";
import { type DiagnosticGroup, quotedPart } from "./diagnostic-list.js";

const detailLevels = ["bare", "edits", "help", "related"] as const;
type DetailLevel = (typeof detailLevels)[number];

/** Text with the number of omitted helps, notes and secondary spans. */
interface DiagnosticText {
  readonly lines: readonly string[];
  readonly leftOut: number;
}

/**
 * Formats each group as one line below its file: number, places as `line:column`, code, message and label. Adds details while they fit into
 * `budget` characters: first suggested changes, then their descriptions, then other labels. Errors get their details before warnings.
 */
export function formatDiagnostics(groups: readonly DiagnosticGroup[], budget: number): DiagnosticText {
  const [bare, ...richer] = detailLevels.map((level) => {
    const toldHelps = new Set<string>();
    return groups.map((group) => toGroupText(group, level, toldHelps));
  });
  const shown = [...(bare ?? [])];
  let free = budget - layOut(groups, shown).lines.join("\n").length;
  for (const texts of richer) {
    texts.forEach((text, index) => {
      const cost = text.text.length - (shown[index]?.text.length ?? 0);
      if (cost > free || text.omitted >= (shown[index]?.omitted ?? 0)) return;
      shown[index] = text;
      free -= cost;
    });
  }
  return layOut(groups, shown);
}

interface GroupText {
  readonly text: string;
  readonly omitted: number;
}

function toGroupText(group: DiagnosticGroup, level: DetailLevel, toldHelps: Set<string>): GroupText {
  const details = group.members.map((member) => detailsOf(member.diagnostic, level, toldHelps));
  return { text: toText(group, details), omitted: details.reduce((sum, { omitted }) => sum + omitted, 0) };
}

function layOut(groups: readonly DiagnosticGroup[], texts: readonly GroupText[]): DiagnosticText {
  const lines: string[] = [];
  let leftOut = 0;
  let section = "";
  // If all diagnostics have one level, the status line already shows it.
  const isOneLevel = new Set(groups.map(({ members: [{ diagnostic }] }) => diagnostic.level)).size === 1;
  groups.forEach(({ members: [{ diagnostic }] }, index) => {
    const { file } = diagnostic.place ?? {};
    const title = isOneLevel && file !== undefined ? file : [file, `${diagnostic.level}s`].filter(Boolean).join(" ");
    if (title !== section) lines.push(title);
    section = title;
    const { text = "", omitted = 0 } = texts[index] ?? {};
    const [first = "", ...rest] = text.split("\n");
    lines.push(`${index + 1}. ${first}`, ...rest.map((line) => `   ${line}`));
    leftOut += omitted;
  });
  return { lines, leftOut };
}

interface Details {
  readonly texts: readonly string[];
  /** Notes on separate lines. */
  readonly notes: readonly string[];
  readonly omitted: number;
}

function toText(group: DiagnosticGroup, details: readonly Details[]): string {
  const { members, varying } = group;
  const [{ diagnostic }] = members;
  const { code, label, message } = diagnostic;
  const ownTexts = details.map(({ texts }) => texts.join("; "));
  const isShared = ownTexts.every((text) => text === ownTexts[0]);
  const places = members.map(({ diagnostic: member }, index) => {
    const name = varying === undefined ? "" : ` ${quotedPart(member.message, varying)}`;
    const at = member.place === undefined ? "" : `${member.place.line}:${member.place.column}`;
    const own = isShared ? "" : (ownTexts[index] ?? "");
    return `${at}${name}${own === "" ? "" : ` (${own})`}`;
  });
  const shown =
    varying === undefined ? message : message.replace(quotedPart(message, varying), "`…`").replace(/: `…`$/, "");
  const extra = label !== undefined && addsTo(message, label) ? `: ${label}` : "";
  const shared = isShared ? (ownTexts[0] ?? "") : "";
  const tail = shared === "" ? "" : `; ${shared}`;
  const line = [places.join(", "), code, shown + extra + tail]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
  return [line, ...details.flatMap(({ notes }) => notes)].join("\n");
}

function addsTo(message: string, label: string): boolean {
  if (label === "not found in this scope" && message.endsWith("in this scope")) return false;
  const words = new Set(wordsOf(message));
  return wordsOf(label).some((word) => !words.has(word));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_:&]+/gu) ?? [];
}

const maxRelated = 4;
const noteLines = { head: 6, tail: 6 };

function detailsOf(diagnostic: Diagnostic, detail: DetailLevel, shownHelps: Set<string>): Details {
  const { related, notes, helps, place } = diagnostic;
  // A message without a place has only notes, for example the linker's output.
  const shownNotes = place === undefined ? notes.flatMap(toNoteLines) : [];
  let omitted = place === undefined ? 0 : notes.length;
  const texts: string[] = [];
  const shownRelated = detail === "related" ? related.slice(0, maxRelated) : [];
  texts.push(...shownRelated.map((span) => `${placeText(span.place, place)} ${span.label}`));
  omitted += related.length - shownRelated.length;
  for (const help of helps) {
    // An error's help without a code change describes a step elsewhere, for example an installation.
    const isShown = detail !== "bare" || (diagnostic.level === "error" && help.edits.length === 0);
    // A suggestion to remove code adds nothing to its warning.
    const isRemoval = diagnostic.level !== "error" && help.edits.length > 0 && help.edits.every(isMereRemoval);
    const text = isShown && !isRemoval ? helpText(help, detail, place, shownHelps) : "";
    if (text === "") omitted++;
    else texts.push(text);
  }
  return { texts, notes: shownNotes, omitted };
}

/** Linker lines about object files and its wrapper, which say nothing about the program. */
const linkerNoise = /^>>>\s+\S*\.o:\(|^collect2: error: |^\s*$/;

/** Returns a note's lines; none for the linker's long command line. */
function toNoteLines(note: string): string[] {
  if (/^\s*(?:[A-Z_]+=\S+ )*"[^"]*" "/.test(note) || note.startsWith("some arguments are omitted")) return [];
  const lines = note.split("\n").filter((line) => !linkerNoise.test(line));
  return new BoundedLines(noteLines.head, noteLines.tail).pushAll(lines).toLines();
}

function helpText(
  help: Help,
  detail: DetailLevel,
  place: DiagnosticPlace | undefined,
  shownHelps: Set<string>,
): string {
  const edits = help.edits.map((edit) => editText(edit, place)).filter((text) => text !== "");
  const shown = edits.join(", ");
  // Shows a repeated help text once; further edits are shown without it.
  const isRepeated = shownHelps.has(help.message);
  shownHelps.add(help.message);
  if (edits.length > 0 && (detail === "edits" || isRepeated)) return `fix ${shown}`;
  return edits.length === 0 ? `help: ${help.message}` : `help: ${help.message}: ${shown}`;
}

function isMereRemoval({ replacement }: Edit): boolean {
  return replacement.trim() === "";
}

/** Returns an edit's position and text; empty for a removal, which the help text describes. */
function editText({ place, isInsertion, replacement }: Edit, from: DiagnosticPlace | undefined): string {
  const text = replacement.trim();
  if (text === "") return "";
  const isHere = place.file === from?.file && place.line === from.line && place.column === from.column;
  const at = isHere ? "" : `${placeText(place, from)} `;
  return `${at}${isInsertion ? "+" : ""}\`${cutLine(text.split("\n").join(" "), 120)}\``;
}

function placeText(place: DiagnosticPlace, from: DiagnosticPlace | undefined): string {
  const position = `${place.line}:${place.column}`;
  return place.file === from?.file ? position : `${place.file}:${position}`;
}

/** Returns the length in characters of the same diagnostics in `--message-format short`. */
export function shortLength(groups: readonly DiagnosticGroup[]): number {
  const lengths = groups.flatMap(({ members }) =>
    members.map(({ diagnostic: { level, code, message, place, label } }) => {
      const at = place ? `${place.file}:${place.line}:${place.column}: ` : "";
      const codeText = level === "error" && code !== undefined ? `[${code}]` : "";
      return `${at}${level}${codeText}: ${message}${label === undefined ? "" : `: ${label}`}\n`.length;
    }),
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}
