import { maskCredentials, redacted } from "./mask-credentials.js";
import { isShellFolder } from "../redact.js";
import { asObject } from "../rpc/json.js";
import { isCredentialName, isCountable, isVariablesName } from "./credential-name.js";

/** Minimum length of a learned secret; shorter values are words that occur in many places. */
const minLength = 8;
const minAnswerLength = 4;
/** Maximum number of learned secrets. Later ones are ignored, so a long run never forgets the first ones. */
const maxCount = 1_000;
const maxDepth = 20;

/** Names of credential-related values that aren't credentials, such as location, provider, lifetime or count. */
const aboutOne =
  /(?:file|path|dir(?:ectory)?|folder|sock(?:et)?|url|uri|host|domain|port|provider|store|backend|helper|mode|limit|count|type|name|ttl|timeout)$/i;
/** Matches `OPENAI_KEY`, but also `SORT_KEY`. The value of such a name is treated as a credential unless it is a word. */
const keyName = /[_.-]key$/i;
const scheme = /^(?:bearer|basic|token)\s+/i;
const placeholder = /^(?:<.*>|\$.*|\*+|\[redacted\])$/;

export type FindSecrets = (text: string) => readonly (readonly [start: number, end: number])[];

interface KnownSecretsOptions {
  readonly find?: FindSecrets;
  /** Whether a value is a path on this machine, such as the working folder. Such values are never masked. */
  readonly isExistingPath?: (text: string) => boolean;
}

/** Credentials learned from named values, for masking later repetitions, combined with rules that recognize credentials by form. */
export class KnownSecrets {
  /** All spellings of all values, longest first, so that a replacement never splits a longer value. */
  #texts: readonly string[] = [];
  #count = 0;

  readonly #find: FindSecrets;
  readonly #isExistingPath: (text: string) => boolean;

  constructor({ find = () => [], isExistingPath = () => false }: KnownSecretsOptions = {}) {
    this.#find = find;
    this.#isExistingPath = isExistingPath;
  }

  get maxTextLength(): number {
    return this.#texts[0]?.length ?? 0;
  }

  /** Learns the values of variables or headers whose names indicate a credential. */
  learn(variables: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(variables)) this.#learn(name, value);
  }

  /** Learns a known secret, such as the answer in a password field. Ignores very short ones, which occur in too many places. */
  learnSecret(secret: string): void {
    if (secret.length >= minAnswerLength) this.#add(secret);
  }

  /** Learns from all variables and headers anywhere in a message. */
  learnFrom(message: unknown, depth = 0): void {
    if (typeof message !== "object" || message === null || depth > maxDepth) return;
    for (const [key, member] of Object.entries(message)) {
      if (isVariablesName(key)) this.#learnList(member);
      this.learnFrom(member, depth + 1);
    }
  }

  /** Masks known values, including their JSON and URL spellings, and credentials recognizable by form. */
  mask(text: string): string {
    let masked = text;
    for (const secret of this.#texts) if (masked.includes(secret)) masked = masked.replaceAll(secret, () => redacted);
    return maskCredentials(withoutRanges(masked, this.#find(masked)));
  }

  /** Whether a multi-line secret may continue after `text`, which ends with a line break. */
  endsWithin(text: string): boolean {
    return this.#texts.some((secret) => {
      for (let end = secret.indexOf("\n") + 1; end > 0; end = secret.indexOf("\n", end) + 1) {
        if (end < secret.length && text.endsWith(secret.slice(0, end))) return true;
      }
      return false;
    });
  }

  /** Learns from variables in the form `{NAME: value}`, `[{name, value}]` or `["NAME=value"]`. */
  #learnList(variables: unknown): void {
    if (!Array.isArray(variables)) {
      this.learn(asObject(variables) ?? {});
      return;
    }
    for (const item of variables as readonly unknown[]) {
      const { name, key = name, value } = asObject(item) ?? {};
      if (typeof key === "string") this.#learn(key, value);
      const [, label = "", text] = (typeof item === "string" && /^([^=:]+)[=:]\s*([^]*)$/.exec(item)) || [];
      this.#learn(label, text);
    }
  }

  #learn(name: string, value: unknown): void {
    const secret = typeof value === "string" ? credentialIn(name, value) : undefined;
    if (secret !== undefined && !this.#isExistingPath(secret)) this.#add(secret);
  }

  #add(secret: string): void {
    if (this.#texts.includes(secret) || this.#count === maxCount) return;
    this.#count++;
    const inJson = JSON.stringify(secret).slice(1, -1);
    const spellings = [secret, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(secret.toWellFormed())];
    this.#texts = [...new Set([...this.#texts, ...spellings])].sort((a, b) => b.length - a.length);
  }
}

/** Returns the credential part of a variable's or header's value, depending on its name. Undefined if there is none. */
export function credentialIn(name: string, value: string): string | undefined {
  if (aboutOne.test(name) || isShellFolder(name, value)) return undefined;
  if (!isCredentialName(name) && !(keyName.test(name) && /\d/.test(value))) return undefined;
  const secret = value.replace(scheme, "").trim();
  const isCount = isCountable(name) && /^\d+$/.test(secret);
  return secret.length < minLength || isCount || placeholder.test(secret) ? undefined : secret;
}

function withoutRanges(text: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  let result = "";
  let done = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (end <= done) continue;
    if (start >= done) result += `${text.slice(done, start)}${redacted}`;
    done = end;
  }
  return result + text.slice(done);
}
