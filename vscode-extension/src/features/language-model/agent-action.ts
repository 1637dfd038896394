import * as l10n from "@vscode/l10n";
import { asObject, type Members, stringOf } from "@symposium-dev/core";
import type { ItemOf, ToolContent } from "../../../protocol/index.js";
import { toToolContent } from "../../acp/tool-content.js";
import { fencedCode } from "../context/content-blocks.js";
import { permissionCard } from "../permissions/permission-card.js";
import { subjectOf } from "../permissions/permission-subject.js";

export interface AgentAction {
  readonly title: string;
  /** Kind of the tool, as in ACP. */
  readonly kind?: string;
  readonly rawInput?: unknown;
}

/** Returns the card that the chat view would show, with hidden characters escaped. `folders` are the workspace folders. */
export async function actionCard(
  action: AgentAction,
  agentName: string,
  folders: readonly string[],
): Promise<ItemOf<"permission">> {
  const session = { agent: { id: "", name: agentName }, roots: folders, sessionId: "" };
  const request = {
    toolCallId: "",
    title: action.title,
    toolKind: action.kind ?? "other",
    rawInput: action.rawInput,
    content: changesOf(asObject(action.rawInput)),
    locations: [],
    options: [],
  };
  return permissionCard("", request, await subjectOf(request, session), undefined, session);
}

export function questionOf({ toolKind, agentName }: ItemOf<"permission">): string {
  return l10n.t("Allow {0} to {1}?", agentName, verbs[toolKind] ?? l10n.t("do this"));
}

const verbs: Readonly<Record<string, string>> = {
  read: l10n.t("read this"),
  edit: l10n.t("change this file"),
  delete: l10n.t("delete this"),
  move: l10n.t("move this"),
  search: "search",
  execute: l10n.t("run this command"),
  fetch: l10n.t("fetch this"),
  switch_mode: l10n.t("change its mode"),
};

/** Detects edits in the tool input by the agents' usual member names: a replaced passage or a whole file. */
function changesOf(input: Members | undefined): ToolContent[] {
  if (!input) return [];
  const path = firstText(input, ["file_path", "filePath", "path", "target_file", "filename"]);
  const newText = firstText(input, [
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_text",
    "content",
    "file_text",
  ]);
  if (path === undefined || newText === undefined) return [];
  const oldText = firstText(input, ["old_string", "oldString", "old_str", "oldText", "old_text"]) ?? "";
  return [toToolContent({ type: "diff", path, oldText, newText })];
}

function firstText(input: Members, names: readonly string[]): string | undefined {
  return names.map((name) => stringOf(input[name])).find((value) => value !== undefined);
}

const maxChars = 6_000;
/** Maximum title length, so that a long title doesn't hide the details. */
const maxTitleChars = 300;
const maxDiffLines = 60;
/** Maximum characters per line of a list, which cuts longer lines. */
const lineChars = 80;
const icon = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g;

interface Detail {
  readonly prose?: string;
  readonly block?: { readonly language: string; readonly text: string };
}

export function actionMarkdown(card: ItemOf<"permission">): string {
  return detailsOf(card)
    .map(({ prose, block }) => (block ? fencedCode(block.text, block.language) : escaped(prose ?? "")))
    .join("\n\n");
}

/** Formats a card as up to `maxLines` list lines. The last line says if there are more. */
export function actionLines(card: ItemOf<"permission">, maxLines: number): string[] {
  const lines = detailsOf(card)
    .flatMap(({ prose, block }) => (block ? block.text.split("\n") : [prose ?? ""]))
    .flatMap(wrapped);
  const shown =
    lines.length <= maxLines
      ? lines
      : [...lines.slice(0, maxLines - 1), l10n.t("… and {0} more lines", lines.length - maxLines + 1)];
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
    ...(command === undefined || cwd === undefined ? [] : [{ prose: l10n.t("In {0}", cwd) }]),
    ...locations.map(({ label }) => ({ prose: l10n.t("File: {0}", label) })),
    ...diffs.map(({ patch }) => ({ block: { language: "diff", text: firstLines(bounded(patch)) } })),
    ...(command === undefined && diffs.length === 0 && input !== undefined && input !== ""
      ? [{ block: { language: "json", text: bounded(input) } }]
      : []),
  ];
}

function bounded(text: string, most = maxChars): string {
  return text.length <= most ? text : l10n.t("{0}\n… and {1} more characters", text.slice(0, most), text.length - most);
}

function firstLines(patch: string): string {
  const lines = patch.split("\n");
  if (lines.length <= maxDiffLines) return patch;
  return [...lines.slice(0, maxDiffLines), l10n.t("… and {0} more lines", lines.length - maxDiffLines)].join("\n");
}

function escaped(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_{}[\]()#+\-.!<>~|&$:/@]/g, "\\$&");
}
