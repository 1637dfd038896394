import { asObject, stringsOf, objectsOf } from "../base/rpc/json.js";

type Schema = Readonly<Record<string, unknown>>;

/** Schema of a tool's arguments: an object that every agent and model service accepts. */
export type ArgumentSchema = Schema & { readonly type: "object"; readonly properties: Schema };

/** Keywords to remove at the top level of a schema: some service rejects them, or they have no meaning there. */
const refusedAtTop = ["$schema", "$id", "id", "anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "nullable"];
/** JSON Schema keywords that contain schemas: a single schema, a list, or an object with a schema for each name. */
const single = ["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"];
const lists = ["anyOf", "oneOf", "allOf", "prefixItems"];
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

const deepest = 64;

/**
 * Converts a schema to the form that MCP clients and model services require: an object without top-level alternatives, with items for each
 * list and only described properties required. One invalid schema can make a client drop a server's tools. Returns a sentence if the schema
 * can't describe an object.
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

/**
 * Replaces constructs that services reject at any depth. Schemas nested deeper than the limit are replaced by one that accepts anything.
 */
function cleanedSchema(schema: Schema, depth: number): Schema {
  if (depth > deepest) return {};
  const cleaned: Record<string, unknown> = { ...schema };
  for (const key of single) {
    const inner = schema[key];
    if (inner === undefined) continue;
    // Older drafts wrote tuples as lists of schemas.
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

/** Converts boolean schemas, which many readers reject. */
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

/** Maximum nesting of references and alternatives. */
const deepestAlternative = 16;

/**
 * Resolves `anyOf`, `oneOf`, `allOf` and `$ref` at the top of an object schema. Merges all properties; a property is required if every
 * alternative, or any `allOf` branch, requires it. Unresolvable references accept anything. Returns a sentence if no alternative is an
 * object.
 */
function withoutAlternatives(root: Schema): Schema | string {
  return flattened(root, root, 0, new Set());
}

function flattened(schema: Schema, root: Schema, depth: number, seen: ReadonlySet<unknown>): Schema | string {
  if (depth > deepestAlternative || seen.has(schema)) return {};
  const behind = new Set([...seen, schema]);
  let merged: Schema = schema;
  if (typeof schema["$ref"] === "string") {
    const target = asObject(resolved(schema["$ref"], root));
    const flat = target ? flattened(target, root, depth + 1, behind) : {};
    if (typeof flat === "string") return flat;
    merged = both(flat, without(schema, "$ref"));
  }
  for (const part of objectsOf(schema["allOf"])) {
    const flat = flattened(part, root, depth + 1, behind);
    if (typeof flat === "string") return flat;
    merged = both(merged, flat);
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = objectsOf(schema[keyword]);
    if (branches.length === 0) continue;
    const flat = branches.map((branch) => flattened(branch, root, depth + 1, behind)).filter(isObjectBranch);
    if (flat.length === 0) return `none of the alternatives in its ${keyword} is an object.`;
    merged = both(merged, either(flat));
  }
  return without(merged, "allOf", "anyOf", "oneOf");
}

function isObjectBranch(branch: Schema | string): branch is Schema {
  if (typeof branch === "string") return false;
  const { type } = branch;
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function without(schema: Schema, ...keys: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** Resolves `#`, `#/$defs/Name` and similar pointers (RFC 6901). */
function resolved(reference: string, root: Schema): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const step of reference.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    const object = asObject(value);
    value = object && Object.hasOwn(object, name) ? object[name] : undefined;
  }
  return value;
}

/** Merges two schemas; the second overrides equal properties. */
function both(first: Schema, second: Schema): Schema {
  const properties = { ...asObject(first["properties"]), ...asObject(second["properties"]) };
  const required = [...requiredOf(first), ...requiredOf(second)];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** Merges alternative schemas. If several describe the same property, a value may match any of these descriptions. */
function either(branches: readonly Schema[]): Schema {
  const properties = new Map<string, unknown[]>();
  for (const branch of branches) {
    for (const [name, property] of Object.entries(asObject(branch["properties"]) ?? {})) {
      const known = properties.get(name) ?? [];
      const isNew = !known.some((other) => JSON.stringify(other) === JSON.stringify(property));
      properties.set(name, isNew ? [...known, property] : known);
    }
  }
  const required = requiredOf(branches[0] ?? {}).filter((name) =>
    branches.every((branch) => requiredOf(branch).includes(name)),
  );
  const merged = [...properties].map(([name, forms]) => [name, forms.length === 1 ? forms[0] : { anyOf: forms }]);
  return { properties: Object.fromEntries(merged) as Schema, ...(required.length > 0 && { required }) };
}

function requiredOf(schema: Schema): readonly string[] {
  const { required } = schema;
  return stringsOf(required);
}
