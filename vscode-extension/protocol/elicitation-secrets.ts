/**
 * Returns whether a form field is secret: masked during input and never stored. ACP doesn't define this; recognizes JSON Schema's `format:
 * "password"` and `writeOnly`, and Codex's `isSecret` in `_meta`.
 */
export function isSecretField(property: unknown): boolean {
  const { format, writeOnly, _meta } = membersOf(property);
  if (format === "password" || writeOnly === true) return true;
  const meta = membersOf(_meta);
  return [meta, ...Object.values(meta).map(membersOf)].some(({ isSecret }) => isSecret === true);
}

/** Removes the values that a form proposes for secret fields, so that the form can be stored. */
export function withoutProposedSecrets(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties } = schema;
  if (typeof properties !== "object" || properties === null) return { ...schema };
  const kept = Object.entries(properties).map(([name, property]: [string, unknown]) => {
    if (!isSecretField(property)) return [name, property];
    const { default: _proposed, ...others } = membersOf(property);
    return [name, others];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
