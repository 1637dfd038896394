import { asObject } from "../base/rpc/json.js";
import type { Place } from "../base/problem.js";

/** JSON schema (draft 07), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Definition of a part of a file: its parser, JSON schema and inferred type. */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /** Never throws. Returns null for an unusable value, after reporting the reason to `place`. */
  read(value: unknown, place: Place): T | null;
}

interface Required<T> {
  readonly shape: Shape<T>;
  readonly isRequired: true;
}
interface Optional<T> {
  readonly shape: Shape<T>;
  readonly isRequired: false;
}
type Members = Readonly<Record<string, Required<unknown> | Optional<unknown>>>;
type RecordOf<M extends Members> = {
  readonly [K in keyof M as M[K] extends Required<unknown> ? K : never]: M[K]["shape"] extends Shape<infer T>
    ? T
    : never;
} & {
  readonly [K in keyof M as M[K] extends Optional<unknown> ? K : never]?: M[K]["shape"] extends Shape<infer T>
    ? T
    : never;
};

export const required = <T>(shape: Shape<T>): Required<T> => ({ shape, isRequired: true });
/** Makes a member optional; null is treated as absent. */
export const optional = <T>(shape: Shape<T>): Optional<T> => ({ shape, isRequired: false });

/** Formats `value` for a message: short, without the contents of lists and objects. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (asObject(value)) return "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

export function text(description: string): Shape<string> {
  return {
    schema: { type: "string", minLength: 1, description },
    read(value, place) {
      if (typeof value === "string" && value !== "") return value;
      return place.report(`${place.label} must be non-empty text, got ${describeValue(value)}.`);
    },
  };
}

export function flag(description: string): Shape<boolean> {
  return {
    schema: { type: "boolean", description },
    read(value, place) {
      if (typeof value === "boolean") return value;
      return place.report(`${place.label} must be true or false, got ${describeValue(value)}.`);
    },
  };
}

export interface WholeNumberOptions {
  readonly description: string;
  /** Name of the number's unit in the plural. */
  readonly unit?: string;
  /** Default 1. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Value without the member, for the schema. */
  readonly default?: number;
}

