import { asObject } from "../rpc/json.js";

const maxDepth = 6;

/**
 * Names of secret fields in an `elicitation/create` form, even inside a proxy's or MCP's envelope. ACP doesn't define secrets, so JSON
 * Schema's `format: "password"` and `writeOnly` count, and Codex's `isSecret` in `_meta`.
 */
export function secretFieldsOf(params: unknown): readonly string[] {
  return Object.entries(propertiesIn(params)).flatMap(([name, property]) => (isSecret(property) ? [name] : []));
}

export function proposedSecrets(params: unknown): readonly string[] {
  return Object.values(propertiesIn(params)).flatMap((property) => {
    const proposed = isSecret(property) ? asObject(property)?.["default"] : undefined;
    return typeof proposed === "string" ? [proposed] : [];
  });
}

export function answersIn(result: unknown, fields: readonly string[]): readonly string[] {
  const content = fields.length === 0 ? undefined : found(result, "content", 0);
  return fields.flatMap((name) => {
    const value = content?.[name];
    return typeof value === "string" && value !== "" ? [value] : [];
  });
}

function propertiesIn(params: unknown): Readonly<Record<string, unknown>> {
  return asObject(found(params, "requestedSchema", 0)?.["properties"]) ?? {};
}

function found(value: unknown, key: string, depth: number): Readonly<Record<string, unknown>> | undefined {
  const members = asObject(value);
  if (!members || depth > maxDepth) return undefined;
  const here = asObject(members[key]);
  if (here) return here;
  for (const inner of [members["params"], members["result"]]) {
    const there = found(inner, key, depth + 1);
    if (there) return there;
  }
  return undefined;
}

function isSecret(property: unknown): boolean {
  const { format, writeOnly, _meta } = asObject(property) ?? {};
  if (format === "password" || writeOnly === true) return true;
  const meta = asObject(_meta) ?? {};
  return [meta, ...Object.values(meta).map(asObject)].some((one) => one?.["isSecret"] === true);
}
