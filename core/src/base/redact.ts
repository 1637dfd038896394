/** Replaces a credential in what is kept, logged or traced. */
export const redacted = "[redacted]";

/** Tokens that their issuer's prefix gives away, wherever they stand. */
const knownTokens =
  /\b(?:(?:sk|rk|xai|pplx|nvapi)-[\w-]{12,}|[rs]k_(?:live|test)_\w{12,}|(?:gh[oprsu]|npm|hf|gsk|r8|github_pat|dckr_pat|pypi|glpat|shpat|lin_api|dop_v1)[_-][\w-]{12,}|xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{12,}|A[KS]IA[A-Z\d]{16}|AIza[\w-]{20,}|ya29\.[\w-]{12,}|GOCSPX-[\w-]{12,}|hvs\.[\w-]{12,}|SG\.[\w-]{16,}\.[\w-]{16,}|cio[A-Za-z\d]{32}\b|eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)/g;

/** Also encrypted and PGP ones; one without an end goes on to the end of the text. */
const privateKeys = /(-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----)[^]*?(?=-----END|$)/g;

/** `Bearer xyz`, and no prose such as "bearer authentication". */
const authorization = /\b(Bearer|Basic)(\s{1,3})(?=[A-Za-z+/~_-]*[\d.=+/])[\w+/.~-]{8,}=*/gi;

/** `Authorization: Token xyz`, with whatever scheme; of those with parameters the whole line. */
const authorizationHeader =
  /\b((?:proxy-)?authorization\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?)(?:((?:digest|aws4-hmac-sha256|oauth|signature|hawk)\s{1,3})[^\n]{4,}|((?:token|api-?key|key|bearer|basic|negotiate|ntlm|splunk|bot|genie-?key|sso-key|discogs)\s{1,3})(?!\[redacted|<|\$)[^\s"'\\,;]{4,})/gi;

/** Every cookie of a header. */
const cookies = /\b((?:set-)?cookie\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?)(?=[^\s=;"'\\]{1,200}=)[^\n"'\\]{3,}/gi;

/** `curl -u user:password`, quoted or not. */
const userOption =
  /(\s(?:-[uU]|--(?:proxy-)?user)(?:\s{1,3}|=)?)(?:(\\{0,7}["'])([^\n"':\\]{1,100}):(?![<$[])([^\n"'\\]{1,400})|([^\s:"'\\/]{1,100}):(?![<$[])([^\s"'\\]{1,400}))/g;
const httpProgram = /\b(?:curl|wget|httpie?|xh)\b/;

/** A line of a `.netrc`. */
const netrc =
  /(\b(?:machine\s{1,9}[^\s]{1,200}|default)(?:\s{1,9}(?:login|account|port)\s{1,9}[^\s]{1,200}){0,3}\s{1,9}password\s{1,9})[^\s"'\\]+/gi;

/** Addresses that let whoever knows them post, or act, in somebody's name. */
const webhooks =
  /(\bhttps?:\/\/(?:hooks\.slack\.com\/|(?:[a-z]{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks\/|[\w-]{1,63}\.webhook\.office\.com\/|outlook\.office(?:365)?\.com\/webhook\/|hooks\.zapier\.com\/|api\.telegram\.org\/bot|[\w.-]{1,200}\.(?:logic\.azure|powerplatform)\.com(?::\d{1,5})?\/))(?!\[redacted)[^\s"'<>\\)]+/gi;

/** `https://user:password@host` and `https://token@host`. */
const userInfo = /(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/@"']{1,400}@/gi;

/** A name with what separates it from its value: `name=`, `"name": `, `\"name\": ` (JSON in a string of JSON), `--name `. */
const names = /(?<![\w.-])(--)?([A-Za-z_][\w.-]{0,80})(\\{0,7}["']?\s{0,2}[=:]\s{0,2}|\s)/g;
const values = /(\\{1,7})"(?:(?!(?<!\\)\1")[^\n])*(?:\1")?|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[^\s"',;&)\]}]+/y;

const secretWords = new Set(
  "key apikey token secret password passwd pwd passphrase credential credentials creds authorization cookie jwt".split(
    " ",
  ),
);
/** They name much else as well: a number is none. */
const shortSecretWords = new Set("pass pw pat auth".split(" "));
/** `PGPASSWORD`, `SECRET_KEY_BASE`, `dbpasswd`; but not `PASSWORD_FILE`, which names a place. */
const secretName =
  /(?:password|passwd|passphrase|secret(?:[_-]?key)?(?:[_-]?base)?|api[_-]?key|access[_-]?key|private[_-]?key)$/i;
const placeholder =
  /^(?:|null|undefined|true|false|none|missing|required|invalid|expired|empty|not|is|\*+|<.*|\$.*|\[redacted\]?)$/i;

/**
 * Masks credentials in text meant for people: tokens with a known prefix, `Bearer` values, passwords in addresses,
 * private keys, and the values of names that end in key, token, secret or password. Everything else stays.
 */
export function redactText(text: string): string {
  const masked = text
    .replace(privateKeys, `$1${redacted}`)
    .replace(authorizationHeader, `$1$2$3${redacted}`)
    .replace(authorization, `$1$2${redacted}`)
    .replace(cookies, `$1${redacted}`)
    .replace(webhooks, `$1${redacted}`)
    .replace(knownTokens, redacted)
    .replace(userInfo, `$1${redacted}@`)
    .replace(netrc, `$1${redacted}`);
  return redactNamedValues(httpProgram.test(masked) ? masked.replace(userOption, maskedPassword) : masked);
}

/** `1000:1000` are a user's and a group's numbers. */
function maskedPassword(whole: string, option: string, ...groups: readonly (string | undefined)[]): string {
  const [quote = "", quotedUser, quoted, bareUser, bare] = groups;
  const [user, password] = [quotedUser ?? bareUser ?? "", quoted ?? bare ?? ""];
  return /^\d+$/.test(user + password) ? whole : `${option}${quote}${user}:${redacted}`;
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

/** Whether a variable is the folder that a shell keeps as `PWD`. Databases call a password so, which is no absolute path. */
export function isShellFolder(name: string, value: string): boolean {
  return name === "PWD" && /^\\{0,7}["']?(?:\/|[A-Za-z]:[\\/])/.test(value);
}

function promiseOf(name: string): "strong" | "weak" | "none" {
  const words = name.split(/[_.-]+|(?<=[a-z\d])(?=[A-Z])/);
  const last = (words.at(-1) ?? "").toLowerCase();
  if (secretWords.has(last) || secretName.test(name)) return "strong";
  return shortSecretWords.has(last) ? "weak" : "none";
}

/** After `=` or a quoted name any value counts; in prose (`key: value`, `--key value`) only what no word looks like. */
function isSecret(value: string, separator: string, isFlag: boolean): boolean {
  const bare = value.replace(/^\\{0,7}["']|\\{0,7}["']$/g, "");
  if (placeholder.test(bare)) return false;
  if (separator.includes("=") || /^\\{0,7}["']/.test(separator)) return true;
  if (!separator.includes(":") && !isFlag) return false;
  return bare.length >= 8 && /\d/.test(bare);
}
