export const redacted = "[redacted]";

interface CredentialForm {
  readonly kinds: string;
  /** Pattern of the credential. Masking preserves the text of its first capture group. */
  readonly pattern: RegExp;
  /** Part of each match. Skips the pattern where this part is absent, because the pattern is slow. */
  readonly needs?: RegExp;
  /** The same pattern, but sticky, if each match is in one word as {@link maskLongWords} splits text. */
  readonly patternHere?: RegExp;
}

/** Issuers of tokens with a recognizable prefix, each with the pattern of its tokens. */
const issued: readonly (readonly [kinds: string, source: string])[] = [
  ["OpenAI, Anthropic, OpenRouter, xAI, Perplexity, NVIDIA", String.raw`(?:sk|rk|xai|pplx|nvapi)-[\w-]{12,}`],
  ["Stripe, and its webhooks", String.raw`(?:[rs]k_(?:live|test)|whsec)_[\w+/]{12,}`],
  ["GitHub, npm, Hugging Face, Groq, Replicate", String.raw`(?:gh[oprsu]|npm|hf|gsk|r8|github_pat)[_-][\w-]{12,}`],
  ["GitLab", String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|ffct)-[\w.-]{12,}`],
  [
    "Docker, PyPI, Shopify, Linear, DigitalOcean",
    String.raw`(?:dckr_pat|pypi|shp(?:at|ca|pa|ss)|lin_api|do[opr]_v1)[_-][\w-]{12,}`,
  ],
  ["Slack", String.raw`(?:xox[abeoprs]-[\w-]{8,}|xapp-[\w-]{12,}|xwfp-[\w-]{12,})`],
  ["AWS", String.raw`A(?:KIA|SIA|BIA|CCA)[A-Z\d]{16}`],
  ["Google", String.raw`(?:AIza[\w-]{20,}|ya29\.[\w-]{12,}|GOCSPX-[\w-]{12,}|1//0[\w-]{20,})`],
  ["Vault", String.raw`hv[bsr]\.[\w-]{12,}`],
  ["SendGrid", String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`],
  ["crates.io", String.raw`cio[A-Za-z\d]{32}\b`],
  ["JSON Web Tokens", String.raw`eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*`],
  ["Telegram", String.raw`\d{8,10}:AA[\w-]{32,34}`],
  ["Discord", String.raw`[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}`],
  ["Twilio, Mailgun", String.raw`(?:SK[\da-f]{32}\b|key-[\da-f]{32}\b)`],
  ["Databricks, Postman, New Relic", String.raw`(?:dapi[\da-f]{32}|PMAK-[\da-f]{24}-[\da-f]{34}|NRAK-[A-Z\d]{27})`],
  [
    "Doppler, PlanetScale, Supabase, Fly",
    String.raw`(?:dp\.(?:pt|st|ct|sa)\.[\w-]{16,}|pscale_(?:tkn|pw|oauth)_[\w.-]{16,}|sbp_[\da-f]{20,}|fm[12]_[\w+/=,]{16,})`,
  ],
  [
    "Notion, Airtable, Figma, Asana",
    String.raw`(?:ntn_\w{20,}|secret_[A-Za-z\d]{40,}|pat[A-Za-z\d]{14}\.[\da-f]{40,}|figd_[\w-]{20,}|[012]/\d{10,}/\d{10,}:[\da-f]{32})`,
  ],
  [
    "Grafana, Sentry, Dynatrace, Sourcegraph",
    String.raw`(?:gl(?:sa|c)_[\w+/=]{20,}|sntry[su]_[\w+/=]{20,}|dt0[a-z]\d\d\.[A-Z\d]{24}\.[A-Z\d]{64}|sgp_[\w-]{20,})`,
  ],
  ["age", String.raw`AGE-SECRET-KEY-1[A-Z\d]{20,}`],
  [
    "Tailscale, Cloudflare, Heroku, Buildkite, Atlassian",
    String.raw`(?:tskey-[\w-]{16,}|v1\.0-[\da-f]{24}-[\da-f]{100,}|HRKU-[\w-]{20,}|bkua_[\da-f]{20,}|ATATT3[\w=-]{20,})`,
  ],
];

const issuedToken = new RegExp(`\\b()(?:${issued.map(([, source]) => source).join("|")})`, "g");

/** Credentials recognizable by their form. Shared by traces, recorded conversations and hand-offs. */
const forms: readonly CredentialForm[] = [
  {
    kinds: "private keys, including encrypted and PGP ones; a key without an end marker extends to the end of the text",
    pattern: /(-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----)[^]*?(?=-----END|$)/g,
  },
  {
    kinds: "PuTTY's private keys",
    pattern:
      /(\bPrivate-Lines:\s{0,2}\d{1,4}\\{0,7}[rn\r\n]{1,8})(?:[A-Za-z\d+/=]{1,80}(?:\\{0,7}[rn]|\s){0,4}){1,200}/g,
  },
  { kinds: "WireGuard", needs: /=/, pattern: /(\b(?:PrivateKey|PresharedKey)\s{0,3}=\s{0,3})[A-Za-z\d+/]{43}=/g },
  {
    kinds: "`Authorization: Token xyz` with any scheme; the whole line for schemes with parameters",
    needs: /authorization/i,
    pattern:
      /\b((?:proxy-)?authorization\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?(?:digest|aws4-hmac-sha256|oauth|signature|hawk)\s{1,3})[^\n]{4,}/gi,
  },
  {
    kinds: "the same without parameters",
    needs: /authorization/i,
    pattern:
      /\b((?:proxy-)?authorization\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?(?:token|api-?key|key|bearer|basic|negotiate|ntlm|splunk|bot|genie-?key|sso-key|discogs)\s{1,3})(?!\[redacted|<|\$)[^\s"'\\,;]{4,}/gi,
  },
  {
    kinds: '`Bearer xyz`, but not prose such as "bearer authentication"',
    pattern: /\b((?:Bearer|Basic)\s{1,3})(?=[A-Za-z+/~_-]*[\d.=+/])[\w+/.~-]{8,}=*/gi,
  },
  {
    kinds: "every cookie in a header",
    needs: /=/,
    pattern: /\b((?:set-)?cookie\\{0,7}["']?\s{0,2}[:=]\s{0,2}\\{0,7}["']?)(?=[^\s=;"'\\]{1,200}=)[^\n"'\\]{3,}/gi,
  },
  {
    kinds: "addresses that let anyone who knows them post or act on somebody's behalf",
    pattern:
      /(\bhttps?:\/\/(?:hooks\.slack\.com\/|(?:[a-z]{1,20}\.)?discord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks\/|[\w-]{1,63}\.webhook\.office\.com\/|outlook\.office(?:365)?\.com\/webhook\/|hooks\.zapier\.com\/|api\.telegram\.org\/bot|[\w.-]{1,200}\.(?:logic\.azure|powerplatform)\.com(?::\d{1,5})?\/))(?!\[redacted)[^\s"'<>\\)]+/gi,
  },
  {
    kinds: "tokens with a prefix",
    pattern: issuedToken,
    patternHere: new RegExp(issuedToken, "y"),
  },
  { kinds: "Terraform Cloud", needs: /\.atlasv1\./, pattern: /\b()[A-Za-z\d]{14}\.atlasv1\.[\w-]{40,}/g },
  {
    kinds: "`https://user:password@host` and `https://token@host`",
    needs: /:\/\/[^\s/@"']{1,400}@/,
    pattern: /(\b[a-z][a-z\d+.-]{1,20}:\/\/)(?!git@)[^\s/@"']{1,400}(?=@)/gi,
  },
  {
    kinds: "signatures and tokens in addresses",
    needs: /=/,
    pattern:
      /([?&;](?:sig|signature|x-amz-(?:signature|credential|security-token)|(?:access|refresh|id|auth|api)?_?token|api_?key|client_secret|code)=)(?!\[redacted)[^\s&#;"'<>\\]{6,}/gi,
  },
  {
    kinds: "a line of a .netrc",
    needs: /password/i,
    pattern:
      /(\b(?:machine\s{1,9}[^\s]{1,200}|default)(?:\s{1,9}(?:login|account|port)\s{1,9}[^\s]{1,200}){0,3}\s{1,9}password\s{1,9})[^\s"'\\]+/gi,
  },
  {
    kinds: "a line of a .pgpass",
    needs: /:(?:\d{2,5}|\*):/,
    pattern: /^([\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:)[^\s:]{4,200}$/gm,
  },
  {
    kinds: "`_authToken` and others of an .npmrc",
    needs: /=/,
    pattern: /(:_(?:authToken|auth|password)\s{0,2}=\s{0,2})(?![$[])[^\s"'\\]{4,}/g,
  },
  {
    kinds: "`client-key-data` of a kubeconfig, and `auth` of Docker's config.json",
    needs: /client-key-data|auth|identitytoken/,
    pattern:
      /((?:\bclient-key-data|"auth|\\"auth|"identitytoken|\\"identitytoken)\\{0,7}"?:\s{0,3}\\{0,7}"?)[A-Za-z\d+/_.-]{12,}={0,2}/g,
  },
  {
    kinds: "connection strings",
    needs: /=/,
    pattern:
      /(\b(?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)\s{0,2}=\s{0,2})(?![$[<*{'"])[^\s;"'\\$(]{4,}(?=;)/gi,
  },
  {
    kinds: "variables in capital letters",
    needs: /(?:PASS(?:WORD|WD|PHRASE)|SECRET|TOKEN|KEY|_PASS|_PAT|_PWD|CREDENTIALS|KEY_BASE)=/,
    pattern:
      /((?:^|[\s"'`;&|(])(?:export\s{1,3}|set\s{1,3}|-e\s{0,2})?[A-Z][A-Z\d_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|_PASS|_PAT|_PWD|CREDENTIALS|KEY_BASE)=["']?)(?!\[redacted|[$<*])[^\s"'`;&|$()<>\\]{4,}/gm,
  },
];

/** Programs with a password argument, and the pattern before the password. `only` restricts a program to some subcommands. */
const commands: readonly { readonly programs: string; readonly only?: RegExp; readonly before: string }[] = [
  {
    programs: "docker podman nerdctl buildah skopeo helm oras az oc cf",
    only: /\blogin\b/,
    before: String.raw`\s(?:-p\s{0,3}|--(?:password|token|client-secret)(?:\s{1,3}|=))`,
  },
  { programs: "sshpass", before: String.raw`\s-p\s{0,3}` },
  { programs: "mysql mariadb mysqldump mysqladmin mysqlimport mysqlsh", before: String.raw`\s(?:-p|--password=)` },
  {
    programs: "mongo mongosh mongodump mongorestore mongoimport mongoexport",
    before: String.raw`\s(?:-p\s{0,3}|--password(?:\s{1,3}|=))`,
  },
  { programs: "sqlcmd bcp isql tsql osql zip unzip", before: String.raw`\s-P\s{0,3}` },
  { programs: "ldapsearch ldapadd ldapmodify ldapdelete ldappasswd ldapwhoami", before: String.raw`\s-[wsa]\s{1,3}` },
  { programs: "redis-cli valkey-cli", before: String.raw`\s(?:-a|--pass)\s{1,3}` },
  { programs: "htpasswd", before: String.raw`\s-\w{0,8}b\w{0,8}\s{1,3}(?:[^\s-]\S{0,200}\s{1,3}){1,2}(?=\S+\s*$)` },
  { programs: "openssl apksigner", before: String.raw`[\s=]pass:` },
  { programs: "gpg gpg2", before: String.raw`\s--passphrase(?:\s{1,3}|=)` },
  { programs: "7z 7za 7zz rar unrar", before: String.raw`\s-(?:hp|p)` },
  { programs: "keytool jarsigner", before: String.raw`\s-(?:store|key|deststore|srcstore|new)pass\s{1,3}` },
  { programs: "smbclient rpcclient smbget", before: String.raw`\s(?:-U\s{0,3}|--user=)[^\s%"']{1,100}%` },
  {
    programs: "curl wget http https httpie xh",
    before: String.raw`\s(?:--(?:http-|ftp-|proxy-)?password|--pass|--oauth2-bearer)(?:\s{1,3}|=)`,
  },
  { programs: "snmpget snmpwalk snmpset", before: String.raw`\s-[AX]\s{1,3}` },
  { programs: "wmic psexec cmdkey", before: String.raw`\s\/(?:password|pass|p):` },
];
const value = String.raw`(\\{1,7}"(?:[^"\\\n]){2,200}\\{1,7}"|"[^"\n]{2,200}"|'[^'\n]{2,200}'|[^\s"'\\]{2,200})`;
const readers = new Map(
  commands.flatMap(({ programs, only, before }) => {
    const reader = { only, option: new RegExp(`(${before})${value}`, "g") };
    return programs.split(" ").map((program) => [program, reader] as const);
  }),
);
const anyProgram = new RegExp(`(?<![\\w.-])(?:${[...readers.keys()].join("|")})(?![\\w.-])`, "g");

/** Matches `curl -u user:password`, quoted or not. */
const userOption =
  /(\s(?:-[uU]|--(?:proxy-)?user)(?:\s{1,3}|=)?)(?:(\\{0,7}["'])([^\n"':\\]{1,100}):(?![<$[])([^\n"'\\]{1,400})|([^\s:"'\\/]{1,100}):(?![<$[])([^\s"'\\]{1,400}))/g;
const httpProgram = /\b(?:curl|wget|httpie?|xh)\b/;
/** Matches the start of every option in {@link commands}, and of {@link userOption}. */
const anyOption = /\s(?:-[\w-]|\/p)|[\s=]pass:/;
const options = new RegExp(anyOption, "g");
const commandEnds: ReadonlySet<string> = new Set("\n;|&");

const mask = `$1${redacted}`;

export function maskCredentials(text: string): string {
  let masked = text;
  for (const { pattern, needs, patternHere } of forms) {
    if (patternHere) masked = maskLongWords(masked, pattern, patternHere);
    else if (needs?.test(masked) !== false) masked = masked.replace(pattern, mask);
  }
  if (masked.search(userOption) !== -1 && httpProgram.test(masked)) masked = masked.replace(userOption, maskedPassword);
  return maskCommands(masked);
}

/** Minimum length of an issued token. */
const longWord = 13;
/** Flags of ASCII characters that occur in issued tokens. */
const letter = 1;
const separator = 2;
const flagsOfCode = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /\w/.test(character) ? letter : /[.+/=:,-]/.test(character) ? separator : 0;
});
const notLetter = /\W/g;

/** Masks a pattern's matches inside words of at least {@link longWord} characters. Reads few of the other characters. */
function maskLongWords(text: string, pattern: RegExp, patternHere: RegExp): string {
  let result = "";
  let done = 0;
  for (let end = longWord - 1; end < text.length; end += longWord) {
    if (flagsAt(text, end) === 0) continue;
    let flags = 0;
    let start = end;
    for (let flag; start > 0 && (flag = flagsAt(text, start - 1)) !== 0; start--) flags |= flag;
    for (let flag; (flag = flagsAt(text, end)) !== 0; end++) {
      flags |= flag;
      // Faster in long words.
      if (flag === letter && end - start > 2 * longWord) end = endOfLetters(text, end) - 1;
    }
    if (end - start < longWord) continue;
    patternHere.lastIndex = start;
    // Each match starts at a word boundary.
    if (flags === letter && !patternHere.test(text)) continue;
    const word = text.slice(start, end);
    if (word.search(pattern) === -1) continue;
    result += text.slice(done, start) + word.replace(pattern, mask);
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

function flagsAt(text: string, place: number): number {
  const code = place < text.length ? text.charCodeAt(place) : 0;
  return code < flagsOfCode.length ? (flagsOfCode[code] ?? 0) : 0;
}

function endOfLetters(text: string, start: number): number {
  notLetter.lastIndex = start;
  return notLetter.test(text) ? notLetter.lastIndex - 1 : text.length;
}

/** Masks the arguments of the commands that contain an option. */
function maskCommands(text: string): string {
  let result = "";
  let done = 0;
  for (const { index } of text.matchAll(options)) {
    if (index < done) continue;
    let start = index + 1;
    let end = start;
    while (start > done && !commandEnds.has(text.charAt(start - 1))) start--;
    while (end < text.length && !commandEnds.has(text.charAt(end))) end++;
    result += text.slice(done, start) + maskCommand(text.slice(start, end));
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Masks credentials in a program's arguments, each a separate word. */
export function maskWords(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  if (program.search(anyProgram) === -1 || words.join("").length > maxWordsLength) return words.map(maskCredentials);
  return words.map((word, index) => {
    const before = `${[program, ...rest.slice(0, Math.max(0, index - 1))].join(" ")} `;
    const masked = index === 0 ? word : maskCommand(before + word);
    return maskCredentials(masked.startsWith(before) ? masked.slice(before.length) : word);
  });
}

/** Maximum total length for matching arguments in context, which takes quadratic time. */
const maxWordsLength = 2_000;

function maskCommand(line: string): string {
  if (!anyOption.test(line)) return line;
  const programs = new Set(line.match(anyProgram));
  let masked = line;
  for (const program of programs) {
    const reader = readers.get(program);
    if (reader && (reader.only?.test(line) ?? true)) masked = masked.replace(reader.option, maskedWord);
  }
  return masked;
}

function maskedWord(whole: string, before: string, word: string): string {
  const quote = /^(?:\\{0,7}["'])?/.exec(word)?.[0] ?? "";
  const bare = word.slice(quote.length);
  return /^(?:[$<*%[-]|$)/.test(bare) ? whole : `${before}${quote}${redacted}${quote}`;
}

/** Masks a password option, except numeric pairs such as `1000:1000`, which are user and group ids. */
function maskedPassword(whole: string, option: string, ...groups: readonly (string | undefined)[]): string {
  const [quote = "", quotedUser, quoted, bareUser, bare] = groups;
  const [user, password] = [quotedUser ?? bareUser ?? "", quoted ?? bare ?? ""];
  return /^\d+$/.test(user + password) ? whole : `${option}${quote}${user}:${redacted}`;
}
