import { asObject, Json } from "../../rpc/json.js";
import { withMember } from "../../rpc/json-edit.js";

/** What Claude calls our tools that change files: those of the MCP server `editor-edits`. */
const toolPrefix = "mcp__editor-edits__";
const changing = new Set([`${toolPrefix}write`, `${toolPrefix}edit`]);

/** Whether a message may be about one of our tools: a look at its text, before anybody parses it. */
export function mayShowEdit(text: string): boolean {
  return text.includes(toolPrefix);
}

/**
 * A tool call (ACP `ToolCall` or an update of one) of our tools as what it is, an edit of a file: its kind, title and
 * place, and the difference where it has none. Undefined for all other tool calls.
 */
export function shownEdit(call: Json): Json | undefined {
  const { _meta, title, rawInput, content } = call.object ?? {};
  const named = asObject(asObject(_meta)?.["claudeCode"])?.["toolName"] ?? title;
  if (typeof named !== "string" || !changing.has(named)) return undefined;
  const { file_path: path, old_string: oldText = null, new_string, content: whole } = asObject(rawInput) ?? {};
  const edit = withMember(call, ["kind"], Json.of("edit"));
  if (typeof path !== "string") return edit;
  const placed = withMember(
    withMember(edit, ["title"], Json.of(`${named === `${toolPrefix}edit` ? "Edit" : "Write"} ${path}`)),
    ["locations"],
    Json.of([{ path }]),
  );
  const newText = new_string ?? whole;
  if (typeof newText !== "string" || (Array.isArray(content) && content.length > 0)) return placed;
  return withMember(placed, ["content"], Json.of([{ type: "diff", path, oldText, newText }]));
}
