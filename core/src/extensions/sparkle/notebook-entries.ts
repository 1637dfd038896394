import { utf8Length } from "../../base/text-bounds.js";

/** A Markdown file of dated entries, which people may have edited. Preamble and entries together are the complete text. */
interface Notebook {
  /** Text before the first entry. */
  readonly preamble: string;
  /** Raw text of each entry, from a level-2 heading up to the next one. */
  readonly entries: readonly string[];
}

interface Note {
  readonly savedAt: Date;
  readonly content: string;
  readonly workspace?: string;
  readonly context?: string;
  readonly tags?: readonly string[];
}

const fence = /^ {0,3}(?:```|~~~)/;
const datedHeading = /^## \d{4}-\d{2}-\d{2}T/;
/** Line in the preamble that states the number of archived entries. */
const summaryLine = /^> (\d+) older entr(?:y is|ies are) in archive\/\.[^\S\n]*\n?/m;

/**
 * Parses a notebook; never throws. Ignores headings in code blocks, except that a dated heading always starts an entry, even after an
 * unclosed code block.
 */
export function parseNotebook(text: string): Notebook {
  const starts: number[] = [];
  let isFenced = false;
  let offset = 0;
  for (const line of text.split("\n")) {
    if (datedHeading.test(line)) {
      isFenced = false;
      starts.push(offset);
    } else if (fence.test(line)) isFenced = !isFenced;
    else if (!isFenced && line.startsWith("## ")) starts.push(offset);
    offset += line.length + 1;
  }
  return {
    preamble: text.slice(0, starts[0] ?? text.length),
    entries: starts.map((start, index) => text.slice(start, starts[index + 1] ?? text.length)),
  };
}

/** Returns an entry's raw text, which {@link parseNotebook} parses as exactly one entry. */
export function toEntry(note: Note): string {
  const { workspace, context, tags = [] } = note;
  const tail = [
    ...(workspace === undefined ? [] : [`Workspace: ${oneLine(workspace)}`]),
    ...(context === undefined || context.trim() === "" ? [] : [`Context: ${demoted(context)}`]),
    ...(tags.length === 0 ? [] : [`Tags: ${tags.map(oneLine).join(", ")}`]),
  ];
  const parts = [
    `## ${timestamp(note.savedAt)}`,
    demoted(note.content),
    ...(tail.length === 0 ? [] : [tail.join("\n")]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Returns an entry without its heading. */
export function entryBody(entry: string): string {
  return entry
    .replace(/^.*\n?/, "")
    .replaceAll("\r\n", "\n")
    .trim();
}

/**
 * Returns the text before the first entry, then the entries as list items, newest first. With `workspace`, returns only that workspace's
 * entries.
 */
export function toListItems(text: string, workspace?: string): string[] {
  const { preamble, entries } = parseNotebook(text);
  if (workspace !== undefined) {
    const line = `Workspace: ${oneLine(workspace)}`;
    const own = entries.filter((entry) => entryBody(entry).split("\n").includes(line));
    return own.map((entry) => toListItem(entry.replace(`${line}\n`, "").replace(line, ""))).reverse();
  }
  const notes = withoutComments(preamble.replace(summaryLine, "").replace(/^# .*$/m, ""));
  return [...(notes === "" ? [] : [notes]), ...entries.map(toListItem).reverse()];
}

/** Removes HTML comments from Markdown. */
export function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, "").trim();
}

function toListItem(entry: string): string {
  const heading = (/^## (.*)/.exec(entry)?.[1] ?? "").trim();
  const label = datedHeading.test(entry) ? heading.slice(0, 10) : heading;
  const body = entryBody(entry).replace(/\n+/g, "\n  ");
  return `- ${label}: ${body}`;
}

/** Appends an entry to a notebook and keeps the existing text. An empty or missing notebook starts with `template`. */
export function withEntry(text: string | undefined, template: string, entry: string): string {
  const base = text === undefined || text.trim() === "" ? template : text;
  const lineBreak = base.includes("\r\n") ? "\r\n" : "\n";
  return `${base}${base.endsWith("\n") ? "" : lineBreak}${lineBreak}${entry.replaceAll("\n", lineBreak)}`;
}

/**
 * If a notebook is larger than `limit` bytes, removes its oldest entries until half of the limit remains, but never the newest entry. A
 * line in the preamble states the number of removed entries.
 */
export function boundNotebook(
  text: string,
  limit: number,
): { readonly text: string; readonly moved: readonly string[] } {
  let size = utf8Length(text);
  if (size <= limit) return { text, moved: [] };
  const { preamble, entries } = parseNotebook(text);
  let count = 0;
  while (count < entries.length - 1 && size > limit / 2) size -= utf8Length(entries[count++] ?? "");
  if (count === 0) return { text, moved: [] };
  return { text: withSummary(preamble, count) + entries.slice(count).join(""), moved: entries.slice(0, count) };
}

/** Returns the number of archived entries that the preamble states. */
function archivedCount(text: string): number {
  return Number(summaryLine.exec(parseNotebook(text).preamble)?.[1] ?? 0);
}

/** Formats a date and time in UTC, without fractions of a second. */
export function timestamp(date: Date): string {
  return date.toISOString().replace(/\.\d+/, "");
}

function withSummary(preamble: string, moved: number): string {
  const count = archivedCount(preamble) + moved;
  const lineBreak = preamble.includes("\r\n") ? "\r\n" : "\n";
  const line = `> ${count} older ${count === 1 ? "entry is" : "entries are"} in archive/.${lineBreak}`;
  if (summaryLine.test(preamble)) return preamble.replace(summaryLine, line);
  const start = preamble.trimEnd();
  return `${start}${start === "" ? "" : lineBreak.repeat(2)}${line}${lineBreak}`;
}

/** Lowers the levels of the content's headings, so that they are below the file's own headings. */
function demoted(content: string): string {
  let isFenced = false;
  const lines = content.replace(/\r\n?/g, "\n").replaceAll("\0", "").trim().split("\n");
  return lines
    .map((line) => {
      if (datedHeading.test(line)) return `#${line}`;
      if (fence.test(line)) isFenced = !isFenced;
      return isFenced ? line : line.replace(/^##? /, "### ");
    })
    .join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export const insightTypes = ["PatternAnchor", "CollaborationEvolution", "WorkspaceInsight"] as const;
export type InsightType = (typeof insightTypes)[number];

/** Name of the file with the user's work preferences in `~/.sparkle`. */
export const profileFile = "collaborator-profile.md";

const note = "Sparkle appends entries. Edit or delete anything: Sparkle knows only what is in this file.";

/** Text at the start of a profile that has no heading yet. */
export const profileTemplate =
  "# Collaborator profile\n\n<!-- How you like to work. Edit it: Sparkle reads it when a session begins. -->\n\n";

/** The file in `~/.sparkle` for each type of insight, and the file's initial text. */
export const notebooks: Readonly<Record<InsightType, { readonly file: string; readonly template: string }>> = {
  PatternAnchor: {
    file: "pattern-anchors.md",
    template: `# Pattern anchors\n\n<!-- Exact phrases that stand for a way of working. ${note} -->\n`,
  },
  CollaborationEvolution: {
    file: "collaboration-evolution.md",
    template: `# Collaboration evolution\n\n<!-- What changed in working together, and why. ${note} -->\n`,
  },
  WorkspaceInsight: {
    file: "workspace-map.md",
    template: `# Workspace map\n\n<!-- What is worth knowing of each workspace. ${note} -->\n`,
  },
};
