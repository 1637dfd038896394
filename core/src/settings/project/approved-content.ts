import { redactText } from "../../base/redact.js";
import { asObject } from "../../base/rpc/json.js";
import { visibleJson } from "../component-command-text.js";

/** Part of a project's files that applies only after the user's approval. */
export interface ApprovedEntry {
  /** Key of the entry, such as `mcpServers.docs`. */
  readonly key: string;
  /** Value from the file, with unexpanded variables and relative paths. */
  readonly value: unknown;
  readonly file: string;
  readonly line: number;
}

/** Content to approve as a whole, by entry: each entry's JSON and the contents of the files that it names. */
export type ApprovedContent = Readonly<Record<string, string>>;

/** Formats a value as canonical JSON: sorted keys, no blanks. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = asObject(value);
  if (!members) return JSON.stringify(value);
  const entries = Object.keys(members).sort();
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`).join(",")}}`;
}

/** Returns a line for each new, removed or changed entry; lists all entries if nothing was approved before. */
export function describeChange(before: ApprovedContent | undefined, now: ApprovedContent): readonly string[] {
  const keys = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])].sort();
  return keys.flatMap((key) => {
    const [old, current] = [valueIn(before, key), valueIn(now, key)];
    if (old === current) return [];
    const name = visibleJson(key).slice(1, -1);
    if (current === undefined) return [`- ${name} was removed`];
    if (old === undefined) return [`+ ${name}: ${shown(current)}`];
    return current.startsWith(fileMark)
      ? [`~ ${name}: content changed since you allowed it`]
      : [`~ ${name}: ${shown(current)}`, `  before: ${shown(old)}`];
  });
}

/** Prefix of the values that represent file contents; other values are JSON. */
export const fileMark = "sha256:";

function valueIn(content: ApprovedContent | undefined, key: string): string | undefined {
  return content && Object.hasOwn(content, key) ? content[key] : undefined;
}

function shown(text: string): string {
  if (text.startsWith(fileMark)) return "the current content";
  return visibleJson(JSON.parse(text));
}

/** Returns all strings in a value, including nested ones, each with its key. */
export function textsIn(value: unknown, key?: string): readonly (readonly [text: string, key: string | undefined])[] {
  if (typeof value === "string") return [[value, key]];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, key));
  return Object.entries(asObject(value) ?? {}).flatMap(([name, one]) => textsIn(one, name));
}

/** Returns whether a value contains a plaintext key or password, which doesn't belong in a repository. */
export function holdsSecret(value: unknown): boolean {
  return textsIn(value).some(([text, key]) => {
    if (redactText(text) !== text) return true;
    if (key === undefined || text.includes("${")) return false;
    const member = `${JSON.stringify(key)}: ${JSON.stringify(text)}`;
    return redactText(member) !== member;
  });
}
