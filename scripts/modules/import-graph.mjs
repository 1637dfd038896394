// Imports and exports of every file, late imports included, read with oxc-parser: TypeScript 7 offers no parser.
import { posix } from "node:path";
import { parseSync, visitorKeys } from "oxc-parser";

/**
 * @typedef {{ from: string, names: readonly string[] | "all", isLate: boolean }} Import
 *   `from` is a file, or what is written where it is none; `isLate` means that it is loaded on demand.
 * @typedef {object} Source
 * @property {string} file
 * @property {readonly Import[]} imports
 * @property {ReadonlyMap<string, { line: number, isUsedHere: boolean }>} exports
 * @property {readonly string[]} loaded Specifiers that are loaded at run time, unlike types. `?` is a computed one.
 * @property {readonly string[]} types Names of interfaces, type aliases and classes.
 */

/** The packages of this repository, by the files that stand for them. */
const packages = {
  "@symposium-dev/core": "core/src/index.ts",
  "@symposium-dev/core/node": "core/src/node.ts",
  "@symposium-dev/core/testing": "core/testing/index.ts",
  "@symposium-dev/core/testing/node": "core/testing/node/index.ts",
};

/** @param {ReadonlyMap<string, string>} texts by path from the root, with slashes. @returns {Source[]} */
export function readSources(texts) {
  return [...texts].map(([file, text]) => readSource(file, text, texts));
}

/** @returns {Source} */
function readSource(file, text, texts) {
  const { module, program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const imports = [];
  const loaded = [];
  const add = (specifier, names, isLate = false) =>
    imports.push({ from: resolve(file, specifier, texts), names, isLate });
  for (const { moduleRequest, entries } of module.staticImports) {
    add(moduleRequest.value, importedNames(entries));
    if (entries.length === 0 || entries.some(({ isType }) => !isType)) loaded.push(moduleRequest.value);
  }
  const exports = new Map();
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, start, isType } of entries) {
      if (moduleRequest && !isType) loaded.push(moduleRequest.value);
      if (moduleRequest) add(moduleRequest.value, importName.kind === "Name" ? [importName.name] : "all");
      const name = exportName.kind === "Default" ? "default" : exportName.name;
      if (name) exports.set(name, { line: text.slice(0, start).split("\n").length });
    }
  }
  const counts = new Map();
  visit(program, (node, ancestors) => {
    const [parent] = ancestors.slice(-1);
    const specifier = loadedBy(node, ancestors);
    if (specifier !== undefined) loaded.push(specifier);
    // `export { name }` has two nodes for one word.
    const isRepeated = parent?.type === "ExportSpecifier" && parent.local !== node && parent.local.start === node.start;
    if (node.type === "Identifier" && !isRepeated) counts.set(node.name, (counts.get(node.name) ?? 0) + 1);
    else if (node.type === "ImportExpression" && node.source.type === "Literal")
      add(node.source.value, lateNames(node, ancestors), true);
    else if (node.type === "TSImportType") add(node.source.value, node.qualifier?.name ? [node.qualifier.name] : "all");
  });
  for (const [name, found] of exports) found.isUsedHere = (counts.get(name) ?? 0) > 1;
  return { file, imports, exports, loaded, types: program.body.flatMap(typeNames) };
}

/** The name of the type that a statement declares. */
function typeNames(statement) {
  const { type, id } = statement.declaration ?? statement;
  return /^(?:ClassDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration)$/.test(type) && id ? [id.name] : [];
}

/** Functions that load code without `import`, or become another program. */
const loaders = ["getBuiltinModule", "createRequire", "binding", "_linkedBinding", "dlopen", "execve"];

/** The specifier that an expression loads, `?` if only a run knows it, undefined if the node loads nothing. */
function loadedBy(node, ancestors) {
  const literal = (value) => (value?.type === "Literal" ? String(value.value) : "?");
  if (node.type === "ImportExpression") return literal(node.source);
  if (node.type === "TSExternalModuleReference") return literal(node.expression);
  if (node.type === "CallExpression" && node.callee.name === "require") return literal(node.arguments[0]);
  const name = node.type === "Identifier" ? node.name : node.type === "Literal" ? node.value : undefined;
  if (!loaders.includes(name)) return undefined;
  const [call, callee] = ancestors.slice(-2);
  const isCalled = name === "getBuiltinModule" && call.type === "CallExpression" && call.callee === callee;
  return isCalled ? literal(call.arguments[0]) : "?";
}

function importedNames(entries) {
  if (entries.some(({ importName }) => importName.kind === "NamespaceObject")) return "all";
  return entries.map(({ importName }) => (importName.kind === "Default" ? "default" : importName.name));
}

/** Calls `see` with each node and its ancestors, the nearest last. */
function visit(node, see, ancestors = []) {
  see(node, ancestors);
  ancestors.push(node);
  for (const key of visitorKeys[node.type] ?? []) {
    for (const child of [node[key]].flat()) if (child) visit(child, see, ancestors);
  }
  ancestors.pop();
}

/** The names taken from a late import: `(await import(x)).name`, `const { name } = await import(x)`, `.then(({ name }) => …)`. */
function lateNames(node, ancestors) {
  const isWrapper = ({ type }) => type === "AwaitExpression" || type === "ParenthesizedExpression";
  const [user, call] = ancestors.filter((one) => !isWrapper(one)).reverse();
  if (user?.type === "VariableDeclarator") return namesOfPattern(user.id);
  if (user?.type !== "MemberExpression" || user.computed) return "all";
  if (user.property.name !== "then") return [user.property.name];
  const [handler] = call?.type === "CallExpression" ? call.arguments : [];
  return handler?.type === "ArrowFunctionExpression" && handler.params[0] ? namesOfPattern(handler.params[0]) : "all";
}

function namesOfPattern(pattern) {
  if (pattern.type !== "ObjectPattern" || pattern.properties.some(({ type }) => type === "RestElement")) return "all";
  return pattern.properties.map(({ key }) => key.name);
}

/** The file that `specifier` means in `file`; what is no file of ours stays as it is written. */
function resolve(file, specifier, texts) {
  if (Object.hasOwn(packages, specifier)) return packages[specifier];
  const isOfCore = specifier.startsWith("#core/");
  if (!isOfCore && !specifier.startsWith(".")) return specifier;
  const path = isOfCore
    ? specifier.replace("#core/", "core/src/")
    : posix.normalize(posix.join(posix.dirname(file), specifier));
  // Built code stands for the source that it comes from.
  const source = path
    .replace(/^(core|lsp-adapter)\/dist\//, "$1/")
    .replace(/^vscode-extension\/dist-ts\//, "vscode-extension/");
  for (const candidate of [path, source]) {
    const spellings = [candidate, ...["ts", "tsx"].map((end) => candidate.replace(/\.js$/, `.${end}`))];
    const found = spellings.find((one) => texts.has(one));
    if (found) return found;
  }
  return path;
}
