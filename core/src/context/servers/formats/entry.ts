import { asObject, type Members } from "../../../base/rpc/json.js";
import type { ServerLaunch } from "../../../settings/user-server.js";
import { toOwnVariables, type VariableDialect } from "../foreign-variables.js";
import { escapeVariables } from "../variables.js";

const maxTimerMs = 2 ** 31 - 1;

/** Descriptive members of an entry, which are ignored without a note. */
const telling = ["name", "description", "displayName", "display_name", "icon", "version", "gallery", "metadata"];

/**
 * Reads one server entry of another product's file and converts its variables to the syntax of config.jsonc. Information that can't be
 * converted becomes a note, an unusable entry a fault; neither contains values of variables or headers.
 */
export class Entry {
  readonly #taken = new Set<string>(telling);
  readonly #notes: string[] = [];
  #fault: string | undefined;

  constructor(
    readonly name: string,
    private readonly members: Members,
    private readonly dialect: VariableDialect,
  ) {}

  get fault(): string | undefined {
    return this.#fault;
  }

  /** Sentences about information that can't be imported, including members that no format reads. */
  get notes(): readonly string[] {
    const ignored = Object.keys(this.members).filter((key) => !this.#taken.has(key) && !key.startsWith("_"));
    if (ignored.length === 0) return this.#notes;
    return [...this.#notes, `Not carried over: ${ignored.map((key) => JSON.stringify(key)).join(", ")}.`];
  }

  /** Records the reason why the entry is unusable, and returns null as the marker of such an entry. */
  fail(reason: string): null {
    this.#fault ??= reason;
    return null;
  }

  note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  raw(key: string): unknown {
    this.#taken.add(key);
    return ownMember(this.members, key) ?? undefined;
  }

  /** Marks members as irrelevant, so that no note mentions them. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#taken.add(key);
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string") return this.own(value, key);
    this.fail(`"${key}" must be a string.`);
    return undefined;
  }

  texts(key: string): readonly string[] {
    const value = this.raw(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.fail(`"${key}" must be a list.`);
      return [];
    }
    return value.map((item: unknown, index) => {
      if (typeof item === "string" || typeof item === "number") return this.own(String(item), `${key}[${index}]`);
      this.fail(`"${key}[${index}]" must be a string.`);
      return "";
    });
  }

  /** Reads variables or headers by name. Converts numbers and booleans to text and skips null. */
  values(key: string): Readonly<Record<string, string>> {
    const value = this.raw(key);
    if (value === undefined) return {};
    const given = asObject(value);
    if (!given) {
      this.fail(`"${key}" must be an object.`);
      return {};
    }
    const found = Object.entries(given).flatMap(([name, member]): [string, string][] => {
      if (member === null) return [];
      if (typeof member === "string") return [[name, this.own(member, `${key}.${name}`)]];
      if (typeof member === "number" || typeof member === "boolean") return [[name, String(member)]];
      this.fail(`"${key}.${name}" must be a string.`);
      return [];
    });
    return Object.fromEntries(found);
  }

  /** Reads a list of names, which can't contain variables; returns undefined if there is no list. */
  names(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.fail(`"${key}" must be a list.`);
      return undefined;
    }
    return value.filter((item): item is string => typeof item === "string" && item !== "");
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    return typeof value === "boolean" ? value : undefined;
  }

  /** Converts a time in `unitMs` to milliseconds. Adds a note if the value is invalid. */
  milliseconds(key: string, unitMs: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const ms = typeof value === "number" ? Math.round(value * unitMs) : Number.NaN;
    if (ms >= 1 && ms <= maxTimerMs) return ms;
    this.note(`"${key}" isn't a usable time.`);
    return undefined;
  }

  /** Converts the variables of `text` to the syntax of config.jsonc. */
  own(text: string, where: string): string {
    const { text: result, unknown } = toOwnVariables(text, this.dialect);
    for (const variable of unknown) {
      // The OpenCode format itself reports `{file:…}` variables.
      if (!variable.startsWith("{file:")) this.note(`"${where}" contains ${variable}, which has no equivalent here.`);
    }
    if (this.dialect === "none" && result !== text) {
      this.note(`"${where}" contains \${…} as plain text, which isn't replaced.`);
    }
    // Escapes `${secret:…}`. Other products have no such variable, and a file must not gain access to the user's secrets.
    return this.dialect === "none" ? result : result.replaceAll(/(?<!\$)\$\{secret:/g, "$$$${secret:");
  }

  /** Reads the program of an entry; `keys` are the product's names for the members. */
  stdio(keys: { readonly command?: string; readonly env?: string } = {}): ServerLaunch | null {
    const command = this.text(keys.command ?? "command");
    const args = this.texts("args");
    const env = this.values(keys.env ?? "env");
    const cwd = this.text("cwd");
    const envFile = this.text("envFile");
    if (command === undefined) return this.fail("It has neither a command nor an address.");
    return {
      type: "stdio",
      command,
      args,
      env,
      ...(cwd !== undefined && { cwd }),
      ...(envFile !== undefined && { envFile }),
    };
  }

  /** Reads a remote server. The caller has already read the server's URL with {@link text}. */
  remote(type: "http" | "sse", url: string, headers = this.values("headers")): ServerLaunch | null {
    if (!/^(?:https?:\/\/[^\s/]|\$\{)\S*$/i.test(url)) {
      const [scheme = "something else"] = /^[a-z][\w+.-]*:/i.exec(url) ?? [];
      return this.fail(`Its address begins with ${scheme}, but only http: and https: are supported.`);
    }
    const bad = Object.entries(headers).find(([, value]) => /[\r\n\0]/.test(value));
    return bad ? this.fail(`Its header ${JSON.stringify(bad[0])} must be a single line.`) : { type, url, headers };
  }
}

/** Returns the config.jsonc variable for an environment variable; undefined if the name is invalid. */
export function envVariable(name: string): string | undefined {
  return /^[A-Za-z_]\w*$/.test(name) ? `\${env:${name}}` : undefined;
}

/** Returns the config.jsonc variable for a secret. The secret's name contains only letters, digits, `-`, `_` and `.`. */
export function secretVariable(...words: readonly string[]): string {
  const name = words.map((word) => word.replace(/[^\w.-]+/g, "-")).join("-");
  return `\${secret:${escapeVariables(name)}}`;
}

/** Returns an object's own member, ignoring its prototype. */
export function ownMember(members: Members | undefined, key: string): unknown {
  return members && Object.hasOwn(members, key) ? members[key] : undefined;
}

export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : undefined;
}
