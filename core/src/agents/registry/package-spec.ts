const npmSpec = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w.*^~<>=][\w.*^~<>=|+ -]*)?$/i;

const pythonName = "[A-Za-z0-9](?:[\\w.-]*[A-Za-z0-9])?";
const pythonVersion = "[A-Za-z0-9][\\w.*+!-]*";
const pythonClause = `(?:===?|~=|!=|<=?|>=?)\\s*${pythonVersion}`;
const pythonSpec = new RegExp(
  `^(${pythonName})\\s*(\\[[\\w., -]+\\])?\\s*(?:@\\s*(${pythonVersion})|(${pythonClause}(?:\\s*,\\s*${pythonClause})*))?$`,
);

/** Whether the text is a package of the npm registry, alone or with a version, range or tag behind `@`. */
export function isNpmPackage(text: string): boolean {
  return npmSpec.test(text);
}

/**
 * The requirement that pip, pipx and uv all read, such as `name[extra]==1.0`, of a package as entries write it,
 * uvx's `name@1.0` and `name@latest` among them. Undefined for anything that is not a package of an index.
 */
export function toPythonRequirement(text: string): string | undefined {
  const match = pythonSpec.exec(text.trim());
  if (!match) return undefined;
  const [, name = "", extras = "", at, clauses] = match;
  const wanted = at === undefined ? (clauses ?? "") : at === "latest" ? "" : `==${at}`;
  return `${name}${extras}${wanted}`.replaceAll(" ", "");
}
