import { maskWords, redacted } from "../../base/secrets/mask-credentials.js";
import { isShellFolder } from "../../base/redact.js";
import { stringOf } from "../../base/rpc/json.js";
import { isCountable, isCredentialName, isVariablesName } from "../../base/secrets/credential-name.js";
import { groupedDigits, redactString } from "../../base/secrets/redact-string.js";
import type { KnownSecrets } from "../../base/secrets/known-secrets.js";

const maxDepth = 100;
/** The next argument is `user:password` (curl), or a numeric user and group. */
const userFlag = /^(?:-[uU]|--(?:proxy-)?user)$/;

/**
 * Copies a parsed JSON value for a trace. Replaces values under credential names, of variables and of HTTP headers with `[redacted]`, and
 * masks credentials in URLs, flags and text. Shortens long strings and replaces media with their size.
 */
export function redactParams(value: unknown, secrets?: KnownSecrets): unknown {
  return new Redaction(secrets).redact(value, 0);
}

class Redaction {
  constructor(private readonly secrets: KnownSecrets | undefined) {}

  redact(value: unknown, depth: number): unknown {
    if (typeof value === "string") return redactString(value, this.secrets);
    if (typeof value !== "object" || value === null) return value;
    if (depth === maxDepth) return `[nested deeper than ${maxDepth} levels]`;
    return Array.isArray(value) ? this.#array(value, depth + 1) : this.#object(value, depth + 1);
  }

  #object(value: object, depth: number): unknown {
    const entries = Object.entries(value);
    const label = labelOf(value);
    return Object.fromEntries(
      entries.map(([key, member]: [string, unknown]) => {
        if (isMedia(value, key, member)) return [key, `[${groupedDigits(Math.floor((member.length * 3) / 4))} bytes]`];
        if (key === "value" && label !== undefined && isSecret(label, member))
          return [key, redactLeaves(member, label, depth)];
        return [key, this.#member(key, member, depth)];
      }),
    );
  }

  #member(key: string, member: unknown, depth: number): unknown {
    if (isVariablesName(key)) return redactVariables(member, depth);
    if (isSecret(key, member)) return redactLeaves(member, key, depth);
    return this.redact(member, depth);
  }

  /** Masks credentials in command lines: `--token VALUE`, `--token=VALUE`, `TOKEN=VALUE` and `Token: VALUE`. */
  #array(items: readonly unknown[], depth: number): unknown[] {
    const words = items.every((item) => typeof item === "string") ? maskWords(items) : items;
    return words.map((item, index) => {
      if (typeof item !== "string") return this.redact(item, depth);
      const [head = "", name] = /^(-{0,2}[\w.-]+)(?:=|:\s*)/.exec(item) ?? [];
      if (name !== undefined && isSecret(name, item.slice(head.length))) return `${head}${redacted}`;
      const before = items[index - 1];
      if (typeof before === "string" && userFlag.test(before)) return withoutPassword(item);
      const isValueOfFlag = typeof before === "string" && /^--?[\w.-]+$/.test(before) && isCredentialName(before);
      return isValueOfFlag ? redacted : redactString(item, this.secrets);
    });
  }
}

function isSecret(name: string, value: unknown): boolean {
  return isCredentialName(name) && !(typeof value === "string" && isShellFolder(name, value));
}

/** Redacts every value in `{NAME: value}`, `[{name, value}]` or `["NAME=value"]`, whatever its name. */
function redactVariables(value: unknown, depth: number): unknown {
  if (!Array.isArray(value)) return redactLeaves(value, "", depth);
  return value.map((item: unknown) => {
    if (typeof item === "string") return `${/^[^=:]*[=:]/.exec(item)?.[0] ?? ""}${redacted}`;
    const name = labelOf(item);
    if (name === undefined || typeof item !== "object" || item === null) return redactLeaves(item, "", depth);
    return Object.fromEntries(
      Object.entries(item).map(([key, member]: [string, unknown]) => [
        key,
        key === "name" || key === "key" ? member : redactLeaves(member, "", depth),
      ]),
    );
  });
}

/** Preserves names, structure, `true`, `false` and `null`, which show the shape without secrets. */
function redactLeaves(value: unknown, name: string, depth: number): unknown {
  if (typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return isCountable(name) ? value : redacted;
  if (typeof value !== "object" || depth >= maxDepth) return redacted;
  if (Array.isArray(value)) return value.map((item: unknown) => redactLeaves(item, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [key, redactLeaves(member, name, depth + 1)]),
  );
}

/** Returns the name of a `{name, value}` or `{key, value}` pair. */
function labelOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const label: unknown = "name" in value ? value.name : "key" in value ? value.key : undefined;
  return stringOf(label);
}

/** Returns whether a member is base64 of an image, audio or embedded binary resource. */
function isMedia(owner: object, key: string, member: unknown): member is string {
  if (typeof member !== "string") return false;
  if (key === "blob") return "uri" in owner || "mimeType" in owner;
  return key === "data" && "type" in owner && (owner.type === "image" || owner.type === "audio");
}

/** Masks the part after the first colon of `user:password`, unless the user is a number. */
function withoutPassword(text: string): string {
  const end = text.indexOf(":") + 1;
  return end === 0 || end === text.length || /^\d*:$/.test(text.slice(0, end)) ? text : text.slice(0, end) + redacted;
}
