const npmSpec = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w.*^~<>=][\w.*^~<>=|+ -]*)?$/i;

const pythonName = "[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?";
const pythonVersion = "[A-Za-z0-9][\\w.*+!-]*";
const pythonClause = `(?:===?|~=|!=|<=?|>=?)\\s*${pythonVersion}`;
const pythonSpec = new RegExp(
  `^(${pythonName})\\s*(\\[[\\w., -]+\\])?\\s*(?:@\\s*(${pythonVersion})|(${pythonClause}(?:\\s*,\\s*${pythonClause})*))?$`,
);

/** Whether the text names an npm registry package, optionally with `@` and a version, range or tag. */
export function isNpmPackage(text: string): boolean {
  return npmSpec.test(text);
}

/**
 * Converts a package specification, including uvx's `name@1.0` and `name@latest`, to a requirement that pip, pipx and uv accept, such as
 * `name[extra]==1.0`. Undefined if the text isn't an index package.
 */
export function toPythonRequirement(text: string): string | undefined {
  const match = pythonSpec.exec(text.trim());
  if (!match) return undefined;
  const [, name = "", extras = "", at, clauses] = match;
  const wanted = at === undefined ? (clauses ?? "") : at === "latest" ? "" : `==${at}`;
  return `${name}${extras}${wanted}`.replaceAll(" ", "");
}
