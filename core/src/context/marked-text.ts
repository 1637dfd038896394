import { withMember } from "../base/rpc/json-edit.js";
import { asObject, Json } from "../base/rpc/json.js";
import { Notification } from "../base/rpc/message.js";

/** How text that we add to a user's prompt is marked, so that it is never mistaken for the user's. */
export interface Mark {
  /** The name of the tag that it stands in. */
  readonly tag: string;
  /** Its address, where it is an embedded resource. */
  readonly uri: string;
}

/** What addresses of our own begin with. */
export const ownScheme = "symposium://";

/** Marks what sessions get from this module. */
export const contextMark: Mark = { tag: "symposium-context", uri: `${ownScheme}context` };

/** Marks what a slash command of ours was replaced by. */
const commandTag = "symposium-command";

/** Text between the tags of `mark`, which cannot end it. Its length stays. */
export function marked(text: string, { tag }: Mark): string {
  return `<${tag}>\n${withoutTags(text, tag)}\n</${tag}>`;
}

/** A content block with marked text, which clients need not show: a resource where the agent takes them. */
export function markedBlock(text: string, mark: Mark, takesResources: boolean): Json {
  return textOrResource(marked(text, mark), mark, takesResources);
}

/** The same, of text that stands between its tags already. */
function textOrResource(text: string, mark: Mark, takesResources: boolean): Json {
  if (!takesResources) return Json.of({ type: "text", text });
  const resource = { uri: mark.uri, mimeType: "text/markdown", text };
  return Json.of({ type: "resource", resource, ...forAgentOnly });
}

/** Marks a content block as not meant for the user's eyes (ACP content annotations). */
export const forAgentOnly = { annotations: { audience: ["assistant"] } } as const;

/** The text in place of `line`, a slash command as its user wrote it. It does not begin with a slash, which agents read themselves. */
export function commandText(line: string, text: string): string {
  return `Run the command ${JSON.stringify(line)}:\n<${commandTag}>\n${withoutTags(text, commandTag)}\n</${commandTag}>`;
}

const commandPattern = new RegExp(
  `Run the command ("(?:[^"\\\\\\n]|\\\\.)*"):\\s*<${commandTag}>[\\s\\S]*?</${commandTag}>`,
  "g",
);

/** How OpenCode and Claude repeat the address of an embedded resource, in a chunk of its own. */
function isAddress(text: string, mark: Mark): boolean {
  const [, ...found] =
    /^\s*(?:\[([^\]\s]+)\]|\[@?[^\]]*\]\(([^)\s]+)\)|<context ref="([^"]+)">\s*<\/context>|(\S+))\s*$/.exec(text) ?? [];
  return found.some((uri) => isOfMark(uri, mark));
}

/** Whether an address is the mark's; of those that we give ourselves, all are. */
function isOfMark(uri: unknown, mark: Mark): boolean {
  return uri === mark.uri || (mark === contextMark && typeof uri === "string" && uri.startsWith(ownScheme));
}

/**
 * A message of the user that the agent replays, as when a session is loaded, without what was marked in it, and with slash
 * commands as they were written; undefined when there is nothing else in it.
 */
export function withoutMarked(notification: Notification, mark: Mark): Notification | undefined {
  const { params, method } = notification;
  if (params === undefined || !hasMark(params.text, mark)) return notification;
  const update = asObject(params.object?.["update"]);
  const content = asObject(update?.["content"]);
  if (update?.["sessionUpdate"] !== "user_message_chunk" || content === undefined) return notification;
  if (isOfMark(asObject(content["resource"])?.["uri"], mark) || isOfMark(content["uri"], mark)) return undefined;
  const { text } = content;
  if (typeof text !== "string") return notification;
  const rest = withoutTag(text, mark.tag);
  const written = mark === contextMark ? rest.replace(commandPattern, (_all, line: string) => lineOf(line)) : rest;
  if (written.trim() === "" || isAddress(written, mark)) return undefined;
  if (written === text) return notification;
  return new Notification(method, withMember(params, ["update", "content", "text"], Json.of(written)));
}

/** A look at the raw text, since most updates have nothing of the kind. */
function hasMark(text: string, { tag, uri }: Mark): boolean {
  return text.includes(tag) || text.includes(uri === contextMark.uri ? ownScheme : uri) || text.includes(commandTag);
}

function withoutTag(text: string, tag: string): string {
  // What we mark has no tag in it: one that a user mentions before it begins nothing.
  return text.replace(new RegExp(`<${tag}>(?:(?!</?${tag})[\\s\\S])*</${tag}>\\s*`, "g"), "");
}

function lineOf(json: string): string {
  try {
    return JSON.parse(json) as string;
  } catch {
    return json;
  }
}

/** Text of others, which cannot end what it stands in. It keeps its size. */
export function withoutTags(text: string, tag: string): string {
  return text.replace(new RegExp(`<(?=/?${tag})`, "gi"), "[");
}
