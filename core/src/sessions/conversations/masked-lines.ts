import { asObject, parsedValue } from "../../base/rpc/json.js";
import { respelled } from "./json-spelling.js";

/**
 * `lines`, each with its newline, without what `mask` hides, whatever escapes it is spelled with; a line in which nothing is
 * hidden stays as it is.
 */
export function maskedLines(lines: string, mask: (text: string) => string): string {
  if (!isHiddenIn(lines, mask)) return lines;
  return lines
    .split("\n")
    .map((line) => (isHiddenIn(line, mask) ? JSON.stringify(masked(parsedValue(line), mask)) : line))
    .join("\n");
}

function isHiddenIn(lines: string, mask: (text: string) => string): boolean {
  const text = respelled(lines);
  if (mask(text) !== text) return true;
  // What begins a line or stands between quotes does so behind escapes here.
  const plain = text.replace(/\\[nrt"]/g, (escape) => (escape === '\\"' ? '"' : "\n"));
  return plain !== text && mask(plain) !== plain;
}

/** Not the text of the line: a number that is hidden there would leave no JSON. */
function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") {
    const text = mask(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => masked(item, mask));
  const object = asObject(value);
  if (!object) return value ?? null;
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [mask(key), masked(member, mask)]));
}
