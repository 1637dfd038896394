const mask = "[redacted]";

/** Tokens that their issuer's prefix gives away, wherever they stand. */
const knownTokens =
  /\b(?:(?:sk|rk|xai|pplx|nvapi)-[\w-]{12,}|[rs]k_(?:live|test)_\w{12,}|(?:gh[oprsu]|npm|hf|gsk|r8|github_pat|dckr_pat|pypi|glpat|shpat|lin_api|dop_v1)[_-][\w-]{12,}|xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{12,}|A[KS]IA[A-Z\d]{16}|AIza[\w-]{20,}|ya29\.[\w-]{12,}|GOCSPX-[\w-]{12,}|hvs\.[\w-]{12,}|SG\.[\w-]{16,}\.[\w-]{16,}|cio[A-Za-z\d]{32}\b|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)/g;

const privateKeys = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]*/g;

/** `Bearer xyz`, and no prose such as "bearer authentication". */
const authorization = /\b(Bearer|Basic)(\s{1,3})(?=[A-Za-z+/~_-]*[\d.=+/])[\w+/.~-]{8,}=*/gi;

/** `https://user:password@host` and `https://token@host`. */
const userInfo = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"']{1,400}@/gi;

/** A name with what separates it from its value: `name=`, `"name": `, `\"name\": ` (JSON in a string of JSON), `--name `. */
const names = /(?<![\w.-])(--)?([A-Za-z_][\w.-]{0,80})(\\{0,7}["']?\s{0,2}[=:]\s{0,2}|\s)/g;
const values = /(\\{1,7})"(?:(?!(?<!\\)\1")[^\n])*(?:\1")?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s"',;&)\]}]+/y;

const secretWords = new Set(
  "key apikey token secret password passwd pwd passphrase credential credentials authorization cookie jwt".split(" "),
);
const placeholder =
  /^(?:|null|undefined|true|false|none|missing|required|invalid|expired|empty|not|is|\*+|<.*|\$.*|\[redacted\]?)$/i;

/**
 * Masks credentials in text meant for people: tokens with a known prefix, `Bearer` values, passwords in addresses,
 * private keys, and the values of names that end in key, token, secret or password. Everything else stays.
 */
export function redactText(text: string): string {
  const masked = text
    .replace(privateKeys, `$1${mask}`)
    .replace(authorization, `$1$2${mask}`)
    .replace(knownTokens, mask)
    .replace(userInfo, `$1${mask}@`);
  return redactNamedValues(masked);
}

function redactNamedValues(text: string): string {
  let result = "";
  let done = 0;
  for (const match of text.matchAll(names)) {
    const [whole, dashes, name = "", separator = ""] = match;
    const start = match.index + whole.length;
    if (match.index < done || !promisesSecret(name)) continue;
    values.lastIndex = start;
    const value = values.exec(text)?.[0];
    if (value === undefined || !isSecret(value, separator, dashes !== undefined)) continue;
    const quote = /^\\{0,7}["']/.exec(value)?.[0] ?? "";
    result += text.slice(done, start) + quote + mask + quote;
    done = start + value.length;
  }
  return result + text.slice(done);
}

function promisesSecret(name: string): boolean {
  const words = name.split(/[_.-]+|(?<=[a-z\d])(?=[A-Z])/);
  return secretWords.has((words.at(-1) ?? "").toLowerCase());
}

/** After `=` or a quoted name any value counts; in prose (`key: value`, `--key value`) only what no word looks like. */
function isSecret(value: string, separator: string, isFlag: boolean): boolean {
  const bare = value.replace(/^\\{0,7}["']|\\{0,7}["']$/g, "");
  if (placeholder.test(bare)) return false;
  if (separator.includes("=") || /^\\{0,7}["']/.test(separator)) return true;
  if (!separator.includes(":") && !isFlag) return false;
  return bare.length >= 8 && /\d/.test(bare);
}
