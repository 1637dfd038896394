import type { ItemOf } from "../../../protocol/index.js";
import { fencedCode } from "../context/fenced-code.js";

const maxChars = 6_000;
/** Of a title, so that it pushes nothing that matters out of sight. */
const maxTitleChars = 300;
const maxDiffLines = 60;
/** Of a list above the editor; it cuts longer ones off where nobody sees it. */
const lineChars = 80;
/** What such a list would show as an icon. */
const icon = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g;

/** What an action is in detail: short lines of prose, and blocks as they are. */
interface Detail {
  readonly prose?: string;
  readonly block?: { readonly language: string; readonly text: string };
}

/** A card as Markdown in which nothing that the agent wrote is markup. */
export function actionMarkdown(card: ItemOf<"permission">): string {
  return detailsOf(card)
    .map(({ prose, block }) => (block ? fencedCode(block.text, block.language) : escaped(prose ?? "")))
    .join("\n\n");
}

/** A card as lines for a list of choices, at most `maxLines`; the last one says when there are more. */
export function actionLines(card: ItemOf<"permission">, maxLines: number): string[] {
  const lines = detailsOf(card)
    .flatMap(({ prose, block }) => (block ? block.text.split("\n") : [prose ?? ""]))
    .flatMap(wrapped);
  const shown =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, maxLines - 1), `… and ${lines.length - maxLines + 1} more lines`];
  return shown.map((line) => line.replace(icon, "\\$&"));
}

function wrapped(line: string): string[] {
  return line.match(new RegExp(`.{1,${lineChars}}`, "gsu")) ?? [""];
}

function detailsOf(card: ItemOf<"permission">): Detail[] {
  const { title, warnings, command, cwd, locations, content, input } = card;
  const diffs = content.flatMap((piece) => (piece.type === "diff" ? [piece] : []));
  return [
    { prose: bounded(title, maxTitleChars) },
    ...warnings.map((warning) => ({ prose: `⚠ ${warning}` })),
    ...(command === undefined ? [] : [{ block: { language: "sh", text: bounded(command) } }]),
    ...(command === undefined || cwd === undefined ? [] : [{ prose: `In ${cwd}` }]),
    ...locations.map(({ label }) => ({ prose: `File: ${label}` })),
    ...diffs.map(({ patch }) => ({ block: { language: "diff", text: firstLines(bounded(patch)) } })),
    ...(command === undefined && diffs.length === 0 && input !== undefined && input !== ""
      ? [{ block: { language: "json", text: bounded(input) } }]
      : []),
  ];
}

function bounded(text: string, most = maxChars): string {
  return text.length <= most ? text : `${text.slice(0, most)}\n… and ${text.length - most} more characters`;
}

function firstLines(patch: string): string {
  const lines = patch.split("\n");
  if (lines.length <= maxDiffLines) return patch;
  return [...lines.slice(0, maxDiffLines), `… and ${lines.length - maxDiffLines} more lines`].join("\n");
}

function escaped(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()#+\-.!<>~|&$:/@]/g, "\\$&");
}
