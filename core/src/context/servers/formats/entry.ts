import { asObject, type Members } from "../../../base/rpc/json.js";
import type { ServerLaunch } from "../../../settings/user-server.js";
import { toOwnVariables, type VariableDialect } from "../foreign-variables.js";
import { escapeVariables } from "../variables.js";

/** The longest time a timer can wait. */
const maxTimerMs = 2 ** 31 - 1;

/** Members that describe a server and change nothing. */
const telling = ["name", "description", "displayName", "display_name", "icon", "version", "gallery", "metadata"];

/**
 * The entry of one server in another product's file while a format reads it. Texts come out in our spelling of variables;
 * what cannot be carried over becomes a note, what makes the server unusable a fault. Values of variables and headers are
 * in neither.
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

  /** Why there is no server to be had of it. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** What is lost, members that nobody has asked for included. */
  get notes(): readonly string[] {
    const ignored = Object.keys(this.members).filter((key) => !this.#taken.has(key) && !key.startsWith("_"));
    if (ignored.length === 0) return this.#notes;
    return [...this.#notes, `Not carried over: ${ignored.map((key) => JSON.stringify(key)).join(", ")}.`];
  }

  /** Returns null, which stands for what cannot be used. */
  fail(reason: string): null {
    this.#fault ??= reason;
    return null;
  }

  note(text: string): void {
    if (!this.#notes.includes(text)) this.#notes.push(text);
  }

  /** The value as it stands there. */
  raw(key: string): unknown {
    this.#taken.add(key);
    return ownMember(this.members, key) ?? undefined;
  }

  /** Members that change nothing for us. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#taken.add(key);
  }

  text(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string") return this.own(value, key);
    this.fail(`"${key}" is no text.`);
    return undefined;
  }

  texts(key: string): readonly string[] {
    const value = this.raw(key);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.fail(`"${key}" is no list.`);
      return [];
    }
    return value.map((item: unknown, index) => {
      if (typeof item === "string" || typeof item === "number") return this.own(String(item), `${key}[${index}]`);
      this.fail(`"${key}[${index}]" is no text.`);
      return "";
    });
  }

  /** Variables or headers by name; numbers and truth values are texts, and what is null is not there. */
  values(key: string): Readonly<Record<string, string>> {
    const value = this.raw(key);
    if (value === undefined) return {};
    const given = asObject(value);
    if (!given) {
      this.fail(`"${key}" is no object.`);
      return {};
    }
    const found = Object.entries(given).flatMap(([name, member]): [string, string][] => {
      if (member === null) return [];
      if (typeof member === "string") return [[name, this.own(member, `${key}.${name}`)]];
      if (typeof member === "number" || typeof member === "boolean") return [[name, String(member)]];
      this.fail(`"${key}.${name}" is no text.`);
      return [];
    });
    return Object.fromEntries(found);
  }

  /** Names, in which variables mean nothing; undefined where there is no list. */
  names(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) {
      this.fail(`"${key}" is no list.`);
      return undefined;
    }
    return value.filter((item): item is string => typeof item === "string" && item !== "");
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    return typeof value === "boolean" ? value : undefined;
  }

  /** A time in milliseconds, of one in `unitMs`; a note where it is none. */
  milliseconds(key: string, unitMs: number): number | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    const ms = typeof value === "number" ? Math.round(value * unitMs) : Number.NaN;
    if (ms >= 1 && ms <= maxTimerMs) return ms;
    this.note(`"${key}" is no time that can be waited.`);
    return undefined;
  }

  /** `text` in our spelling of variables. */
  own(text: string, where: string): string {
    const { text: result, unknown } = toOwnVariables(text, this.dialect);
    for (const variable of unknown) {
      // Who reads OpenCode's format names these.
      if (!variable.startsWith("{file:")) this.note(`"${where}" has ${variable}, which nothing here stands for.`);
    }
    if (this.dialect === "none" && result !== text) {
      this.note(`"${where}" has \${…} as text: there it stands for nothing, and so it does here.`);
    }
    // Other products have no such variables, and nobody gets at the user's secrets by writing one.
    return this.dialect === "none" ? result : result.replaceAll(/(?<!\$)\$\{secret:/g, "$$$${secret:");
  }

  /** A program: `keys` say what its members are called. */
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

  /** A server at an address that has been taken with {@link text}. */
  remote(type: "http" | "sse", url: string, headers = this.values("headers")): ServerLaunch | null {
    if (!/^(?:https?:\/\/[^\s/]|\$\{)\S*$/i.test(url)) {
      const [scheme = "something else"] = /^[a-z][\w+.-]*:/i.exec(url) ?? [];
      return this.fail(`Its address begins with ${scheme}, and only http: and https: can be reached.`);
    }
    const bad = Object.entries(headers).find(([, value]) => /[\r\n\0]/.test(value));
    return bad ? this.fail(`Its header ${JSON.stringify(bad[0])} is no line of text.`) : { type, url, headers };
  }
}

/** The text of a variable of the environment, in our spelling. */
export function envVariable(name: string): string | undefined {
  return /^[A-Za-z_]\w*$/.test(name) ? `\${env:${name}}` : undefined;
}

/** A name in our spelling for a secret; letters, digits, `-`, `_` and `.`. */
export function secretVariable(...words: readonly string[]): string {
  const name = words.map((word) => word.replace(/[^\w.-]+/g, "-")).join("-");
  return `\${secret:${escapeVariables(name)}}`;
}

/** A member that an object has itself. */
export function ownMember(members: Members | undefined, key: string): unknown {
  return members && Object.hasOwn(members, key) ? members[key] : undefined;
}

export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : undefined;
}
