import { maskCredentials, redacted } from "./secrets/mask-credentials.js";

/** Matches a name with the separator before its value: `name=`, `"name": `, `\"name\": ` (JSON inside a JSON string), `--name `. */
const names = /(?<![\w.-])(--)?([A-Za-z_][\w.-]{0,80})(\\{0,7}["']?\s{0,2}[=:]\s{0,2}|\s)/g;
const values = /(\\{1,7})"(?:(?!(?<!\\)\1")[^\n])*(?:\1")?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s"',;&)\]}]+/y;

const secretWords = new Set(
  "key apikey token secret password passwd pwd passphrase credential credentials creds authorization cookie jwt".split(
    " ",
  ),
);
/** Secret words that also have other meanings, so a numeric value after such a word isn't treated as a secret. */
const shortSecretWords = new Set("pass pw pat auth".split(" "));
/** Matches `PGPASSWORD`, `SECRET_KEY_BASE` and `dbpasswd`, but not `PASSWORD_FILE`, which names a location. */
const secretName =
  /(?:password|passwd|passphrase|secret(?:[_-]?key)?(?:[_-]?base)?|api[_-]?key|access[_-]?key|private[_-]?key)$/i;
const placeholder =
  /^(?:|null|undefined|true|false|none|missing|required|invalid|expired|empty|not|is|\*+|<.*|\$.*|\[redacted\]?)$/i;

/**
 * Masks credentials in text for display: recognizable forms, and values of names that end in key, token, secret or password. Preserves all
 * other text.
 */
export function redactText(text: string): string {
  return redactNamedValues(maskCredentials(text));
}

function redactNamedValues(text: string): string {
  let result = "";
  let done = 0;
  for (const match of text.matchAll(names)) {
    const [whole, dashes, name = "", separator = ""] = match;
    const start = match.index + whole.length;
    if (match.index < done) continue;
    const promise = promiseOf(name);
    if (promise === "none") continue;
    values.lastIndex = start;
    const value = values.exec(text)?.[0];
    if (value === undefined || !isSecret(value, separator, dashes !== undefined)) continue;
    if (isShellFolder(name, value)) continue;
    if (promise === "weak" && !/[A-Za-z_]|\d\W+\d/.test(value)) continue;
    const quote = /^\\{0,7}["']/.exec(value)?.[0] ?? "";
    result += text.slice(done, start) + quote + redacted + quote;
    done = start + value.length;
  }
  return result + text.slice(done);
}

/** Whether a variable is the shell's working folder `PWD`. Databases use the same name for a password, which isn't an absolute path. */
export function isShellFolder(name: string, value: string): boolean {
  return name === "PWD" && /^\\{0,7}["']?(?:\/|[A-Za-z]:[\\/])/.test(value);
}

function promiseOf(name: string): "strong" | "weak" | "none" {
  const words = name.split(/[_.-]+|(?<=[a-z\d])(?=[A-Z])/);
  const last = (words.at(-1) ?? "").toLowerCase();
  if (secretWords.has(last) || secretName.test(name)) return "strong";
  return shortSecretWords.has(last) ? "weak" : "none";
}

/** Any value counts after `=` or a quoted name; in prose (`key: value`, `--key value`) only values that don't look like words. */
function isSecret(value: string, separator: string, isFlag: boolean): boolean {
  const bare = value.replace(/^\\{0,7}["']|\\{0,7}["']$/g, "");
  if (placeholder.test(bare)) return false;
  if (separator.includes("=") || /^\\{0,7}["']/.test(separator)) return true;
  if (!separator.includes(":") && !isFlag) return false;
  return bare.length >= 8 && /\d/.test(bare);
}
