import type { ServerLaunch, UserServer } from "../../settings/user-server.js";
import { isCredentialName, isCredentialParameter } from "../../base/secrets/credential-name.js";
import { credentialIn, type FindSecrets } from "../../base/secrets/known-secrets.js";

export interface LiteralSecret {
  readonly name: string;
  /** Location of the secret in the entry, for example `env.TOKEN`. */
  readonly where: string;
  readonly value: string;
}

interface MovedSecrets<T> {
  readonly server: T;
  readonly secrets: readonly LiteralSecret[];
}

/**
 * Replaces probable secrets of `server` with `${secret:NAME}`: values whose names suggest secrets, known token formats and random texts.
 * Skips texts with variables and avoids names in `taken`. Doesn't store the secrets.
 */
export function withoutLiteralSecrets<T extends Pick<UserServer, "name" | "launch" | "oauth">>(
  server: T,
  find: FindSecrets,
  taken: ReadonlySet<string> = new Set(),
): MovedSecrets<T> {
  const found = new Found(server.name, find, taken);
  const launch = movedLaunch(server.launch, found);
  const { clientSecret } = server.oauth ?? {};
  const oauth =
    clientSecret === undefined || hasVariable(clientSecret)
      ? undefined
      : {
          oauth: {
            ...server.oauth,
            clientSecret: found.move(clientSecret, clientSecret, "oauth.clientSecret", "clientSecret"),
          },
        };
  return found.secrets.length === 0
    ? { server, secrets: [] }
    : { server: { ...server, launch, ...oauth }, secrets: found.secrets };
}

/** Secrets found in one server. Equal values share a name. */
class Found {
  readonly #secrets = new Map<string, LiteralSecret>();

  constructor(
    private readonly server: string,
    private readonly find: FindSecrets,
    private readonly taken: ReadonlySet<string>,
  ) {}

  get secrets(): readonly LiteralSecret[] {
    return [...this.#secrets.values()];
  }

  move(text: string, secret: string, where: string, word: string): string {
    const value = secret.replaceAll("$${", "${");
    const known = this.#secrets.get(value);
    const { name } = known ?? { name: this.#nameOf(word) };
    if (!known) this.#secrets.set(value, { name, where, value });
    return text.replaceAll(secret, () => `\${secret:${name}}`);
  }

  /** Replaces secrets that are recognizable by the name or the format of a value. */
  inValue(name: string, text: string, where: string): string {
    if (hasVariable(text)) return text;
    const secret = credentialIn(name, text);
    if (secret !== undefined) return this.move(text, secret, where, name);
    return isUnguessable(text) ? this.move(text, text, where, name) : this.inText(text, where, name);
  }

  /** Replaces secrets in a text that are recognizable by their format. */
  inText(text: string, where: string, word: string): string {
    if (hasVariable(text)) return text;
    const secrets = this.find(text).map(([start, end]) => text.slice(start, end));
    return secrets.reduce((moved, secret) => (secret === "" ? moved : this.move(moved, secret, where, word)), text);
  }

  #nameOf(word: string): string {
    const base = [this.server, word].map((part) => part.replace(/[^\w.-]+/g, "-")).join("-");
    const taken = new Set([...this.taken, ...this.secrets.map(({ name }) => name)]);
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
    return name;
  }
}

function movedLaunch(launch: ServerLaunch, found: Found): ServerLaunch {
  const values = (texts: Readonly<Record<string, string>>, key: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [name, found.inValue(name, text, `${key}.${name}`)]),
    );
  if (launch.type === "stdio") {
    return { ...launch, args: movedWords(launch.args, found), env: values(launch.env, "env") };
  }
  return { ...launch, url: movedAddress(launch.url, found), headers: values(launch.headers, "headers") };
}

/** Replaces secrets in a command's arguments: `--token X`, `--token=X`, `NAME=X` and `Authorization: Bearer X`. */
function movedWords(words: readonly string[], found: Found): readonly string[] {
  return words.map((word, index) => {
    const where = `args[${index}]`;
    const before = /^--?([\w.-]+)$/.exec(words[index - 1] ?? "")?.[1];
    if (before !== undefined && isCredentialName(before) && !word.startsWith("-"))
      return found.inValue(before, word, where);
    const [, head = "", name = "", value = ""] = /^((?:--?)?([\w.-]+)(?:=|:\s*))([^]+)$/.exec(word) ?? [];
    if (name !== "" && isCredentialName(name)) return head + found.inValue(name, value, where);
    if (/^https?:/i.test(word)) return movedAddress(word, found, where);
    return found.inText(word, where, String(index));
  });
}

/** Replaces the URL's password and the values of parameters whose names suggest secrets. */
function movedAddress(url: string, found: Found, where = "url"): string {
  if (hasVariable(url)) return url;
  const [, user = "", password] = /^https?:\/\/([^/?#:@]*):([^/?#@]+)@/i.exec(url) ?? [];
  let moved = url;
  if (password !== undefined) {
    moved = moved.replace(
      `${user}:${password}@`,
      () => `${user}:${found.move(password, password, where, "password")}@`,
    );
  }
  moved = moved.replaceAll(/([?&]([^=?&#]+)=)([^&#]+)/g, (whole: string, head: string, name: string, value: string) =>
    isCredentialParameter(name) && value.length >= 8 ? head + found.move(value, value, where, name) : whole,
  );
  return moved === url ? found.inText(url, where, "url") : moved;
}

function hasVariable(text: string): boolean {
  return /(?<!\$)\$\{/.test(text);
}

/** Minimum entropy of a random key, in bits per character. Words, paths, file hashes and versions have less. */
const keyBits = 4;

/** Whether a text looks random: long, with letters and digits, and evenly distributed. */
function isUnguessable(text: string): boolean {
  if (text.length < 24 || !/^[\w+/=.~-]+$/.test(text) || !/\d/.test(text) || !/[a-z]/i.test(text)) return false;
  if (/^[/.~]|\/.*\/|^[\w-]+(?:\.[\w-]+)+\.[a-z]{2,}$/.test(text)) return false;
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const bits = [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  );
  return bits >= keyBits;
}