export function wholeNumber(options: WholeNumberOptions, hint?: string): Shape<number> {
  const { unit, minimum = 1, maximum, description, ...rest } = options;
  const number = unit === undefined ? "a whole number" : `a whole number of ${unit}`;
  const range = maximum === undefined ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`;
  return {
    schema: { type: "integer", minimum, ...(maximum !== undefined && { maximum }), ...rest, description },
    read(value, place) {
      const isWithin = typeof value === "number" && value >= minimum && value <= (maximum ?? Infinity);
      if (isWithin && Number.isInteger(value)) return value;
      return place.report(`${place.label} must be ${number}${range}, got ${describeValue(value)}.`, hint);
    },
  };
}

/** Defines one of several words. */
export function choice<const T extends string>(words: readonly T[], description: string, hint?: string): Shape<T> {
  return {
    schema: { enum: words, description },
    read(value, place) {
      const known = words.map((one) => JSON.stringify(one)).join(", ");
      const chosen = words.find((one) => one === value);
      return chosen ?? place.report(`${place.label} must be one of ${known}, got ${describeValue(value)}.`, hint);
    },
  };
}

/** Defines a list whose items have the shape `item`. If one item is unusable, so is the list. */
export function list<T>(item: Shape<T>, description: string): Shape<readonly T[]> {
  return {
    schema: { type: "array", items: item.schema, description },
    read(value, place) {
      if (!Array.isArray(value)) return place.report(`${place.label} must be a list, got ${describeValue(value)}.`);
      const items = value.map((entry, index) => item.read(entry, place.child(index)));
      return items.every((entry) => entry !== null) ? items : null;
    },
  };
}

/** Command-line arguments, which may be empty texts. */
export const args: Shape<readonly string[]> = list(
  {
    schema: { type: "string" },
    read(value, place) {
      if (typeof value === "string") return value;
      return place.report(`${place.label} must be text, got ${describeValue(value)}.`, "Put it in quotation marks.");
    },
  },
  "Arguments of the program.",
);

/** Defines an object with arbitrary keys, whose values have the shape `item`. If one value is unusable, so is the object. */
export function dictionary<T>(item: Shape<T>, description: string): Shape<Readonly<Record<string, T>>> {
  return {
    schema: { type: "object", additionalProperties: item.schema, description },
    read(value, place) {
      const object = asObject(value);
      if (!object) return place.report(`${place.label} must be an object, got ${describeValue(value)}.`);
      const items: [string, T][] = [];
      for (const [name, entry] of Object.entries(object)) {
        const read = item.read(entry, place.child(name));
        if (read !== null) items.push([name, read]);
      }
      return items.length === Object.keys(object).length ? Object.fromEntries(items) : null;
    },
  };
}

/** Environment variables, with possibly empty values. Messages never show a value. */
export const env: Shape<Readonly<Record<string, string>>> = dictionary(
  {
    schema: { type: "string" },
    read(value, place) {
      if (typeof value === "string") return value;
      return place.report(`${place.label} must be text.`, "Put its value in quotation marks.");
    },
  },
  "Environment variables.",
);

export function anyObject(description: string): Shape<Readonly<Record<string, unknown>>> {
  return {
    schema: { type: "object", description },
    read: (value, place) =>
      asObject(value) ?? place.report(`${place.label} must be an object, got ${describeValue(value)}.`),
  };
}

/** Transforms the values of `source`. `change` may return null after reporting the reason. */
export function mapped<S, T>(source: Shape<S>, change: (value: S, place: Place) => T | null): Shape<T> {
  return {
    schema: source.schema,
    read(value, place) {
      const read = source.read(value, place);
      return read === null ? null : change(read, place);
    },
  };
}

/**
 * Defines an object with known members. Unknown members cause a warning, unless they begin with `_` or `isOpen` is set. If one member is
 * unusable, so is the object, since half a command must not run.
 */
export function record<M extends Members>(
  members: M,
  options: { readonly description: string; readonly isOpen?: boolean },
): Shape<RecordOf<M>> {
  const isOpen = options.isOpen === true;
  const names = Object.keys(members);
  return {
    schema: recordSchema(members, options.description, isOpen),
    read(value, place) {
      const object = asObject(value);
      if (!object) return place.report(`${place.label} must be an object, got ${describeValue(value)}.`);
      if (!isOpen) warnOfUnknown(object, names, place);
      const result: [string, unknown][] = [];
      let isUsable = true;
      for (const [name, member] of Object.entries(members)) {
        const given = Object.hasOwn(object, name) ? object[name] : undefined;
        if (given === undefined || given === null) {
          if (!member.isRequired) continue;
          place.child(name).report(`${place.child(name).label} is missing.`);
          isUsable = false;
          continue;
        }
        const read = member.shape.read(given, place.child(name));
        if (read === null) isUsable = false;
        else result.push([name, read]);
      }
      return isUsable ? (Object.fromEntries(result) as RecordOf<M>) : null;
    },
  };
}

/** Warns about each member that is neither in `known` nor begins with `_`. */
export function warnOfUnknown(object: Readonly<Record<string, unknown>>, known: readonly string[], place: Place): void {
  for (const name of Object.keys(object)) {
    if (known.includes(name) || name.startsWith("_")) continue;
    const child = place.child(name).as("warning");
    child.report(`${child.label} is unknown and has no effect.`, `Known here: ${known.join(", ")}.`);
  }
}

function recordSchema(members: Members, description: string, isOpen: boolean): JsonSchema {
  const entries = Object.entries(members);
  const mandatory = entries.filter(([, member]) => member.isRequired).map(([name]) => name);
  return {
    type: "object",
    description,
    properties: Object.fromEntries(entries.map(([name, member]) => [name, member.shape.schema])),
    ...(mandatory.length > 0 ? { required: mandatory } : {}),
    ...(isOpen ? {} : { patternProperties: { "^_": {} }, additionalProperties: false }),
  };
}
