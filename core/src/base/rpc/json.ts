/** A JSON object of which nothing is known. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * A JSON value that keeps its raw text for as long as nobody changes it, so that numbers beyond 2^53,
 * spellings such as `1.0` and the order of members survive. Parsed at most once, and only when asked;
 * the parsed value is shared by everyone who looks, so it is read-only by agreement.
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

  /** Of raw JSON text, which is trusted to be one whole value. */
  static ofText(text: string): Json {
    return new Json(text, undefined, false);
  }

  /** Of a value that `JSON.stringify` can write; `undefined` becomes `null`. */
  static of(value: unknown): Json {
    return new Json(undefined, value ?? null, true);
  }

  static readonly null = Json.ofText("null");

  get text(): string {
    this.#text ??= JSON.stringify(this.#value);
    return this.#text;
  }

  /** The parsed value. Throws `SyntaxError` when the raw text is not JSON. */
  get value(): unknown {
    if (!this.#isParsed) {
      this.#value = JSON.parse(this.#text ?? "null");
      this.#isParsed = true;
    }
    return this.#value;
  }

  /** The parsed value if it is an object, else undefined (also when the text is not JSON). */
  get object(): Members | undefined {
    try {
      return asObject(this.value);
    } catch {
      return undefined;
    }
  }
}

/** What a text of JSON stands for; undefined where it is none. */
export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same where it stands for an object. */
export function parsedObject(text: string): Members | undefined {
  return asObject(parsedValue(text));
}

/** `value` if it is a JSON object (not null, not an array). */
export function asObject(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** `value` if it is a string. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** `value` if it is a string, else the empty one. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `value` if it is a finite number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The strings of an array; none where it is no array. Elements of another kind are left out. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Whether it is an array of nothing but strings. */
export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** The objects of an array; none where it is no array. Elements of another kind are left out. */
export function objectsOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(asObject).filter((one) => one !== undefined) : [];
}

/** The members of an object that are strings; none where it is no object. */
export function stringMembersOf(value: unknown): Record<string, string> {
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
