import { asObject } from "../rpc/json.js";

type Schema = Readonly<Record<string, unknown>>;

const deepest = 16;

/**
 * A schema of an object without `anyOf`, `oneOf`, `allOf` and `$ref` at its top. All branches of `allOf` hold; of
 * alternatives all properties may be there, and only what every one demands must be. References lead into the schema
 * itself; one that leads nowhere, or to itself, says nothing. A sentence for alternatives none of which is an object.
 */
export function withoutAlternatives(root: Schema): Schema | string {
  return flattened(root, root, 0, new Set());
}

function flattened(schema: Schema, root: Schema, depth: number, seen: ReadonlySet<unknown>): Schema | string {
  if (depth > deepest || seen.has(schema)) return {};
  const behind = new Set([...seen, schema]);
  let merged: Schema = schema;
  if (typeof schema["$ref"] === "string") {
    const target = asObject(resolved(schema["$ref"], root));
    const flat = target ? flattened(target, root, depth + 1, behind) : {};
    if (typeof flat === "string") return flat;
    merged = both(flat, without(schema, "$ref"));
  }
  for (const part of schemasIn(schema["allOf"])) {
    const flat = flattened(part, root, depth + 1, behind);
    if (typeof flat === "string") return flat;
    merged = both(merged, flat);
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = schemasIn(schema[keyword]);
    if (branches.length === 0) continue;
    const flat = branches.map((branch) => flattened(branch, root, depth + 1, behind)).filter(isObjectBranch);
    if (flat.length === 0) return `none of the alternatives in its ${keyword} is an object.`;
    merged = both(merged, either(flat));
  }
  return without(merged, "allOf", "anyOf", "oneOf");
}

function schemasIn(value: unknown): readonly Schema[] {
  return (Array.isArray(value) ? value : []).map(asObject).filter((schema) => schema !== undefined);
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
  return Array.isArray(required) ? required.filter((name: unknown) => typeof name === "string") : [];
}
