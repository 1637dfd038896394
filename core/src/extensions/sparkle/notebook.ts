import { utf8Length } from "../../base/text-bounds.js";

/** A Markdown file of dated entries, as people may have edited it. Preamble and entries, joined, are the file's text. */
interface Notebook {
  /** All that stands before the first entry. */
  readonly preamble: string;
  /** Raw text from each heading of the second level to the next one. */
  readonly entries: readonly string[];
}

/** What an entry says. */
interface Note {
  readonly savedAt: Date;
  readonly content: string;
  readonly workspace?: string;
  readonly context?: string;
  readonly tags?: readonly string[];
}

const fence = /^ {0,3}(?:```|~~~)/;
const datedHeading = /^## \d{4}-\d{2}-\d{2}T/;
/** The line that stands for what was moved away. */
const summaryLine = /^> (\d+) older entr(?:y is|ies are) in archive\/\.[^\S\n]*\n?/m;

/** Never throws. Headings inside code are none, but a dated one always begins an entry, whatever is left open before it. */
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

/** The raw text of an entry, which {@link parseNotebook} reads as exactly one. */
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

/** What an entry says, without its heading. */
export function entryBody(entry: string): string {
  return entry
    .replace(/^.*\n?/, "")
    .replaceAll("\r\n", "\n")
    .trim();
}

/**
 * What a notebook holds, the newest entry first, each as one item of a list. What people wrote before the first
 * entry comes ahead of all. With `workspace`, only the entries of that workspace.
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

/** Markdown without HTML comments. */
export function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, "").trim();
}

function toListItem(entry: string): string {
  const heading = (/^## (.*)/.exec(entry)?.[1] ?? "").trim();
  const label = datedHeading.test(entry) ? heading.slice(0, 10) : heading;
  const body = entryBody(entry).replace(/\n+/g, "\n  ");
  return `- ${label}: ${body}`;
}

/** Adds an entry at the end; everything that stands there stays. `template` begins a file that is empty or absent. */
export function withEntry(text: string | undefined, template: string, entry: string): string {
  const base = text === undefined || text.trim() === "" ? template : text;
  const lineBreak = base.includes("\r\n") ? "\r\n" : "\n";
  return `${base}${base.endsWith("\n") ? "" : lineBreak}${lineBreak}${entry.replaceAll("\n", lineBreak)}`;
}

/** A file over `limit` bytes loses its oldest entries, but never the newest, until it has half of that; a line in the preamble counts them. */
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

/** How many entries the preamble says were moved away. */
function archivedCount(text: string): number {
  return Number(summaryLine.exec(parseNotebook(text).preamble)?.[1] ?? 0);
}

/** UTC, to the second. */
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

/** Content whose headings stand below those of the file. */
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

/** The kinds of insight. */
export const insightTypes = ["PatternAnchor", "CollaborationEvolution", "WorkspaceInsight"] as const;
export type InsightType = (typeof insightTypes)[number];

/** The file that says how the user likes to work, in `~/.sparkle`. */
export const profileFile = "collaborator-profile.md";

const note = "Sparkle adds entries at the end. Edit or delete whatever you like: what stands here is what it knows.";

/** What a profile begins with that has no heading of its own. */
export const profileTemplate =
  "# Collaborator profile\n\n<!-- How you like to work. Edit it: Sparkle reads it when a session begins. -->\n\n";

/** The file of each kind of insight, in `~/.sparkle`, and what it begins with. */
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
