import { asObject } from "../rpc/json.js";

const maxDepth = 6;

/**
 * The fields of forms in `params` whose answers are secrets: those of `elicitation/create`, also where an envelope of a proxy
 * or of MCP is around it. ACP has no word for a secret; JSON Schema's `format: "password"` and `writeOnly` count, and
 * `isSecret` in `_meta`, as Codex writes it.
 */
export function secretFieldsOf(params: unknown): readonly string[] {
  return Object.entries(propertiesIn(params)).flatMap(([name, property]) => (isSecret(property) ? [name] : []));
}

/** The answers that a form proposes for its secret fields. */
export function proposedSecrets(params: unknown): readonly string[] {
  return Object.values(propertiesIn(params)).flatMap((property) => {
    const proposed = isSecret(property) ? asObject(property)?.["default"] : undefined;
    return typeof proposed === "string" ? [proposed] : [];
  });
}

/** What a user has answered in these fields of a form; `result` may be in an envelope. */
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
