// Who imports what from whom, read from the text of every file with TypeScript's own parser.
import { posix } from "node:path";
import ts from "typescript";

/**
 * @typedef {{ from: string, names: readonly string[] | "all", isLate: boolean }} Import
 *   `from` is a file, or what is written where it is none; `isLate` means that it is loaded on demand.
 * @typedef {{ file: string, imports: readonly Import[], exports: ReadonlyMap<string, { line: number, isUsedHere: boolean }> }} Source
 */

/** The packages of this repository, by the files that stand for them. */
const packages = {
  "@symposium-dev/core": "core/src/index.ts",
  "@symposium-dev/core/node": "core/src/node/index.ts",
  "@symposium-dev/core/testing": "core/src/testing/index.ts",
  "@symposium-dev/core/testing/node": "core/src/testing/node/index.ts",
};

/** @param {ReadonlyMap<string, string>} texts by path from the root, with slashes. @returns {Source[]} */
export function readSources(texts) {
  return [...texts].map(([file, text]) => readSource(file, text, texts));
}

/** @returns {Source} */
function readSource(file, text, texts) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports = [];
  const exports = new Map();
  const add = (specifier, names, isLate = false) =>
    imports.push({ from: resolve(file, specifier.text, texts), names, isLate });
  for (const statement of tree.statements) readStatement(statement, tree, add, exports);
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteralLike(specifier)) add(specifier, namesOfLateImport(node), true);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const name = node.qualifier && (ts.isIdentifier(node.qualifier) ? node.qualifier.text : "all");
      add(node.argument.literal, name === undefined || name === "all" ? "all" : [name]);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const counts = countIdentifiers(tree);
  for (const [name, found] of exports) found.isUsedHere = (counts.get(found.local ?? name) ?? 0) > 1;
  return { file, imports, exports };
}

function readStatement(node, tree, add, exports) {
  const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
  if (ts.isImportDeclaration(node)) {
    const bindings = node.importClause?.namedBindings;
    const names = bindings && ts.isNamedImports(bindings) ? bindings.elements.map(importedName) : [];
    if (node.importClause?.name) names.push("default");
    add(node.moduleSpecifier, bindings && ts.isNamespaceImport(bindings) ? "all" : names);
  } else if (ts.isExportDeclaration(node)) {
    const clause = node.exportClause;
    const listed = clause && ts.isNamedExports(clause) ? clause.elements : [];
    if (node.moduleSpecifier) add(node.moduleSpecifier, listed.length > 0 ? listed.map(importedName) : "all");
    for (const element of listed) exports.set(element.name.text, { line });
  } else if (ts.isExportAssignment(node)) {
    exports.set("default", { line });
  } else if (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(isExport)) {
    if (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) {
      exports.set("default", { line });
    } else if (ts.isVariableStatement(node)) {
      for (const { name } of node.declarationList.declarations)
        for (const one of bound(name)) exports.set(one, { line });
    } else if (node.name) exports.set(node.name.text, { line });
  }
}

function isExport({ kind }) {
  return kind === ts.SyntaxKind.ExportKeyword;
}

function importedName(element) {
  return (element.propertyName ?? element.name).text;
}

function bound(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : bound(element.name)));
}

/** What is taken of a module that is loaded on demand: `(await import(x)).name`, `const { name } = await import(x)`. */
function namesOfLateImport(call) {
  let node = call.parent;
  if (ts.isAwaitExpression(node)) node = node.parent;
  while (ts.isParenthesizedExpression(node)) node = node.parent;
  if (ts.isVariableDeclaration(node)) return namesOfPattern(node.name);
  if (!ts.isPropertyAccessExpression(node)) return "all";
  if (node.name.text !== "then") return [node.name.text];
  const [handler] = ts.isCallExpression(node.parent) ? node.parent.arguments : [];
  const isFunction = handler && (ts.isArrowFunction(handler) || ts.isFunctionExpression(handler));
  return isFunction && handler.parameters[0] ? namesOfPattern(handler.parameters[0].name) : "all";
}

function namesOfPattern(name) {
  if (!ts.isObjectBindingPattern(name) || name.elements.some((element) => element.dotDotDotToken)) return "all";
  return name.elements.map((element) => (element.propertyName ?? element.name).text);
}

function countIdentifiers(tree) {
  const counts = new Map();
  const visit = (node) => {
    if (ts.isIdentifier(node)) counts.set(node.text, (counts.get(node.text) ?? 0) + 1);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return counts;
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
