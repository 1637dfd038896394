import { attempt } from "../attempt.js";
import { withMember } from "../rpc/json-edit.js";
import { asObject, Json } from "../rpc/json.js";
import { Notification } from "../rpc/message.js";

/** Marks text that Symposium adds to a prompt, so that agents and clients don't mistake the text for the user's. */
export interface Mark {
  readonly tag: string;
  readonly uri: string;
}

export const ownScheme = "symposium://";

export const contextMark: Mark = { tag: "symposium-context", uri: `${ownScheme}context` };

/** Marks the text that replaces a slash command of Symposium. */
const commandTag = "symposium-command";

/** Wraps text in the tags of `mark`. Disables such tags inside the text without changing the text's length. */
export function marked(text: string, { tag }: Mark): string {
  return `<${tag}>\n${withoutTags(text, tag)}\n</${tag}>`;
}

/** Returns a content block with marked text. If the agent supports resources, the block is an embedded resource, which clients can hide. */
export function markedBlock(text: string, mark: Mark, takesResources: boolean): Json {
  return textOrResource(marked(text, mark), mark, takesResources);
}

/** Same as {@link markedBlock}, for text that already contains the mark's tags. */
function textOrResource(text: string, mark: Mark, takesResources: boolean): Json {
  if (!takesResources) return Json.of({ type: "text", text });
  const resource = { uri: mark.uri, mimeType: "text/markdown", text };
  return Json.of({ type: "resource", resource, ...forAgentOnly });
}

/** Annotation for content blocks that users don't need to see (ACP content annotations). */
export const forAgentOnly = { annotations: { audience: ["assistant"] } } as const;

/** Returns the text that replaces `line`, the user's slash command. It doesn't start with a slash, since agents would interpret that. */
export function commandText(line: string, text: string): string {
  return `Run the command ${JSON.stringify(line)}:\n<${commandTag}>\n${withoutTags(text, commandTag)}\n</${commandTag}>`;
}

const commandPattern = new RegExp(
  `Run the command ("(?:[^"\\\\\\n]|\\\\.)*"):\\s*<${commandTag}>[\\s\\S]*?</${commandTag}>`,
  "g",
);

/** Matches the resource address that OpenCode and Claude replay as a separate chunk. */
function isAddress(text: string, mark: Mark): boolean {
  const [, ...found] =
    /^\s*(?:\[([^\]\s]+)\]|\[@?[^\]]*\]\(([^)\s]+)\)|<context ref="([^"]+)">\s*<\/context>|(\S+))\s*$/.exec(text) ?? [];
  return found.some((uri) => isOfMark(uri, mark));
}

/** Whether an address belongs to `mark`. The context mark owns all addresses with Symposium's scheme. */
function isOfMark(uri: unknown, mark: Mark): boolean {
  return uri === mark.uri || (mark === contextMark && typeof uri === "string" && uri.startsWith(ownScheme));
}

/**
 * Removes marked text from a replayed user message and restores slash commands as the user typed them. Returns undefined if no other text
 * is left.
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

/** Whether raw text may contain a mark. Checked first, since most updates have no marks. */
function hasMark(text: string, { tag, uri }: Mark): boolean {
  return text.includes(tag) || text.includes(uri === contextMark.uri ? ownScheme : uri) || text.includes(commandTag);
}

function withoutTag(text: string, tag: string): string {
  // Marked text contains no tags, so a tag that the user wrote before the marked text can't start a match.
  return text.replace(new RegExp(`<${tag}>(?:(?!</?${tag})[\\s\\S])*</${tag}>\\s*`, "g"), "");
}

function lineOf(json: string): string {
  return attempt(() => JSON.parse(json) as string) ?? json;
}

/** Disables the given tag in untrusted text, so that the text can't end its section. Preserves the text's length. */
export function withoutTags(text: string, tag: string): string {
  return text.replace(new RegExp(`<(?=/?${tag})`, "gi"), "[");
}
