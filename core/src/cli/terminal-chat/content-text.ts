import { type Members, objectMember, textMember } from "./members.js";

/** A content block of ACP as text: its text, or a bracketed name of what a terminal cannot show. */
export function contentText(block: Members | undefined): string {
  const type = textMember(block, "type") ?? "content";
  const text = textMember(block, "text");
  if (type === "text" && text !== undefined) return text;
  if (type === "resource") {
    const resource = objectMember(block, "resource");
    return textMember(resource, "text") ?? `[resource ${textMember(resource, "uri") ?? ""}]`;
  }
  if (type === "resource_link") {
    const uri = textMember(block, "uri") ?? "";
    return `[${textMember(block, "title") ?? textMember(block, "name") ?? "link"}](${uri})`;
  }
  return `[${[type, textMember(block, "mimeType")].filter((part) => part !== undefined).join(" ")}]`;
}
