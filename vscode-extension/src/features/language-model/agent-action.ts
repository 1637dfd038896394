import type { ItemOf, ToolContent } from "../../../protocol/index.js";
import { toToolContent } from "../../acp/tool-content.js";
import { objectOf, stringOf, type WireObject } from "../../acp/wire.js";
import { permissionCard } from "../permissions/permission-card.js";
import { subjectOf } from "../permissions/permission-subject.js";

/** Something that an agent wants to do itself. */
export interface AgentAction {
  /** In the agent's words. */
  readonly title: string;
  /** A kind of ACP's tool calls. */
  readonly kind?: string;
  /** The input of its tool, as it came. */
  readonly rawInput?: unknown;
}

/** The card that the chat view would show, with everything hidden written out. `folders` are the workspace's. */
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
    content: changesOf(objectOf(action.rawInput)),
    locations: [],
    options: [],
  };
  return permissionCard("", request, await subjectOf(request, session), undefined, session);
}

/** The question above a card. */
export function questionOf({ toolKind, agentName }: ItemOf<"permission">): string {
  return `Allow ${agentName} to ${verbs[toolKind] ?? "do this"}?`;
}

const verbs: Readonly<Record<string, string>> = {
  read: "read this",
  edit: "change this file",
  delete: "delete this",
  move: "move this",
  search: "search",
  execute: "run this command",
  fetch: "fetch this",
  switch_mode: "change its mode",
};

/** By the names that agents use: a replaced passage, or a whole file. */
function changesOf(input: WireObject | undefined): ToolContent[] {
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

function firstText(input: WireObject, names: readonly string[]): string | undefined {
  return names.map((name) => stringOf(input[name])).find((value) => value !== undefined);
}
