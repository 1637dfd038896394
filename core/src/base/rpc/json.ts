export type Members = Readonly<Record<string, unknown>>;

/**
 * JSON value that preserves its raw text until changed, including numbers beyond 2^53, spellings such as `1.0` and member order. Parsed at
 * most once, on demand; the parsed value is shared and must not be modified.
 */
export class Json {
  #text: string | undefined;
  #value: unknown;
  #isParsed: boolean;

  private constructor(text: string | undefined, value: unknown, isParsed: boolean) {
    this.#text = text;
    this.#value = value;
    this.#isParsed = isParsed;
  }

  /** Wraps raw text, which must be one valid JSON value. */
  static ofText(text: string): Json {
    return new Json(text, undefined, false);
  }

  /** Wraps a value for `JSON.stringify`; `undefined` becomes `null`. */
  static of(value: unknown): Json {
    return new Json(undefined, value ?? null, true);
  }

  static readonly null = Json.ofText("null");

  get text(): string {
    this.#text ??= JSON.stringify(this.#value);
    return this.#text;
  }

  /** Parsed value. Throws `SyntaxError` if the raw text isn't JSON. */
  get value(): unknown {
    if (!this.#isParsed) {
      this.#value = JSON.parse(this.#text ?? "null");
      this.#isParsed = true;
    }
    return this.#value;
  }

  /** Parsed value if it is an object; undefined otherwise, including invalid JSON. */
  get object(): Members | undefined {
    try {
      return asObject(this.value);
    } catch {
      return undefined;
    }
  }
}

export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function parsedObject(text: string): Members | undefined {
  return asObject(parsedValue(text));
}

export function asObject(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns an array's strings and skips other elements. Empty if `value` isn't an array. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Returns an array's objects and skips other elements. Empty if `value` isn't an array. */
export function objectsOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
}

export function stringMembersOf(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
