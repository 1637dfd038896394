/** A JSON object whose members have not been looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** `value` if it is a JSON object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** `value` if it is an array, else an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `value` if it is a string, else the empty string. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The texts of a content list whose members are strings or `{text}` objects, or of a bare string, joined. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return arrayOf(content)
    .map((part) => (typeof part === "string" ? part : stringOf(objectOf(part)["text"])))
    .join("");
}

/** The JSON object in `text`; an empty one when `text` is something else. */
export function parseObject(text: string): JsonObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
