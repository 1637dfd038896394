import { asObject } from "../rpc/json.js";

/** Reason why a value was rejected: its path, such as `items[2].range`, and the expected type. */
export class Fault {
  constructor(
    readonly path: string,
    readonly expected: string,
  ) {}

  get message(): string {
    return `${this.path === "" ? "the value" : this.path}: expected ${this.expected}.`;
  }
}

/** Validates a received value. Returns it as a `T` without unknown members, or a fault; never throws. */
export type Reader<T> = (value: unknown, path: string) => T | Fault;

interface OptionalReader<T> {
  readonly optional: Reader<T>;
}

/** Type of the values that a reader accepts. */
export type Read<R> = R extends Reader<infer T> ? T : never;

type Fields = Readonly<Record<string, Reader<unknown> | OptionalReader<unknown>>>;

type Flat<T> = { readonly [K in keyof T]: T[K] };

type Shape<F> = Flat<
  { [K in keyof F as F[K] extends Reader<unknown> ? K : never]: Read<F[K]> } & {
    [K in keyof F as F[K] extends Reader<unknown> ? never : K]?: F[K] extends OptionalReader<infer T> ? T : never;
  }
>;

export const optional = <T>(reader: Reader<T>): OptionalReader<T> => ({ optional: reader });

export const text: Reader<string> = (value, path) => (typeof value === "string" ? value : new Fault(path, "a string"));

export const flag: Reader<boolean> = (value, path) =>
  typeof value === "boolean" ? value : new Fault(path, "true or false");

export const count: Reader<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0
    ? value
    : new Fault(path, "a whole number of at least 0");

export function oneOf<const T extends string>(...choices: readonly T[]): Reader<T> {
  return (value, path) =>
    choices.find((choice) => choice === value) ??
    new Fault(path, `one of ${choices.map((one) => `"${one}"`).join(", ")}`);
}

export function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null || value === undefined ? null : reader(value, path));
}

export function list<T>(item: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return new Fault(path, "a list");
    const items: T[] = [];
    for (const [index, entry] of value.entries()) {
      const read = item(entry, `${path}[${index}]`);
      if (read instanceof Fault) return read;
      items.push(read);
    }
    return items;
  };
}

/** Accepts the text of a variant's `kind`, which {@link variant} has compared. */
export function kindOf<const K extends string>(name: K): Reader<K> {
  return () => name;
}

export function object<F extends Fields>(fields: F): Reader<Shape<F>> {
  const entries = Object.entries(fields);
  return (value, path) => {
    const source = asObject(value);
    if (!source) return new Fault(path, "an object");
    const result: Record<string, unknown> = {};
    for (const [name, field] of entries) {
      const given = Object.hasOwn(source, name) ? source[name] : undefined;
      const isOptional = typeof field !== "function";
      if (isOptional && (given === undefined || given === null)) continue;
      const reader = isOptional ? field.optional : field;
      const read = reader(given, path === "" ? name : `${path}.${name}`);
      if (read instanceof Fault) return read;
      result[name] = read;
    }
    return result as Shape<F>;
  };
}

/** Validates an object whose member `kind` selects the variant. */
export function variant<V extends Readonly<Record<string, Reader<unknown>>>>(readers: V): Reader<Read<V[keyof V]>> {
  return (value, path) => {
    const kind = asObject(value)?.["kind"];
    const reader = typeof kind === "string" && Object.hasOwn(readers, kind) ? readers[kind] : undefined;
    const read = reader?.(value, path) ?? new Fault(`${path}.kind`, `one of ${Object.keys(readers).join(", ")}`);
    return read as Read<V[keyof V]> | Fault;
  };
}
