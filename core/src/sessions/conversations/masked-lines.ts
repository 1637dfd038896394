import { asObject, parsedValue } from "../../base/rpc/json.js";
import { respelled } from "./json-spelling.js";

/**
 * Applies `mask` to the contents of JSON lines, regardless of how they are escaped. Lines in which nothing is masked don't change.
 * `searched` contains each string of the lines at least once.
 */
export function maskedLines(lines: string, mask: (text: string) => string, searched = lines): string {
  if (!isHiddenIn(searched, mask)) return lines;
  return lines
    .split("\n")
    .map((line) => (isHiddenIn(line, mask) ? JSON.stringify(masked(parsedValue(line), mask)) : line))
    .join("\n");
}

function isHiddenIn(lines: string, mask: (text: string) => string): boolean {
  const text = respelled(lines);
  if (mask(text) !== text) return true;
  if (!text.includes("\\")) return false;
  // Decode line breaks and quotes first, since a secret may match only at the start of a line or between quotes.
  const plain = text.replaceAll('\\"', '"').replace(/\\[nrt]/g, "\n");
  return plain !== text && mask(plain) !== plain;
}

/** Masks strings only: masking a number would break the JSON. */
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
