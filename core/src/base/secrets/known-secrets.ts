import { maskCredentials, redacted } from "../credential-forms.js";
import { isShellFolder } from "../redact.js";
import { asObject } from "../rpc/json.js";
import { isCredentialName, isCountable, isVariablesName } from "./credential-name.js";

/** Shorter values are words that stand in many places. */
const minLength = 8;
const minAnswerLength = 4;
/** A trace of a very long run forgets none of its first secrets; later ones go unlearned. */
const maxCount = 1_000;
const maxDepth = 20;

/** Names about a credential whose values are none: where it is, who keeps it, how long it lasts, how many. */
const aboutOne =
  /(?:file|path|dir(?:ectory)?|folder|sock(?:et)?|url|uri|host|domain|port|provider|store|backend|helper|mode|limit|count|type|name|ttl|timeout)$/i;
/** `OPENAI_KEY`, but also `SORT_KEY`: what such a variable has is a credential where it is no word. */
const keyName = /[_.-]key$/i;
const scheme = /^(?:bearer|basic|token)\s+/i;
const placeholder = /^(?:<.*>|\$.*|\*+|\[redacted\])$/;

/** Where credentials stand in a text, as `[start, end]`, by whatever rules. */
export type FindSecrets = (text: string) => readonly (readonly [start: number, end: number])[];

interface KnownSecretsOptions {
  readonly find?: FindSecrets;
  /** Values that are paths of this machine, such as the working folder, are masked under no name. */
  readonly isExistingPath?: (text: string) => boolean;
}

/**
 * The values of credentials that passed under their names, to be masked wherever somebody repeats them, and those that
 * rules find by their form.
 */
export class KnownSecrets {
  /** Every spelling of every value, the longest first, so that none hides a part of another. */
  #texts: readonly string[] = [];
  #count = 0;

  readonly #find: FindSecrets;
  readonly #isExistingPath: (text: string) => boolean;

  constructor({ find = () => [], isExistingPath = () => false }: KnownSecretsOptions = {}) {
    this.#find = find;
    this.#isExistingPath = isExistingPath;
  }

  /** Of the longest one, in characters. */
  get maxTextLength(): number {
    return this.#texts[0]?.length ?? 0;
  }

  /** Takes from variables or headers by name the values of those whose names promise a credential. */
  learn(variables: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(variables)) this.#learn(name, value);
  }

  /** Takes what is known to be a secret, such as an answer in a form that hides it. Very short ones stand in too many places. */
  learnSecret(secret: string): void {
    if (secret.length >= minAnswerLength) this.#add(secret);
  }

  /** The same for all variables and headers that stand somewhere in a message. */
  learnFrom(message: unknown, depth = 0): void {
    if (typeof message !== "object" || message === null || depth > maxDepth) return;
    for (const [key, member] of Object.entries(message)) {
      if (isVariablesName(key)) this.#learnList(member);
      this.learnFrom(member, depth + 1);
    }
  }

  /** `text` without the known values, as they are and as JSON and addresses spell them, and without those that their form gives away. */
  mask(text: string): string {
    let masked = text;
    for (const secret of this.#texts) if (masked.includes(secret)) masked = masked.replaceAll(secret, () => redacted);
    return maskCredentials(withoutRanges(masked, this.#find(masked)));
  }

  /** Whether one of several lines may go on after `text`, which ends with a line. */
  endsWithin(text: string): boolean {
    return this.#texts.some((secret) => {
      for (let end = secret.indexOf("\n") + 1; end > 0; end = secret.indexOf("\n", end) + 1) {
        if (end < secret.length && text.endsWith(secret.slice(0, end))) return true;
      }
      return false;
    });
  }

  /** `{NAME: value}`, `[{name, value}]` or `["NAME=value"]`. */
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

/** What of the value of a variable or header is a credential, as its name has it; undefined where none is. */
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
