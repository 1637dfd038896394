import { asObject, stringsOf, objectsOf } from "../base/rpc/json.js";

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

/** How many references and alternatives are followed into each other. */
const deepestAlternative = 16;

/**
 * A schema of an object without `anyOf`, `oneOf`, `allOf` and `$ref` at its top. All branches of `allOf` hold; of
 * alternatives all properties may be there, and only what every one demands must be. References lead into the schema
 * itself; one that leads nowhere, or to itself, says nothing. A sentence for alternatives none of which is an object.
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

/** `#`, `#/$defs/Name` and the like (RFC 6901). */
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

/** What fits both; where they describe one property, the second one's word counts. */
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

/** What fits any of them. A property that two describe differently may be as either says. */
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
