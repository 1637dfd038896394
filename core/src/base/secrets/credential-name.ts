const anywhere = [
  "authorization",
  "token",
  "apikey",
  "secret",
  "password",
  "passwd",
  "passphrase",
  "cookie",
  "credential",
  "bearer",
  "privatekey",
  "accesskey",
  "signingkey",
  "encryptionkey",
  "sshkey",
];
const whole: ReadonlySet<string> = new Set(["auth", "pwd", "pass", "otp", "jwt"]);
/** Matches names whose last word indicates a credential, such as `DB_PASS`, `GITHUB_PAT` or `npm_auth`. */
const lastWords = /[a-z\d][_.-](?:pass|pwd|pw|pat|auth|creds)$|[a-z\d](?:Pass|Pwd|Pat|Creds)$/;
const wholeInUrls: ReadonlySet<string> = new Set(["key", "sig", "code"]);

/** MCP's `progressToken` links a notification to its request and grants no access. */
const harmless: ReadonlySet<string> = new Set(["progresstoken"]);

/** Whether the value of `name`, a JSON key, flag or variable, is probably a credential. Ignores case and spelling. */
export function isCredentialName(name: string): boolean {
  const letters = lettersOf(name);
  if (harmless.has(letters)) return false;
  return whole.has(letters) || hasCredentialWord(name) || anywhere.some((part) => letters.includes(part));
}

function hasCredentialWord(name: string): boolean {
  return lastWords.test(name) || lastWords.test(name.toLowerCase());
}

/** Like {@link isCredentialName} for URL query parameters, in which signatures and codes also grant access. */
export function isCredentialParameter(name: string): boolean {
  const letters = lettersOf(name);
  return wholeInUrls.has(letters) || letters.endsWith("signature") || isCredentialName(name);
}

/** Whether a number under this credential name is a count (`maxTokens`, `tokenLimit`, tests that `pass`) instead of a credential. */
export function isCountable(name: string): boolean {
  const letters = lettersOf(name);
  return letters.includes("token") || letters === "pass";
}

/** Whether the member `name` contains variables or HTTP headers, whose values are all redacted. */
export function isVariablesName(name: string): boolean {
  const letters = lettersOf(name);
  return /^(env|environ|environment|envvars?|environmentvariables?)$/.test(letters) || letters.endsWith("headers");
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
