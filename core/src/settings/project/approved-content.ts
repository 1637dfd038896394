import { redactText } from "../../base/redact.js";
import { asObject } from "../../base/rpc/json.js";
import { visibleJson } from "../what-runs.js";

/** One part of a project's files that counts only once the user has approved it. */
export interface ApprovedEntry {
  /** Such as `mcpServers.docs`. */
  readonly key: string;
  /** As the file has it: nothing is expanded, and relative paths stay. */
  readonly value: unknown;
  /** Where it stands. */
  readonly file: string;
  readonly line: number;
}

/** What is approved as a whole, by entry: JSON of each one, and what is in the files that they name. */
export type ApprovedContent = Readonly<Record<string, string>>;

/** JSON of one form for each value: the keys in order, without blanks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = asObject(value);
  if (!members) return JSON.stringify(value);
  const entries = Object.keys(members).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`).join(",")}}`;
}

/** A line for each entry that is new, is gone or is another one; all of them where nothing was approved before. */
export function describeChange(before: ApprovedContent | undefined, now: ApprovedContent): readonly string[] {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])].sort();
  return keys.flatMap((key) => {
    const [old, current] = [valueIn(before, key), valueIn(now, key)];
    if (old === current) return [];
    const name = visibleJson(key).slice(1, -1);
    if (current === undefined) return [`- ${name} is gone`];
    if (old === undefined) return [`+ ${name}: ${shown(current)}`];
    return current.startsWith(fileMark)
      ? [`~ ${name}: another content than the one you allowed`]
      : [`~ ${name}: ${shown(current)}`, `  before: ${shown(old)}`];
  });
}

/** What the content of a file begins with, in place of JSON. */
export const fileMark = "sha256:";

function valueIn(content: ApprovedContent | undefined, key: string): string | undefined {
  return content && Object.hasOwn(content, key) ? content[key] : undefined;
}

function shown(text: string): string {
  if (text.startsWith(fileMark)) return "the current content";
  return visibleJson(JSON.parse(text));
}

/** All texts in a value, those of lists and objects included, each with the key that it stands under. */
export function textsIn(value: unknown, key?: string): readonly (readonly [text: string, key: string | undefined])[] {
  if (typeof value === "string") return [[value, key]];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, key));
  return Object.entries(asObject(value) ?? {}).flatMap(([name, one]) => textsIn(one, name));
}

/** Whether a value holds a key or a password in the clear: a repository is read by many. */
export function holdsSecret(value: unknown): boolean {
  return textsIn(value).some(([text, key]) => {
    if (redactText(text) !== text) return true;
    if (key === undefined || text.includes("${")) return false;
    const member = `${JSON.stringify(key)}: ${JSON.stringify(text)}`;
    return redactText(member) !== member;
  });
}
