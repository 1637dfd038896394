import { asObject } from "../rpc/json.js";
import { withoutAlternatives } from "./schema-alternatives.js";

type Schema = Readonly<Record<string, unknown>>;

/** Of a tool's arguments: an object schema that every agent and model service takes. */
export type ArgumentSchema = Schema & { readonly type: "object"; readonly properties: Schema };

/** Keywords that some service refuses at the top, or that mean nothing there. */
const refusedAtTop = ["$schema", "$id", "id", "anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "nullable"];
/** Keywords below which schemas stand: one, a list, or one for each name. */
const single = ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

const deepest = 64;

/**
 * The schema of a tool's arguments in the form that MCP clients and model services demand: an object with properties,
 * without alternatives at the top, each list with a schema of its items, and nothing required that is not described. One
 * schema that lacks it can make a client drop the tools of all the server. Returns a sentence instead for what cannot
 * mean an object.
 */
export function argumentSchema(given: unknown): ArgumentSchema | string {
  if (given === undefined || given === null || given === true) return { type: "object", properties: {} };
  if (given === false) return { type: "object", properties: {}, additionalProperties: false };
  const object = asObject(given);
  if (!object) return `its schema is ${Array.isArray(given) ? "a list" : `a ${typeof given}`}, not an object.`;
  const flat = withoutAlternatives(object);
  if (typeof flat === "string") return flat;
  const { type } = flat;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const isObject = type === undefined || type === null || types.length === 0 || types.includes("object");
  if (!isObject) return `its arguments are of type ${JSON.stringify(type)}, not an object.`;
  const kept = Object.fromEntries(Object.entries(flat).filter(([key]) => !refusedAtTop.includes(key)));
  const cleaned = cleanedSchema({ ...kept, type: "object" }, 0);
  return { ...cleaned, type: "object", properties: asObject(cleaned["properties"]) ?? {} };
}

/** The same schema with what services refuse mended at every depth; what is too deep to be read accepts anything. */
function cleanedSchema(schema: Schema, depth: number): Schema {
  if (depth > deepest) return {};
  const cleaned: Record<string, unknown> = { ...schema };
  for (const key of single) {
    const inner = schema[key];
    if (inner === undefined) continue;
    // Tuples were lists of schemas once.
    if (Array.isArray(inner)) cleaned[key] = inner.map((item: unknown) => cleanedMember(item, depth));
    else if (asObject(inner)) cleaned[key] = cleanedMember(inner, depth);
    else if (typeof inner !== "boolean") cleaned[key] = {};
  }
  for (const key of lists) {
    const inner = schema[key];
    if (Array.isArray(inner) && inner.length > 0)
      cleaned[key] = inner.map((item: unknown) => cleanedMember(item, depth));
    else if (key in cleaned) Reflect.deleteProperty(cleaned, key);
  }
  for (const key of named) {
    if (schema[key] === undefined) continue;
    const members = Object.entries(asObject(schema[key]) ?? {});
    cleaned[key] = Object.fromEntries(members.map(([name, member]) => [name, cleanedMember(member, depth)]));
  }
  if (isOfType(schema, "array") && cleaned["items"] === undefined && cleaned["prefixItems"] === undefined) {
    cleaned["items"] = {};
  }
  return withDescribedRequired(cleaned);
}

/** Boolean schemas are right, and many readers take objects alone. */
function cleanedMember(value: unknown, depth: number): Schema {
  if (value === false) return { not: {} };
  return cleanedSchema(asObject(value) ?? {}, depth + 1);
}

function isOfType({ type }: Schema, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name));
}

function withDescribedRequired(schema: Schema): Schema {
  if (schema["required"] === undefined) return schema;
  const { required, ...rest } = schema;
  const properties = asObject(schema["properties"]);
  const listed = Array.isArray(required) ? required : [];
  const names = listed.filter(
    (name: unknown): name is string => typeof name === "string" && properties !== undefined && name in properties,
  );
  return names.length === 0 ? rest : { ...rest, required: [...new Set(names)] };
}
