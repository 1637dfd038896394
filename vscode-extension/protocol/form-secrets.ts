/**
 * Whether a property of a form asks for a secret, which is masked while it is written and kept nowhere. ACP has no word for
 * it: JSON Schema's `format: "password"` and `writeOnly` count, and `isSecret` in `_meta`, as Codex writes it.
 */
export function isSecretField(property: unknown): boolean {
  const { format, writeOnly, _meta } = membersOf(property);
  if (format === "password" || writeOnly === true) return true;
  const meta = membersOf(_meta);
  return [meta, ...Object.values(meta).map(membersOf)].some(({ isSecret }) => isSecret === true);
}

/** A form as it may be kept: without the answers that it proposes for secrets. */
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
