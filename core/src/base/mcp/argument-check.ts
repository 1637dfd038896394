import { asObject, stringsOf } from "../rpc/json.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Validates a tool's arguments. Returns one sentence per fault with the argument, its value and the expected value. Checks `type`,
 * `required`, `enum`, `properties`, `items`, `additionalProperties: false`, `minimum`, `maximum` and `minLength`, and ignores other
 * keywords.
 */
export function argumentProblems(schema: JsonSchema, value: unknown, path = ""): string[] {
  const mismatch = valueProblem(schema, value);
  if (mismatch !== undefined)
    return [`${path === "" ? "arguments" : path}: expected ${mismatch}, got ${shown(value)}.`];
  const object = asObject(value);
  if (object !== undefined) return memberProblems(schema, object, path);
  const items = asObject(schema["items"]);
  if (!Array.isArray(value) || items === undefined) return [];
  return value.flatMap((item: unknown, index) => argumentProblems(items, item, `${path}[${index}]`));
}

function memberProblems(schema: JsonSchema, object: Readonly<Record<string, unknown>>, path: string): string[] {
  const properties = asObject(schema["properties"]) ?? {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  const problems: string[] = [];
  for (const name of required) {
    if (typeof name !== "string" || Object.hasOwn(object, name)) continue;
    problems.push(`${below(path, name)}: missing, expected ${expectation(memberSchema(properties, name) ?? {})}.`);
  }
  for (const [name, value] of Object.entries(object)) {
    const member = memberSchema(properties, name);
    if (member !== undefined) problems.push(...argumentProblems(member, value, below(path, name)));
    else if (schema["additionalProperties"] === false) {
      const known = Object.keys(properties).join(", ");
      problems.push(
        `${below(path, name)}: unknown, got ${shown(value)}; ${known === "" ? "no arguments are expected" : `expected only ${known}`}.`,
      );
    }
  }
  return problems;
}

function memberSchema(properties: Readonly<Record<string, unknown>>, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? asObject(properties[name]) : undefined;
}

function valueProblem(schema: JsonSchema, value: unknown): string | undefined {
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return expectation(schema);
  const choices: unknown = schema["enum"];
  if (Array.isArray(choices) && !choices.some((choice) => JSON.stringify(choice) === JSON.stringify(value))) {
    return expectation(schema);
  }
  const { minimum, maximum, minLength } = schema;
  if (typeof value === "number") {
    if (typeof minimum === "number" && value < minimum) return expectation(schema);
    if (typeof maximum === "number" && value > maximum) return expectation(schema);
  }
  // JSON Schema counts characters instead of UTF-16 code units.
  if (typeof value === "string" && typeof minLength === "number" && Array.from(value).length < minLength) {
    return expectation(schema);
  }
  return undefined;
}

function typesOf(schema: JsonSchema): readonly string[] {
  const type: unknown = schema["type"];
  if (typeof type === "string") return [type];
  return stringsOf(type);
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return asObject(value) !== undefined;
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function expectation(schema: JsonSchema): string {
  const choices: unknown = schema["enum"];
  if (Array.isArray(choices)) return `one of ${choices.map(shown).join(", ")}`;
  const types = typesOf(schema).map((type) => (type === "null" ? type : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`));
  const { minimum, maximum, minLength } = schema;
  const limits: string[] = [];
  if (typeof minimum === "number") limits.push(`of at least ${minimum}`);
  if (typeof maximum === "number") limits.push(`${limits.length > 0 ? "and at most" : "of at most"} ${maximum}`);
  if (typeof minLength === "number")
    limits.push(`of at least ${minLength} ${minLength === 1 ? "character" : "characters"}`);
  return [types.length === 0 ? "a value" : types.join(" or "), ...limits].join(" ");
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

const shownLength = 80;

function shown(value: unknown): string {
  // Despite its declared type, JSON.stringify returns undefined for values without JSON form.
  const text = (JSON.stringify(value) as string | undefined) ?? "nothing";
  return text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`;
}
