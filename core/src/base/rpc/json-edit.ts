import { Json } from "./json.js";
import { skipSpace, skipValue, unescaped, visitMembers } from "./json-scan.js";

/** Edits of raw JSON text that preserve all unaffected characters. */

interface MemberSpan {
  /** Offset of the key's opening quote. */
  memberStart: number;
  start: number;
  end: number;
}

/** Finds the value of `key` in the JSON object `text`. Among equal keys, the last wins. */
function findMember(text: string, key: string): MemberSpan | undefined {
  let place: MemberSpan | undefined;
  visitMembers(text, skipSpace(text, 0), {
    member(_text, keyStart, keyEnd, start, end) {
      if (isKey(text.slice(keyStart, keyEnd), key)) place = { memberStart: keyStart - 1, start, end };
    },
  });
  return place;
}

function isKey(name: string, key: string): boolean {
  return name === key || (name.includes("\\") && unescaped(name) === key);
}

/** Returns the raw value of a member. Undefined if `json` isn't an object or lacks the member. */
export function memberOf(json: Json, key: string): Json | undefined {
  const place = findMember(json.text, key);
  return place && Json.ofText(json.text.slice(place.start, place.end));
}

/** Sets the member at `path`, creates missing parent objects, and replaces parents that aren't objects. */
export function withMember(json: Json, path: readonly [string, ...string[]], value: Json): Json {
  const [key, ...rest] = path;
  const text = json.text.trimStart();
  if (!text.startsWith("{")) return withMember(Json.ofText("{}"), path, value);
  const place = findMember(text, key);
  const old = place && Json.ofText(text.slice(place.start, place.end));
  const next = isPath(rest) ? withMember(old ?? Json.ofText("{}"), rest, value) : value;
  if (place) return Json.ofText(text.slice(0, place.start) + next.text + text.slice(place.end));
  const separator = text.charCodeAt(skipSpace(text, 1)) === 0x7d ? "" : ",";
  return Json.ofText(`{${JSON.stringify(key)}:${next.text}${separator}${text.slice(1)}`);
}

/** Removes the member at `path`, and parent objects that become empty. */
export function withoutMember(json: Json, path: readonly [string, ...string[]]): Json {
  const [key, ...rest] = path;
  const { text } = json;
  const place = findMember(text, key);
  if (!place) return json;
  if (isPath(rest)) {
    const old = Json.ofText(text.slice(place.start, place.end));
    const next = withoutMember(old, rest);
    if (next === old) return json;
    if (!/^\s*\{\s*\}\s*$/.test(next.text)) {
      return Json.ofText(text.slice(0, place.start) + next.text + text.slice(place.end));
    }
  }
  const before = text.slice(0, place.memberStart).trimEnd();
  const after = text.slice(skipSpace(text, place.end));
  const isFirst = !before.endsWith(",");
  const removed = isFirst ? before + after.replace(/^,\s*/, "") : before.slice(0, -1) + after;
  return withoutMember(Json.ofText(removed), path);
}

function isPath(rest: readonly string[]): rest is readonly [string, ...string[]] {
  return rest.length > 0;
}

export function elementsOf(json: Json): Json[] | undefined {
  const text = json.text;
  let index = skipSpace(text, 0);
  if (text[index] !== "[") return undefined;
  const elements: Json[] = [];
  index = skipSpace(text, index + 1);
  while (text[index] !== "]") {
    const end = skipValue(text, index);
    if (end === -1) return undefined;
    elements.push(Json.ofText(text.slice(index, end)));
    index = skipSpace(text, end);
    if (text[index] === ",") index = skipSpace(text, index + 1);
    else if (text[index] !== "]") return undefined;
  }
  return elements;
}

export function arrayOf(elements: readonly Json[]): Json {
  return Json.ofText(`[${elements.map((element) => element.text).join(",")}]`);
}
